//! Tiers and endpoint costs, as data.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::rate::RateLimit;
use crate::Cost;

/// What tenants of each tier may ask, and what each endpoint costs. Read from any format that serde
/// reads, and checked as it is read.
///
/// ```
/// use schedulers::Cost;
/// use schedulers::admission::Plan;
///
/// let plan: Plan = serde_json::from_str(r#"{
///     "default": "starter",
///     "tiers": {
///         "starter":    { "burst": 25,  "per_second": 5 },
///         "pro":        { "burst": 100, "per_second": 20 },
///         "enterprise": { "burst": 500, "per_second": 100 }
///     },
///     "endpoints": { "read": 1, "search": 5, "export": 20 }
/// }"#)?;
/// assert_eq!(plan.tier("pro").unwrap().burst, 100);
/// assert_eq!(plan.cost("search"), Some(Cost::new(5)));
///
/// let wrong = serde_json::from_str::<Plan>(r#"{"default": "gold", "tiers": {}}"#).unwrap_err();
/// assert!(wrong.to_string().contains("gold"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Plan {
    default: String,
    tiers: BTreeMap<String, RateLimit>,
    endpoints: BTreeMap<String, Cost>,
}

impl Plan {
    /// One tier for everybody, called "default".
    #[must_use]
    pub fn uniform(limit: RateLimit) -> Self {
        let default = "default".to_owned();
        Self {
            tiers: BTreeMap::from([(default.clone(), limit)]),
            default,
            endpoints: BTreeMap::new(),
        }
    }

    /// The tier of a tenant that was assigned none.
    #[must_use]
    pub fn default_tier(&self) -> &str {
        &self.default
    }

    /// What this tier may ask.
    #[must_use]
    pub fn tier(&self, name: &str) -> Option<RateLimit> {
        self.tiers.get(name).copied()
    }

    /// Every tier by name.
    pub fn tiers(&self) -> impl Iterator<Item = (&str, RateLimit)> {
        self.tiers
            .iter()
            .map(|(name, &limit)| (name.as_str(), limit))
    }

    /// What a request to this endpoint costs.
    #[must_use]
    pub fn cost(&self, endpoint: &str) -> Option<Cost> {
        self.endpoints.get(endpoint).copied()
    }

    /// The endpoints that a tier can never afford, as they cost more than its burst: such a plan is
    /// allowed, and probably not meant.
    pub fn out_of_reach(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tiers.iter().flat_map(|(tier, limit)| {
            let dear = self.endpoints.iter();
            let dear = dear.filter(|(_, cost)| cost.units() > limit.burst);
            dear.map(move |(endpoint, _)| (tier.as_str(), endpoint.as_str()))
        })
    }

    /// Replaces what a tier of the plan may ask.
    pub(super) fn set(&mut self, tier: &str, limit: RateLimit) {
        let old = self.tiers.get_mut(tier).expect("a tier of the plan");
        *old = limit;
    }

    /// The limit of a tier that must exist.
    pub(super) fn known(&self, tier: &str) -> Result<RateLimit, UnknownTier> {
        self.tier(tier).ok_or_else(|| self.unknown(tier))
    }

    fn unknown(&self, tier: &str) -> UnknownTier {
        UnknownTier {
            tier: tier.to_owned(),
            known: self.tiers.keys().cloned().collect(),
        }
    }
}

/// A tier that the plan does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTier {
    /// The name asked for.
    pub tier: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownTier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tier, known } = self;
        write!(
            formatter,
            "no tier is called {tier:?}: the plan has {}",
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownTier {}

/// The plan as a file has it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    default: String,
    tiers: BTreeMap<String, RateLimit>,
    #[serde(default)]
    endpoints: BTreeMap<String, u32>,
}

impl TryFrom<Written> for Plan {
    type Error = NoDefaultTier;

    fn try_from(written: Written) -> Result<Self, NoDefaultTier> {
        let Written {
            default,
            tiers,
            endpoints,
        } = written;
        if !tiers.contains_key(&default) {
            return Err(NoDefaultTier(default));
        }
        let endpoints = endpoints.into_iter();
        let endpoints = endpoints
            .map(|(name, units)| (name, Cost::new(units)))
            .collect();
        Ok(Self {
            default,
            tiers,
            endpoints,
        })
    }
}

impl From<Plan> for Written {
    fn from(plan: Plan) -> Self {
        let Plan {
            default,
            tiers,
            endpoints,
        } = plan;
        let endpoints = endpoints.into_iter();
        let endpoints = endpoints.map(|(name, cost)| (name, cost.units())).collect();
        Self {
            default,
            tiers,
            endpoints,
        }
    }
}

/// The default tier is not among the tiers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NoDefaultTier(String);

impl fmt::Display for NoDefaultTier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the default tier {:?} is not among the tiers",
            self.0
        )
    }
}
