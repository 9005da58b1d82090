//! Admission in front of what the lab runs: what limits let through, and what coming back costs.

use serde_json::Value;

use super::{json, trace};

#[test]
fn limits_that_nobody_reaches_change_nothing() {
    let file = trace("azure-functions-2021-head199.csv");
    let most = "4294967295";
    let limits = ["--rate", most, "--burst", most, "--backlog-max", most];
    let verbs: [&[&str]; 4] = [
        &["simulate", "--scheduler", "rotation", "--burst-jobs", "50"],
        &["pool", "--scheduler", "rotation", "--rounds", "20"],
        &["pool", "--discipline", "fair-share", "--rounds", "20"],
        &["replay", &file, "--scheduler", "rotation"],
    ];
    for arguments in verbs {
        let without = |mut document: Value| {
            let rows = document["schedulers"].as_array_mut();
            for row in rows.map_or(vec![], |rows| rows.iter_mut().collect()) {
                row["rate_limit"] = Value::Null;
            }
            document["rate_limit"] = Value::Null;
            document["backlog_max"] = Value::Null;
            document
        };
        let limited = json(&[arguments, &limits].concat());
        assert_eq!(without(limited), without(json(arguments)), "{arguments:?}");
    }
}

/// One tenant that asks for 416 units in the first round and 417 or 416 in each of the next nine.
#[test]
fn the_pool_lets_through_what_its_limits_say() {
    let one = [
        "pool",
        "--tenants",
        "1",
        "--capacity",
        "1",
        "--rounds",
        "10",
    ];
    let asked = 4_166;
    for order in [
        ["--discipline", "arrival-order"],
        ["--discipline", "fair-share"],
        ["--scheduler", "fifo"],
    ] {
        for (limits, through, by_rate) in [
            (&["--rate", "2"][..], 10 * 2, asked - 20),
            (&["--rate", "2", "--burst", "7"], 7 + 9 * 2, asked - 25),
            (&["--rate", "2", "--endpoint-costs", "small=0"], asked, 0),
            // Three wait, and in each further round one more has room.
            (&["--backlog-max", "3"], 3 + 9, 0),
            (&["--rate", "0", "--burst", "0"], 0, asked),
        ] {
            let document = json(&[&one[..], &order, limits].concat());
            let found =
                ["requests", "refused", "rate_limited"].map(|field| document[field].as_u64());
            let expected = [through, asked - through, by_rate].map(Some);
            assert_eq!(found, expected, "{order:?} {limits:?}");
        }
    }
}

#[test]
fn coming_back_costs_refusals_and_loses_nothing() {
    let strategies = |retry: &str| {
        let short = ["strategies", "--burst-jobs", "125", "--retry", retry];
        let Value::Array(rows) = json(&short)["strategies"].take() else {
            panic!("a list")
        };
        rows
    };
    // Of 125, 25 pass at once, and then five in a second.
    let held = 100;
    for (retry, given_up, refusals) in [
        ("never", held, held),
        // Once at first, and after five in each second but the last.
        ("obey", 0, held / 5),
        ("hammer=100", 0, held + held * held),
    ] {
        let rows = strategies(retry);
        let row = |name: &str| {
            rows.iter()
                .find(|row| row["strategy"] == name)
                .expect("it is there")
        };
        let refuse = row("refuse");
        let found = ["rejected", "rate_limited", "noisy_refusals", "refusals"]
            .map(|field| refuse[field].as_u64());
        assert_eq!(
            found,
            [given_up, given_up, refusals, refusals].map(Some),
            "{retry}"
        );
        if retry != "never" {
            assert_eq!(refuse["noisy_after_burst_us"], 20_100_000, "{retry}");
            assert_eq!(refuse["noisy_waits"]["max_us"], 20_000_000, "{retry}");
        }
        assert_eq!(row("queue fairly")["refusals"], 0, "{retry}");
        assert_eq!(row("queue fairly")["noisy_done"], 125, "{retry}");
    }
}

/// How many of the burst get through depends on how fast it is pushed, but for those of the first instant.
#[test]
fn real_workers_are_spared_what_the_rate_limit_refuses() {
    let short = [
        "run",
        "--scheduler",
        "fifo",
        "--scale",
        "100",
        "--runs",
        "1",
    ];
    let limits = ["--rate", "5", "--burst", "25", "--burst-jobs", "200"];
    for workers_as in ["threads", "tasks"] {
        let document = json(&[&short[..], &limits, &["--workers-as", workers_as]].concat());
        let row = &document["schedulers"][0];
        let [done, refused] = ["noisy_done", "rejected"].map(|field| row[field]["median"].as_u64());
        let (done, refused) = (done.expect("a count"), refused.expect("a count"));
        assert!(done >= 25 && refused > 0, "{workers_as}: {row}");
        assert_eq!(done + refused, 200, "{workers_as}: {row}");
        assert_eq!(row["simulated"]["rate_limited"], 175, "{workers_as}");
    }
}
