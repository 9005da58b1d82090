//! Demand or noise: what a change of shares says.
//!
//! When demand grows, a tenant's share of the requests and its share of the work move together.
//! When its work share moves and its request share does not, its requests have become heavier: it
//! is a noisy neighbour, and no amount of capacity planned by request counts will help.

use serde::Serialize;

use records::number::{real, share};

/// A work share that rises less than this is within the usual drift.
const WORK_SHARE_RISE_MIN: f64 = 0.01;
/// A noise ratio that grows by less than this factor is within the usual drift.
const NOISE_GROWTH_MIN: f64 = 1.10;
/// Requests that moved between tenants, as a share of all, or came on top: less is usual drift.
const DEMAND_MOVED_MIN: f64 = 0.02;
/// Sharing a pool by requests is sound while the heaviest user's noise ratio is below this.
const NOISE_RATIO_SOUND_MAX: f64 = 1.25;

/// What one tenant asked for in a stretch of time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Asked {
    /// How many requests.
    pub requests: u64,
    /// What they cost together.
    pub work: u64,
}

/// What kind of change it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Neither shares nor the number of requests moved by more than the usual drift.
    Steady,
    /// Requests grew or moved, and the work moved with them.
    DemandGrew,
    /// One tenant's work share rose and its request share did not.
    NoisyNeighbour,
}

/// The finding, with the figures that it rests on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// The finding.
    pub change: Change,
    /// The tenant whose shares rose most: by work for a noisy neighbour, by requests otherwise.
    pub tenant: String,
    /// Its shares before.
    pub before: Shares,
    /// Its shares after.
    pub after: Shares,
    /// Requests per unit of time, after over before.
    pub request_growth: f64,
    /// Whether the pool can still be shared by counting requests.
    pub sharing_is_sound: bool,
    /// Why not; empty if it is.
    pub unsound_because: Vec<String>,
}

/// One tenant's part in everything.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Shares {
    /// Of the requests.
    pub request_share: f64,
    /// Of the work.
    pub work_share: f64,
    /// The latter over the former. `null` without requests.
    pub noise_ratio: Option<f64>,
}

/// A stretch of time: what each tenant asked, and how long it was, in any unit.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    /// By tenant; both stretches know the same tenants.
    pub asked: &'a [Asked],
    /// Its length.
    pub length: u64,
}

/// A single request against what a pool serves in a round; nothing where there are no rounds.
#[derive(Clone, Copy, Debug)]
pub struct Heaviest {
    /// Units of the largest request.
    pub request: u64,
    /// Units served in a round.
    pub round: u64,
}

/// Compares two stretches. There is at least one tenant.
#[must_use]
pub fn verdict(
    name: impl Fn(usize) -> String,
    before: Stretch<'_>,
    after: Stretch<'_>,
    heaviest: Option<Heaviest>,
) -> Verdict {
    let (shares_before, shares_after) = (shares(before.asked), shares(after.asked));
    let rise = |tenant: usize, share_of: fn(&Shares) -> f64| {
        share_of(&shares_after[tenant]) - share_of(&shares_before[tenant])
    };
    let most = |share_of: fn(&Shares) -> f64| {
        (0..shares_after.len())
            .max_by(|&a, &b| {
                rise(a, share_of)
                    .total_cmp(&rise(b, share_of))
                    .then(b.cmp(&a))
            })
            .expect("there is at least one tenant")
    };
    let noisiest = most(|shares| shares.work_share);
    let is_noisy = became_noisy(&shares_before[noisiest], &shares_after[noisiest]);
    let request_growth = growth(before, after);
    let moved: f64 = (0..shares_after.len())
        .map(|tenant| rise(tenant, |shares| shares.request_share).max(0.0))
        .sum();
    let change = if is_noisy {
        Change::NoisyNeighbour
    } else if moved >= DEMAND_MOVED_MIN || request_growth >= 1.0 + DEMAND_MOVED_MIN {
        Change::DemandGrew
    } else {
        Change::Steady
    };
    let tenant = if is_noisy {
        noisiest
    } else {
        most(|shares| shares.request_share)
    };
    let unsound_because = unsound(&name, &shares_after, heaviest);
    Verdict {
        change,
        tenant: name(tenant),
        before: shares_before[tenant],
        after: shares_after[tenant],
        request_growth,
        sharing_is_sound: unsound_because.is_empty(),
        unsound_because,
    }
}

/// Whether the work share rose, by more than the request share explains.
fn became_noisy(before: &Shares, after: &Shares) -> bool {
    let work_rise = after.work_share - before.work_share;
    let request_rise = after.request_share - before.request_share;
    let heavier = match (before.noise_ratio, after.noise_ratio) {
        (Some(before), Some(after)) => after >= before * NOISE_GROWTH_MIN,
        _ => false,
    };
    work_rise >= WORK_SHARE_RISE_MIN && heavier && request_rise < work_rise / 2.0
}

fn growth(before: Stretch<'_>, after: Stretch<'_>) -> f64 {
    let requests = |stretch: Stretch<'_>| {
        stretch
            .asked
            .iter()
            .map(|asked| asked.requests)
            .sum::<u64>()
    };
    let per_time = |stretch: Stretch<'_>| share(requests(stretch), stretch.length);
    if requests(before) == 0 {
        1.0
    } else {
        per_time(after) / per_time(before)
    }
}

fn shares(asked: &[Asked]) -> Vec<Shares> {
    let requests = asked.iter().map(|asked| asked.requests).sum();
    let work = asked.iter().map(|asked| asked.work).sum();
    let of = |asked: &Asked| {
        let (request_share, work_share) =
            (share(asked.requests, requests), share(asked.work, work));
        let noise_ratio = (asked.requests > 0).then(|| work_share / request_share);
        Shares {
            request_share,
            work_share,
            noise_ratio,
        }
    };
    asked.iter().map(of).collect()
}

fn unsound(
    name: impl Fn(usize) -> String,
    shares: &[Shares],
    heaviest: Option<Heaviest>,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let largest = (0..shares.len())
        .max_by(|&a, &b| {
            shares[a]
                .work_share
                .total_cmp(&shares[b].work_share)
                .then(b.cmp(&a))
        })
        .expect("there is at least one tenant");
    let noise_ratio = shares[largest].noise_ratio.unwrap_or(0.0);
    if noise_ratio >= NOISE_RATIO_SOUND_MAX {
        reasons.push(format!(
            "the noise ratio of {} is {noise_ratio:.2}: count its work, not its requests, or move it to a pool of its own",
            name(largest)
        ));
    }
    if let Some(Heaviest { request, round }) =
        heaviest.filter(|heaviest| heaviest.request > heaviest.round)
    {
        reasons.push(format!(
            "one request of {request} units exceeds the {round} of a whole round ({:.2}x): cut it into chunks",
            real(request) / real(round)
        ));
    }
    reasons
}
