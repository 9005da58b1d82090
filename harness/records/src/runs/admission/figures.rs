//! What two runs of the benchmark of admission are compared by.

use super::record::{AdmissionRun, Beside, Checked, Weighed};
use crate::runs::figure::{Figure, Figures, Standing, Unit};

impl From<&AdmissionRun> for Figures {
    fn from(run: &AdmissionRun) -> Self {
        let checks = run.checks.iter().map(Figure::from);
        let weighed = run.weighed.iter().map(Figure::from);
        Self {
            environment: run.environment.clone(),
            all: checks.chain(weighed).collect(),
        }
    }
}

impl From<&Checked> for Figure {
    fn from(check: &Checked) -> Self {
        let (name, work) = (check.name(), check.workload.clone());
        let standing = match &check.outcome {
            Beside::Timed {
                ratio, interval, ..
            } => return Self::ratio(name, *ratio, *interval, work),
            Beside::Failed(why) => Standing::Failed(why.clone()),
            Beside::Void(why) => Standing::Void(why.clone()),
        };
        Self {
            name,
            unit: Unit::Ratio,
            value: None,
            spread: 0.0,
            work: Some(work),
            standing,
        }
    }
}

impl From<&Weighed> for Figure {
    fn from(weighed: &Weighed) -> Self {
        let name = format!("admitted_tenant/{}/{}", weighed.contender, weighed.tenants);
        Self::held(name, weighed.bytes_per_tenant)
    }
}

#[cfg(test)]
pub(in crate::runs) mod tests {
    use super::*;
    use crate::runs::{Change, Comparison, Demand, Environment, LIMITER, PEER};

    /// A run of one check, with this outcome.
    pub(in crate::runs) fn one_check(outcome: Beside) -> AdmissionRun {
        AdmissionRun {
            environment: Environment::now("admission", 0, false),
            checks: vec![Checked {
                contender: LIMITER.into(),
                peer: PEER.into(),
                demand: Demand::Mixed,
                threads: 1,
                tenants: 100,
                workload: "same".into(),
                admitted: None,
                outcome,
            }],
            weighed: Vec::new(),
        }
    }

    fn run(outcome: Beside, bytes_per_tenant: f64) -> Figures {
        let mut run = one_check(outcome);
        run.weighed.push(Weighed {
            contender: LIMITER.into(),
            tenants: 1_000,
            bytes_per_tenant,
        });
        Figures::from(&run)
    }

    fn times(ratio: f64) -> Beside {
        Beside::Timed {
            ns: 50.0 * ratio,
            peer_ns: 50.0,
            ratio,
            interval: (ratio * 0.99, ratio * 1.01),
            blocks: 40,
        }
    }

    #[test]
    fn ratios_to_the_peer_and_bytes_of_tenants_are_compared() {
        let base = run(times(1.0), 40.0);
        let void = Change::NotComparable("it held less than nothing".into());
        let (busy, wrong) = ("busy".to_owned(), "decided otherwise".to_owned());
        for (now, check, bytes) in [
            (run(times(1.05), 40.0), Change::Same, Change::Same),
            (run(times(1.2), 41.0), Change::Slower, Change::More),
            (run(times(0.8), 39.0), Change::Faster, Change::Less),
            (run(times(1.0), -40.0), Change::Same, void),
            (
                run(Beside::Void(busy.clone()), 40.0),
                Change::NotComparable(busy),
                Change::Same,
            ),
            (
                run(Beside::Failed(wrong.clone()), 40.0),
                Change::Failed(wrong),
                Change::Same,
            ),
        ] {
            let comparison = Comparison::of(std::slice::from_ref(&base), &now);
            let found: Vec<(&str, &Change)> = comparison
                .compared
                .iter()
                .map(|one| (one.benchmark.as_str(), &one.change))
                .collect();
            let expected = [
                ("admission/limiter/mixed/1/100", &check),
                ("admitted_tenant/limiter/1000", &bytes),
            ];
            assert_eq!(found, expected);
        }
    }
}
