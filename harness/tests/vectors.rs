//! The exact answers of independent programs, where the folder that holds them is present.
//!
//! The same expectations are in `scenarios/`, so a clone alone checks them too, with `cargo lab verify`.

use std::path::Path;

use harness::drive::simulate;
use harness::record::BurstRecord;
use harness::scenario::NoisyBurst;
use harness::scheduler::Scheduler;
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

fn assert_fields(actual: &Value, expected: &Value, context: &str) {
    for (field, value) in expected.as_object().expect("an object of fields") {
        assert_eq!(&actual[field], value, "{field} of {context}");
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
        let mut queue = Scheduler::named(name)
            .expect("registered")
            .build(&pool.settings(&trace));
        let log = simulate(&trace, &pool, &mut queue);
        let record = BurstRecord::new(name, &parameters, &trace, &log, 0);
        let actual = serde_json::to_value(record).expect("a record is JSON");
        assert_fields(&actual, &expected, &format!("{name} {entry}"));
    }
}
