//! What is counted: one operation of a queue at a time, where wall time can only tell whole loops.

/// One kind of operation. Before it, every tenant is known; what waits is said at each. Jobs cost 1, 5
/// or 20, as often; the quantum is 20; all tenants weigh the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Pushes, to tenants at random, half of whom have a job waiting.
    Push,
    /// Takes, all tenants having jobs. The tickets are put aside.
    Take,
    /// Completes jobs in the order in which they were taken, every other one at another cost than was
    /// charged.
    Complete,
    /// Takes, completes, and the tenant just served pushes its next job: a whole life.
    Cycle,
    /// Completes the oldest job in flight and takes the next. Every tenant has a cap of one and is at
    /// it, with jobs waiting: the completion wakes the only tenant that can be served.
    Wake,
    /// Cancels jobs from anywhere in their lanes, in random order.
    Cancel,
    /// Takes, completes, and a tenant at random pushes, out of the 1 % (at least one) that ever send;
    /// one job waits at any time.
    IdleTake,
}

impl Operation {
    /// Every one, in the order of the report.
    pub const ALL: [Self; 7] = [
        Self::Push,
        Self::Take,
        Self::Complete,
        Self::Cycle,
        Self::Wake,
        Self::Cancel,
        Self::IdleTake,
    ];

    /// As in benchmark names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Take => "take",
            Self::Complete => "complete",
            Self::Cycle => "cycle",
            Self::Wake => "wake",
            Self::Cancel => "cancel",
            Self::IdleTake => "idle_take",
        }
    }

    /// How many are counted together: enough that a chunk allocated, or a bitmap's word turned, is
    /// seen in the mean. A scan of 10,000 idle tenants makes fewer do.
    #[must_use]
    pub const fn batch(self) -> usize {
        match self {
            Self::IdleTake => 256,
            _ => 1_024,
        }
    }
}
