//! A verification as a page: a line for each scenario, and one for each check that did not pass.

use crate::scenario::Scenario;
use crate::verify::{Check, Outcome};
use records::page::{Page, Table};

/// The page of a verification.
#[must_use]
pub fn verify_page(scenarios: &[Scenario], checks: &[Check]) -> Page {
    let mut summary = Table::new(
        "Scenarios",
        &["scenario", "passed", "failed", "skipped", "about"],
    );
    for scenario in scenarios {
        let count = |outcome| {
            let counted = checks
                .iter()
                .filter(|check| check.scenario == scenario.name && check.outcome == outcome);
            counted.count().to_string()
        };
        summary.row([
            scenario.name.clone(),
            count(Outcome::Passed),
            count(Outcome::Failed),
            count(Outcome::Skipped),
            scenario.about.clone(),
        ]);
    }
    let mut others = Table::new(
        "Not passed",
        &["scenario", "check", "scheduler", "outcome", "why"],
    );
    for check in checks
        .iter()
        .filter(|check| check.outcome != Outcome::Passed)
    {
        for reason in &check.reasons {
            others.row([
                check.scenario.clone(),
                check.what.clone(),
                check.scheduler.clone(),
                format!("{:?}", check.outcome).to_uppercase(),
                reason.clone(),
            ]);
        }
    }
    let mut tables = vec![summary];
    tables.extend((!others.rows.is_empty()).then_some(others));
    Page { tables }
}
