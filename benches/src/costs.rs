//! What jobs cost, what tenants weigh, and the quantum that fits.

use rand::RngExt;
use schedulers::{Cost, Quantum, Settings, Tenant, Weight};

/// What jobs cost and tenants weigh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Costs {
    /// Every job costs 1, every tenant weighs 1.
    Unit,
    /// Jobs cost 1, 5 or 20, each as often, and tenants weigh 1, 2 or 3 in turn. The quantum is the
    /// largest cost. This is what a weighted discipline is for.
    Mix,
    /// A job costs its tokens, as a trace says; every tenant weighs 1. The quantum is about the mean.
    Tokens,
}

impl Costs {
    const MIX: [u32; 3] = [1, 5, 20];

    /// The cost of a synthetic job.
    pub fn draw(self, random: &mut impl rand::Rng) -> Cost {
        match self {
            Self::Mix => Cost::new(Self::MIX[random.random_range(0..Self::MIX.len())]),
            Self::Unit | Self::Tokens => Cost::UNIT,
        }
    }

    /// What a tenant weighs.
    #[must_use]
    pub fn weight(self, tenant: Tenant) -> Weight {
        match self {
            Self::Mix => Weight::new(1 + tenant.index() % 3).unwrap_or(Weight::ONE),
            Self::Unit | Self::Tokens => Weight::ONE,
        }
    }

    /// What a queue for such jobs is built with.
    #[must_use]
    pub fn settings(self) -> Settings {
        let quantum = match self {
            Self::Unit => 1,
            Self::Mix => Self::MIX[2],
            Self::Tokens => 2_048,
        };
        Settings {
            quantum: Quantum::new(quantum).unwrap_or(Quantum::UNIT),
            ..Settings::default()
        }
    }
}
