//! `strategies`: refuse, queue fairly, or cap, side by side on the noisy burst.

use clap::Args;
use schedulers::admission::{Rate, RateLimit};
use serde_json::json;

use super::Answered;
use super::burst_flags::BurstFlags;
use super::output::{Answer, Common, Ending, to_json};
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::drive::{Retry, simulate_with_clients};
use crate::record::{BurstRecord, StrategyRecord};
use crate::report::strategies_page;
use crate::scenario::NoisyBurst;
use crate::scheduler::Scheduler;
use records::error::BadInput;

const EXAMPLES: &str = "\
Examples:
  cargo lab strategies                                   which one protects the neighbours, and at whose expense
  cargo lab strategies --fair active_list                the fair queue is another one
  cargo lab strategies --rate 20 --burst 100             a more generous tier
  cargo lab strategies --rate 5 --endpoint-costs noisy=20 --json
  cargo lab strategies --retry obey                      what is refused comes back when it was told to
  cargo lab strategies --retry hammer=20                 or every 20 ms, whatever it was told

Each strategy has its own part of --rate, --in-flight-max and --backlog-max, and none of the others'.";

/// Compare refusing, queueing fairly and capping on the noisy burst, in simulated time
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Strategies {
    #[command(flatten)]
    burst: BurstFlags,
    /// The fair queue
    #[arg(long, value_name = "NAME", default_value = "rotation", value_parser = scheduler_choice())]
    fair: SchedulerChoice,
    /// What clients do with what is refused: give it up, wait as long as they are told (in whole seconds, as
    /// Retry-After), or ask again at intervals, of 100 ms if nothing else is said
    #[arg(long, value_name = "never|obey|hammer[=MS]", default_value = "never", value_parser = retry)]
    retry: Retry,
    #[command(flatten)]
    common: Common,
}

/// What holds tenants back where no flag says otherwise: the starter tier, and the study's cap and limit.
const RATE_LIMIT: RateLimit = RateLimit {
    burst: 25,
    rate: Rate::per_second(5),
};
const IN_FLIGHT_MAX: u32 = 4;
const BACKLOG_MAX: u32 = 100;

/// A strategy: its name, whether its queue is fair, and which of rate limit, cap and backlog limit it has.
const STRATEGIES: [(&str, bool, [bool; 3]); 8] = [
    ("nothing", false, [false, false, false]),
    ("refuse", false, [true, false, false]),
    ("cap", false, [false, true, false]),
    ("queue fairly", true, [false, false, false]),
    ("queue fairly, refuse", true, [true, false, false]),
    ("queue fairly, limit", true, [false, false, true]),
    ("queue fairly, cap", true, [false, true, false]),
    ("queue fairly, cap, limit", true, [false, true, true]),
];

fn retry(text: &str) -> Result<Retry, String> {
    let every_ms = |ms: &str| match ms.parse::<u32>() {
        Ok(ms @ 1..) => Ok(Retry::Hammer {
            every_us: u64::from(ms) * 1_000,
        }),
        _ => Err(format!(
            "{ms:?} is no interval: give whole milliseconds, 1 or more"
        )),
    };
    match text.split_once('=') {
        None if text == "never" => Ok(Retry::Never),
        None if text == "obey" => Ok(Retry::Obey),
        None if text == "hammer" => every_ms("100"),
        Some(("hammer", ms)) => every_ms(ms),
        _ => Err("give never, obey, hammer or hammer=MS".to_owned()),
    }
}

impl Strategies {
    pub(super) fn run(self) -> Answered {
        let parameters = self.burst.parameters()?;
        let fifo = Scheduler::named("fifo")
            .ok_or_else(|| BadInput::new("there is no fifo to compare with"))?;
        self.check(&parameters)?;
        let mut records = Vec::new();
        for fair in self.fair.schedulers() {
            for (strategy, is_fair, has) in STRATEGIES {
                let scheduler = if is_fair { fair } else { fifo };
                records.push(self.record(strategy, scheduler, &with(&parameters, has))?);
            }
        }
        Ok(Answer {
            common: self.common,
            document: self
                .common
                .document("strategies", json!({ "strategies": to_json(&records) })),
            rows: "strategies",
            page: strategies_page(&records),
            ending: Ending::Well,
        })
    }

    /// Refuses what would let nobody through, however often they come back.
    fn check(&self, parameters: &NoisyBurst) -> Result<(), BadInput> {
        let NoisyBurst {
            in_flight_max,
            backlog_max,
            ..
        } = parameters;
        if self.retry != Retry::Never && [in_flight_max, backlog_max].contains(&&Some(0)) {
            return Err(BadInput::new(
                "a cap or a limit of 0 lets nothing through: clients would come back for ever",
            ));
        }
        Ok(())
    }

    fn record(
        &self,
        strategy: &'static str,
        scheduler: Scheduler,
        parameters: &NoisyBurst,
    ) -> Result<StrategyRecord, BadInput> {
        let (trace, pool) = (parameters.trace()?, parameters.pool());
        let mut queue = scheduler.build(&pool.settings(&trace));
        let (log, came_back) = simulate_with_clients(&trace, &pool, &mut queue, self.retry)?;
        let result = BurstRecord::new(scheduler.name, parameters, &trace, &log, 0);
        Ok(StrategyRecord::new(
            strategy, self.retry, result, &trace, &log, &came_back,
        ))
    }
}

/// The scenario with those of its limits that the strategy has.
fn with(parameters: &NoisyBurst, [rate_limit, cap, limit]: [bool; 3]) -> NoisyBurst {
    NoisyBurst {
        rate_limit: rate_limit.then(|| parameters.rate_limit.unwrap_or(RATE_LIMIT)),
        in_flight_max: cap.then(|| parameters.in_flight_max.unwrap_or(IN_FLIGHT_MAX)),
        backlog_max: limit.then(|| parameters.backlog_max.unwrap_or(BACKLOG_MAX)),
        ..*parameters
    }
}
