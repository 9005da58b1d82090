//! The exact answers of independent programs, where the folder that holds them is present.
//!
//! The same expectations are in `scenarios/`, so a clone alone checks them too, with `cargo lab verify`.

use std::path::Path;

use harness::drive::simulate;
use harness::record::{BurstRecord, PoolRecord};
use harness::scenario::NoisyBurst;
use harness::scheduler::Scheduler;
use harness::shared_pool::SharedPool;
use serde_json::Value;

/// The entries of a vector file; `None`, said aloud, where it is absent.
fn vectors(name: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/vectors")
        .join(name);
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there", path.display());
        return None;
    }
    let text = std::fs::read_to_string(path).expect("the file is readable");
    Some(serde_json::from_str(&text).expect("the file is a list"))
}

/// Every field that is expected is there, with that value; fields beside them are ours.
fn assert_contains(actual: &Value, expected: &Value, context: &str) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (field, value) in expected {
                assert_contains(&actual[field], value, &format!("{context}, {field}"));
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert_eq!(actual.len(), expected.len(), "{context}");
            for (index, (actual, value)) in actual.iter().zip(expected).enumerate() {
                assert_contains(actual, value, &format!("{context}, {index}"));
            }
        }
        _ => assert_eq!(actual, expected, "{context}"),
    }
}

#[test]
fn the_noisy_burst_gives_the_exact_answers() {
    for mut entry in vectors("noisy_burst.json").unwrap_or_default() {
        let fields = entry.as_object_mut().expect("an object");
        let discipline = fields.remove("discipline").expect("a discipline");
        let expected = fields.remove("expect").expect("an expectation");
        let parameters: NoisyBurst = serde_json::from_value(entry.clone()).expect("parameters");
        let name = discipline.as_str().expect("a name");
        let trace = parameters.trace().expect("a sound scenario");
        let pool = parameters.pool();
        let Some(scheduler) = Scheduler::named(name) else {
            eprintln!("SKIPPED: {name} is not registered");
            continue;
        };
        let mut queue = scheduler.build(&pool.settings(&trace));
        let log = simulate(&trace, &pool, &mut queue);
        let record = BurstRecord::new(name, &parameters, &trace, &log, 0);
        let actual = serde_json::to_value(record).expect("a record is JSON");
        assert_contains(&actual, &expected, &format!("{name} {entry}"));
    }
}

#[test]
fn the_shared_pool_gives_the_exact_answers() {
    const PARAMETERS: [&str; 8] = [
        "capacity",
        "tenant_count",
        "scan_interval_rounds",
        "rounds",
        "discipline",
        "largest_scans_fivefold",
        "small_grew",
        "chunk_units",
    ];
    for entry in vectors("shared_pool.json").unwrap_or_default() {
        let given = PARAMETERS.map(|name| (name.to_owned(), entry[name].clone()));
        let parameters: SharedPool =
            serde_json::from_value(Value::Object(given.into_iter().collect())).expect("parameters");
        let record = PoolRecord::new(&parameters, &parameters.play().expect("a sound pool"));
        let actual = serde_json::to_value(record).expect("a record is JSON");
        assert_contains(&actual, &entry, &format!("{parameters:?}"));
    }
}
