//! A fair queue without a lock: any thread may serve any tenant, and none ever waits for another.
//!
//! **The idea.** A turn is no possession. Designs that pass a token for each tenant through a ring let
//! its holder own the tenant's lane: if that thread is taken off its core, the tenant's jobs are
//! hidden, and a `take` can only spin, or say `None` though there is work. Here a tree of bits says
//! which tenants may be eligible ([`bitmap`]), a cursor whose turn it is, and whoever moves the cursor
//! past a tenant takes from its lane; a thread that rests after that hides nothing, as the tenant's bit
//! stays set and its next turn comes round. All that decides whether a tenant may be served is two words
//! of its lane, changed by compare-exchange ([`gate`]); jobs are linked so that any thread can append
//! and take ([`lane`]), in nodes from chunks ([`pool`]). A tenant that is not eligible costs a take
//! nothing: it is found once, and its bit is lowered.
//!
//! **Origin.** The order is the rotating scan's, as in [`Rotation`](crate::discipline::Rotation); with
//! costs, M. Shreedhar and G. Varghese's deficit round-robin (SIGCOMM 1995). Lanes follow M. Michael
//! and M. Scott's queue (PODC 1996), with the links the other way round, as in E. Ladan-Mozes and
//! N. Shavit's optimistic queue (DISC 2004). Freeing is by epochs (K. Fraser, 2004; crossbeam's). The
//! tree is our own; what it is to do is that of a SNZI (F. Ellen et al., PODC 2007).
//!
//! **Cost.** Push, take, complete: O(log32 of `tenants_max`) at worst, in a steady state two, two and one
//! compare-exchanges, and one more for the epoch in a push or take; one in each for the node. Batches
//! pin the epoch once. `len` is O(jobs / 256) unless `backlog_max` limits the queue, which costs two
//! more exchanges of one word for each job. `cancel` is O(1) amortised: the job comes back at once, and
//! its node (not the job) when the jobs ahead of it in the lane have gone.
//!
//! **Bounds.** [`Turns`]: turns of tenants that stay eligible differ by at most one, as the cursor goes
//! round; [`Deficits`]: as the discipline of that name. That is when turns are counted as they are
//! given; a thread that rests between its turn and its job is late by that job, so with `t` threads in
//! the middle of a take, add `t` jobs. In flight never exceeds the cap, which is at most 2^20 - 1, the
//! most jobs of one tenant in flight. A tenant's `backlog_max` may be exceeded by a job for each thread
//! that is just passing a cancelled one. Two `configure`s of one tenant at once may leave the cap of
//! one, and the weight and backlog limit of the other.
//!
//! **Why it is linearizable.** A push takes effect with the exchange of the tail, a take with that of the
//! gate, a completion, pause, resume with theirs, a change of the cap with the step of it that changes
//! the gate; a cancel when its mark is sure ([`lane`]). Of those that make a tenant eligible, one that
//! has not returned may also be put off until somebody depends on it. A take that answers `None` takes
//! effect when it read the root at zero: by the promise of [`bitmap`], whatever was eligible at that
//! instant was made so by calls that had not returned, and that nobody had depended on; they come
//! after. Each job is taken by whoever moved the gate past it, and by nobody else, in the order of the
//! tail.
//!
//! **No operation waits** for a thread that rests. Every loop here ends unless another thread has
//! changed the word in between; steps that others may have left undone (a bit not yet raised, a mark not
//! yet sure, a cap half changed, a segment half freed, a hint not yet written) are done again, undone,
//! or gone round by whoever comes upon them. Memory that a resting thread may look at is not freed
//! until it goes on.
//!
//! All that is counted is counted modulo some power of two, and compared for equality: a thread would
//! have to rest through exactly 2^32 jobs of a tenant, 2^31 raises of a word, or 2^8 changes of
//! a tenant's cap or pause that leave everything else as it was, to be deceived.
//!
//! **When not to use it.** With one thread, or where the queue is not what threads contend for:
//! [`Locked`](crate::Locked) costs less for each job, and much less in batches. Where nobody minds that
//! a thread which is taken off its core keeps the others waiting.
#![allow(unsafe_code)] // the one module that may: each block says who guarantees what

