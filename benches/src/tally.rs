//! What came out of a queue, in three numbers that cost three additions a job.

/// Count, sum and order of the jobs taken.
///
/// `sum` tells whether the right jobs came out; `order` whether they came in the right order, for it
/// adds up the running sums (Fletcher's checksum), so a job counts the more, the earlier it comes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// How many jobs.
    pub count: u64,
    /// The wrapping sum of their numbers.
    pub sum: u64,
    /// The wrapping sum of all sums on the way.
    pub order: u64,
}

impl Tally {
    /// Counts one job.
    #[inline(always)]
    pub fn add(&mut self, job: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(job);
        self.order = self.order.wrapping_add(self.sum);
    }

    /// Adds what came out later. The order of the whole is not kept.
    pub fn merge(&mut self, later: Self) {
        self.count += later.count;
        self.sum = self.sum.wrapping_add(later.sum);
    }
}

impl FromIterator<u64> for Tally {
    fn from_iter<I: IntoIterator<Item = u64>>(jobs: I) -> Self {
        let mut tally = Self::default();
        jobs.into_iter().for_each(|job| tally.add(job));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_orders_apart_that_sums_do_not() {
        let (forth, back) = (Tally::from_iter([1, 2, 3]), Tally::from_iter([3, 2, 1]));
        assert_eq!((forth.count, forth.sum), (back.count, back.sum));
        assert_ne!(forth.order, back.order);
    }
}
