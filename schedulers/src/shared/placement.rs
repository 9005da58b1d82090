//! Which shard a tenant belongs to, and its handle there.
//!
//! Handles are cut into blocks of one tenant for each shard. A block's tenants go to all shards, each
//! to another, so every shard's table is as dense as the handles are; and each block is turned by a
//! hash of its number, so that a pattern in the handles (all even ones, every eighth) does not end
//! in one shard. Uneven placement would cost contention, never fairness.

use std::fmt;

use crate::Tenant;

/// A number of shards: a power of two, from 1 to [`Shards::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shards {
    bits: u32,
}

impl Shards {
    /// The most shards. One word says which of them have work.
    pub const MAX: usize = 64;

    /// Eight, as in the registry: its results are to be the same on every machine.
    pub const EIGHT: Self = Self { bits: 3 };

    /// So many shards.
    ///
    /// # Errors
    ///
    /// [`ShardsOutOfRange`] for anything but a power of two up to [`Shards::MAX`].
    pub const fn new(count: usize) -> Result<Self, ShardsOutOfRange> {
        if count.is_power_of_two() && count <= Self::MAX {
            let bits = count.trailing_zeros();
            Ok(Self { bits })
        } else {
            Err(ShardsOutOfRange { count })
        }
    }

    /// Four for each thread that the machine runs at once, so that two of them seldom meet in one; 4
    /// where that is not known.
    #[must_use]
    pub fn of_machine() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let count = threads.saturating_mul(4).min(Self::MAX);
        Self {
            bits: count.next_power_of_two().trailing_zeros(),
        }
    }

    /// How many shards.
    #[must_use]
    pub const fn count(self) -> usize {
        1 << self.bits
    }

    /// The shard of a tenant: below [`count`](Self::count).
    #[must_use]
    pub const fn shard_of(self, tenant: Tenant) -> usize {
        self.place(tenant).0
    }

    /// The shard of a tenant, and its handle there.
    #[inline(always)]
    pub(super) const fn place(self, tenant: Tenant) -> (usize, Tenant) {
        let block = tenant.index() >> self.bits;
        let shard = (tenant.index() ^ turn(block)) as usize & (self.count() - 1);
        (shard, Tenant::new(block))
    }

    /// The tenant that has this handle in a shard.
    #[inline(always)]
    pub(super) const fn tenant(self, shard: usize, local: Tenant) -> Tenant {
        let block = local.index();
        let within = (shard ^ turn(block) as usize) & (self.count() - 1);
        Tenant::at((block as usize) << self.bits | within)
    }

    /// How many tenants a shard may have, so that this many find a place.
    pub(super) const fn tenants_each(self, tenants_max: u32) -> u32 {
        tenants_max.div_ceil(1 << self.bits)
    }
}

/// A hash of a block's number, 0 for the first. Two products with what is high brought low in between:
/// after one alone, some distances between handles still end in few shards.
#[inline(always)]
const fn turn(block: u32) -> u32 {
    let product = block.wrapping_mul(0x9E37_79B9);
    let product = (product ^ product >> 16).wrapping_mul(0x85EB_CA6B);
    product >> 16
}

/// A number of shards that is no power of two, or above [`Shards::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardsOutOfRange {
    /// The number that was refused.
    pub count: usize,
}

impl fmt::Display for ShardsOutOfRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, max) = (self.count, Shards::MAX);
        write!(
            formatter,
            "{count} shards are not possible: give a power of two from 1 to {max}"
        )
    }
}

impl std::error::Error for ShardsOutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_counts() -> impl Iterator<Item = Shards> {
        (0..=6).map(|bits| Shards::new(1 << bits).expect("a power of two up to 64"))
    }

    #[test]
    fn every_tenant_has_a_place_of_its_own_and_tables_are_dense() {
        for shards in all_counts() {
            let count = u32::try_from(shards.count()).expect("small");
            for index in (0..10_000).chain([1 << 20, u32::MAX - 1, u32::MAX]) {
                let tenant = Tenant::new(index);
                let (shard, local) = shards.place(tenant);
                assert_eq!(local.index(), index / count);
                assert_eq!(shards.tenant(shard, local), tenant);
            }
        }
    }

    /// Every stride up to 512, and powers of two beyond: no shard has much more than its part.
    #[test]
    fn no_regular_pattern_of_handles_ends_in_one_shard() {
        for shards in all_counts() {
            for stride in (1..=512).chain([1_000, 1_024, 4_096, 10_000]) {
                let mut tenants = vec![0; shards.count()];
                let each = 64;
                for number in 0..each * shards.count() {
                    let index = u32::try_from(number * stride).expect("a handle");
                    tenants[shards.place(Tenant::new(index)).0] += 1;
                }
                let most = tenants.iter().max().copied().expect("one shard at least");
                assert!(
                    most <= 2 * each,
                    "{shards:?}, every {stride}th: {tenants:?}"
                );
            }
        }
    }

    #[test]
    fn other_numbers_of_shards_are_refused() {
        for count in [0, 3, 65, 128, usize::MAX] {
            assert_eq!(Shards::new(count), Err(ShardsOutOfRange { count }));
        }
        assert!(Shards::of_machine().count() >= 4);
    }
}