mod bitmap;
mod cancel;
mod deficits;
mod gate;
mod lane;
mod node;
mod operations;
mod paged;
mod policy;
mod pool;
mod pop;
mod reclaim;
mod shared;
mod table;
mod terms;
mod turns;

use std::fmt;

use self::bitmap::Bitmap;
pub use self::deficits::Deficits;
use self::policy::Policy;
use self::pool::{NODES_MAX, Pool};
use self::table::Table;
pub use self::turns::Turns;
use crate::sync::epoch::pin;
use crate::sync::sequential::{AtomicU32, AtomicU64, Ordering};
use crate::{Identity, Settings, Taken};

/// Handles from this one on are refused whatever the settings say.
const TENANTS_MAX: u32 = 1 << 30;

/// What serving a tenant gives.
enum Served<J> {
    Job(Taken<J>),
    /// It cannot pay for its first job.
    Short,
    /// It is not eligible.
    Idle,
}

/// A lock-free fair queue of jobs `J`, under the policy `P`: [`Turns`] or [`Deficits`].
///
/// ```
/// use schedulers::{Cost, LockFree, Settings, SharedFairQueue, Tenant, Turns};
///
/// let queue = LockFree::<Turns, _>::new(&Settings::default());
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push(Tenant::new(0), Cost::UNIT, "job").unwrap());
/// });
/// let taken = queue.take().unwrap();
/// queue.complete(taken.ticket, Cost::UNIT);
/// ```
///
/// **Memory.** 64 bytes for each tenant, in segments of 128, each freed when all of its tenants were
/// [removed](crate::SharedFairQueue::remove) and have no job in flight; a quarter of a byte for each handle
/// up to the largest ever seen. For each waiting job, the job and 32 bytes, in chunks of 256 jobs, each
/// freed when none of its jobs waits, but for two.
pub struct LockFree<P, J> {
    policy: P,
    table: Table,
    pool: Pool<J>,
    /// Which tenants may be eligible.
    eligible: Bitmap,
    /// Whose turn it is next, and in the high half how many turns there were.
    cursor: AtomicU64,
    /// How many jobs wait, those just being pushed included, where that is limited; or 0, as two more
    /// exchanges for each job, of one word for all threads, would be a waste otherwise.
    len: AtomicU32,
    closed: AtomicU32,
    backlog_max: u32,
    tenants_max: u32,
    identity: Identity,
}

impl<P: Policy, J> LockFree<P, J> {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let tenants_max = settings.tenants_max.min(TENANTS_MAX);
        Self {
            policy: P::new(settings),
            table: Table::new(tenants_max, settings.limits),
            pool: Pool::new(),
            eligible: Bitmap::new(tenants_max as usize),
            cursor: AtomicU64::new(0),
            len: AtomicU32::new(0),
            closed: AtomicU32::new(0),
            backlog_max: settings.backlog_max.min(NODES_MAX),
            tenants_max,
            identity: Identity::new(),
        }
    }
}

impl<P, J> Drop for LockFree<P, J> {
    fn drop(&mut self) {
        let guard = pin();
        for tenant in self.table.tenants() {
            if let Some(lane) = self.table.lane(tenant, &guard) {
                while let Some(job) = lane.withdraw(&self.pool, tenant, lane.end(), &guard) {
                    drop(job);
                }
            }
        }
    }
}

// SAFETY: a job is moved in by one thread and out by one thread, whoever that is, and never shared.
unsafe impl<P: Sync, J: Send> Sync for LockFree<P, J> {}
// SAFETY: all else in it is atomic, and owned by it.
unsafe impl<P: Send, J: Send> Send for LockFree<P, J> {}

impl<P, J> fmt::Debug for LockFree<P, J> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LockFree")
            .field("cursor", &self.cursor.load(Ordering::Relaxed))
            .field("closed", &(self.closed.load(Ordering::Relaxed) != 0))
            .finish_non_exhaustive()
    }
}
