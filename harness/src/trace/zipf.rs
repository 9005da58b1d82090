//! Tenants for traces that name none: a seeded Zipf rule.
//!
//! Tenant `k` of `n` is drawn with probability `(1/k) / (1/1 + ... + 1/n)`: the skew that
//! measured tenants of shared services often have. Only additions and divisions, so the same seed
//! gives the same tenants on every platform.

use rand::RngExt;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use records::number::real;

/// Draws tenants by Zipf's rule.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// `cumulated[k - 1]` is `1/1 + ... + 1/k`.
    cumulated: Vec<f64>,
    random: Xoshiro256PlusPlus,
}

impl Zipf {
    /// Over so many tenants; at least 1.
    #[must_use]
    pub fn new(tenants: u32, seed: u64) -> Self {
        let mut sum = 0.0;
        let inverse_sums = (1..=u64::from(tenants.max(1))).map(|rank| {
            sum += 1.0 / real(rank);
            sum
        });
        Self {
            cumulated: inverse_sums.collect(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The rank of the next job's tenant, from 1.
    pub fn draw(&mut self) -> usize {
        let sum = self.cumulated.last().expect("there is at least one tenant");
        let point = self.random.random::<f64>() * sum;
        1 + self
            .cumulated
            .partition_point(|&cumulated| cumulated <= point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_tenants_is_drawn_twice_as_often() {
        let mut zipf = Zipf::new(2, 1);
        let firsts = (0..3_000).filter(|_| zipf.draw() == 1).count();
        assert!((1_900..2_100).contains(&firsts), "{firsts}");
    }
}
