//! Where a leaf is sent, when either of two servers can do it.

use serde::Serialize;

/// How a client chooses between the two servers of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
pub enum Policy {
    /// Always to the first.
    First,
    /// To one of the two, at random.
    Random,
    /// To the one of the two with fewer jobs, as they were when all servers were last asked.
    ShorterOfTwo {
        /// From one time that all are asked to the next; 0 always knows.
        stale_us: u64,
    },
    /// To whichever of all servers had the fewest jobs, as above.
    ShortestOfAll {
        /// As above.
        stale_us: u64,
    },
    /// To the first, and to the second as well if there is no answer after a delay. With the first
    /// answer the other copy is cancelled, if it still waits.
    Hedge {
        /// From sending the one to sending the other.
        delay_us: u64,
    },
    /// To both, the second two message times later. The copy that starts first cancels the other.
    Tie,
}
