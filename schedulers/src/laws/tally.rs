//! What came out of a queue, summed up: two runs that should agree on it are compared by it.

use super::Job;

/// How many jobs, and a checksum that does not depend on their order.
///
/// Of a measured run with threads: keep one in each thread, [merge](Self::merge) them, and compare with
/// the jobs that went in. A mismatch voids the measurement.
///
/// ```
/// use schedulers::laws::Tally;
/// let (mut pushed, mut taken) = (Tally::default(), Tally::default());
/// (0..10).for_each(|job| pushed.add(job));
/// (0..10).rev().for_each(|job| taken.add(job));
/// assert_eq!(pushed, taken);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// How many jobs.
    pub count: u64,
    /// The sum of a hash of each, modulo 2^64: a job twice and another never would show.
    pub checksum: u64,
}

impl Tally {
    /// One more job.
    #[inline]
    pub const fn add(&mut self, job: Job) {
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(mix(job));
    }

    /// All jobs of another tally.
    pub const fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

/// A hash of 64 bits: the finalizer of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
#[inline]
pub(super) const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
