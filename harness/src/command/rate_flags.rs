//! Admission in front of the queue, as flags.

use clap::Args;
use schedulers::admission::{Rate, RateLimit};

/// What each tenant is held to before its requests reach the queue.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct RateFlags {
    /// Refuse what a tenant asks beyond so many tokens a second; a request takes its cost in tokens
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = rate)]
    rate: Option<Rate>,
    /// The most tokens that a tenant can save up; by default those of a second, at least one
    #[arg(long, value_name = "TOKENS", requires = "rate")]
    burst: Option<u32>,
}

impl RateFlags {
    /// The limit, if one was asked for.
    pub(super) fn rate_limit(self) -> Option<RateLimit> {
        let rate = self.rate?;
        let of_a_second = rate.tokens_per_second().ceil();
        let of_a_second = u32::try_from(records::number::round(of_a_second)).unwrap_or(u32::MAX);
        let burst = self.burst.unwrap_or(of_a_second.max(1));
        Some(RateLimit { burst, rate })
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    let tokens: f64 = text.parse().map_err(|_| "give a number".to_owned())?;
    Rate::try_from(tokens).map_err(|error| error.to_string())
}

/// What requests cost by the endpoint that they ask for: of each name its cost, where one is given.
pub(super) fn endpoint_costs<const N: usize>(
    text: &str,
    names: [&str; N],
) -> Result<[Option<u32>; N], String> {
    let form = || names.map(|name| format!("{name}=N")).join(",");
    let mut costs = [None; N];
    for part in text.split(',') {
        let (name, cost) = part
            .split_once('=')
            .ok_or_else(|| format!("give {}", form()))?;
        let place = names.iter().position(|&known| known == name);
        let place = place.ok_or_else(|| format!("{name:?} asks for nothing: give {}", form()))?;
        let cost = cost
            .parse()
            .map_err(|_| format!("{cost:?} is no cost: give a whole number"))?;
        costs[place] = Some(cost);
    }
    Ok(costs)
}
