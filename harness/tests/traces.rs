//! Trace files, good and bad: counts that a reader must reproduce, and errors that say where.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use harness::trace::{ReadOptions, Source, read};

const SWF_LINE: &str = "1 0 5 10 1 -1 -1 1 -1 -1 1 7 1 -1 1 -1 -1 -1";

fn strict() -> ReadOptions {
    ReadOptions::default()
}

fn lenient() -> ReadOptions {
    ReadOptions {
        lenient: true,
        ..strict()
    }
}

/// A file of this name with this content, in a folder of the test's own.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("lab-traces-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a writable folder for temporary files");
    let path = directory.join(name);
    std::fs::write(&path, content).expect("a writable file");
    path
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// The message of a file that must not be read.
fn refusal(name: &str, content: &[u8]) -> String {
    match read(&file(name, content), &strict()) {
        Ok(source) => panic!("{name} was read: {} jobs", source.trace.jobs().len()),
        Err(error) => error.to_string(),
    }
}

fn assert_refused(name: &str, content: &str, line: u32, why: &str) {
    let message = refusal(name, content.as_bytes());
    assert!(message.contains(&format!("{name}:{line}: ")), "{message}");
    assert!(message.contains(why), "{message}");
}

/// A trace that is shipped with the lab, or lies beside the workspace; `None`, said aloud, where not.
fn trace(name: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = [
        here.join("traces"),
        here.join("../benches/traces"),
        here.join("../../shared/traces"),
    ]
    .into_iter()
    .map(|folder| folder.join(name))
    .find(|path| path.exists());
    if path.is_none() {
        eprintln!("SKIPPED: {name} is not there");
    }
    path
}

fn read_trace(name: &str) -> Option<Source> {
    trace(name).map(|path| read(&path, &strict()).expect("a sound trace"))
}

fn skipped(source: &Source) -> u64 {
    source.skipped.values().sum()
}

#[test]
fn accasim_has_crlf_no_header_and_no_final_newline() {
    let source = read_trace("accasim-crlf-25jobs.swf").expect("it is shipped");
    assert_eq!(
        (
            source.trace.jobs().len(),
            source.trace.tenants(),
            skipped(&source)
        ),
        (25, 5, 0)
    );
    assert_eq!(
        source.trace.jobs()[0].arrival_us,
        0,
        "arrivals count from the first"
    );
}

#[test]
fn azure_functions_arrive_at_their_end_less_their_duration() {
    let source = read_trace("azure-functions-2021-head199.csv").expect("it is shipped");
    let jobs = source.trace.jobs();
    assert_eq!(
        (jobs.len(), source.trace.tenants(), skipped(&source)),
        (199, 13, 0)
    );
    let ends_go_back = jobs
        .windows(2)
        .filter(|pair| {
            pair[1].arrival_us + pair[1].service_us < pair[0].arrival_us + pair[0].service_us
        })
        .count();
    assert_eq!(ends_go_back, 83);
}

#[test]
fn azure_llm_names_no_tenants_and_says_so() {
    let source = read_trace("azure-llm-2023-code.csv").expect("it is shipped");
    let jobs = source.trace.jobs();
    assert_eq!(
        (jobs.len(), source.trace.tenants(), skipped(&source)),
        (8_819, 100, 0)
    );
    assert_eq!(
        jobs[0].cost.units(),
        4_818,
        "the last column is the integer 10, whatever the line ending"
    );
    assert!(source.tenants_from.contains("Zipf") && source.tenants_from.contains("seed 0"));
    let path = trace("azure-llm-2023-code.csv").expect("it was there");
    let other = read(
        &path,
        &ReadOptions {
            seed: 1,
            ..strict()
        },
    )
    .expect("a sound trace");
    let again = read(&path, &strict()).expect("a sound trace");
    assert_eq!(
        again.trace, source.trace,
        "the same seed gives the same tenants"
    );
    assert_ne!(other.trace, source.trace, "another seed gives others");
}

#[test]
fn mooncake_requests_at_one_instant_keep_the_order_of_the_file() {
    let Some(source) = read_trace("mooncake-conversation.jsonl.gz") else {
        return;
    };
    let jobs = source.trace.jobs();
    let times: std::collections::BTreeSet<u64> = jobs.iter().map(|job| job.arrival_us).collect();
    assert_eq!(
        (jobs.len(), source.trace.tenants(), times.len()),
        (12_031, 7_373, 1_180)
    );
    assert_eq!(
        [0, 1, 2].map(|place| jobs[place].cost.units()),
        [7_258, 7_812, 8_030]
    );
}

#[test]
fn hpc2n_skips_unknown_run_times_and_counts_them() {
    let Some(source) = read_trace("hpc2n-2002-excerpt.swf") else {
        return;
    };
    assert_eq!(
        (
            source.trace.jobs().len(),
            source.trace.tenants(),
            skipped(&source)
        ),
        (3_145, 17, 25)
    );
}

#[test]
fn a_limit_counts_jobs_not_comments() {
    let Some(path) = trace("hpc2n-2002-excerpt.swf") else {
        return;
    };
    let source = read(
        &path,
        &ReadOptions {
            jobs_max: Some(30),
            ..strict()
        },
    )
    .expect("a sound trace");
    assert_eq!(source.trace.jobs().len(), 30);
}

#[test]
fn a_limit_counts_jobs_past_a_comment_in_mid_file() {
    let content = format!("{SWF_LINE}\n; a comment\n\n{SWF_LINE}\n{SWF_LINE}\n");
    let options = ReadOptions {
        jobs_max: Some(2),
        ..strict()
    };
    let source = read(&file("comment.swf", content.as_bytes()), &options).expect("a sound trace");
    assert_eq!(source.trace.jobs().len(), 2);
}

#[test]
fn nasa_has_free_jobs() {
    let Some(source) = read_trace("nasa-ipsc-1993-cln.swf.gz") else {
        return;
    };
    let free = source
        .trace
        .jobs()
        .iter()
        .filter(|job| job.cost.units() == 0)
        .count();
    assert_eq!(
        (source.trace.jobs().len(), source.trace.tenants(), free),
        (18_239, 69, 173)
    );
}

#[test]
fn servegen_clients_generate_what_they_promise() {
    let Some(source) = read_trace("servegen-deepseek-r1-clients.tar.gz") else {
        return;
    };
    let jobs = source.trace.jobs().len();
    assert!(
        (1_375_000..1_390_000).contains(&jobs),
        "{jobs} of 1.38 M expected requests"
    );
    assert_eq!(source.trace.tenants(), 73);
}

#[test]
fn swf_takes_more_fields_unknown_users_job_0_and_epoch_times() {
    let extended = SWF_LINE
        .replace("1 0 5", "0 1700000000 5")
        .replace(" 7 1 -1 1", " -1 1 -1 1")
        + " 9 9 {1,2}";
    let source =
        read(&file("extended.swf", extended.as_bytes()), &strict()).expect("a sound trace");
    assert_eq!(
        (source.trace.jobs().len(), source.trace.name(0.into())),
        (1, "user -1")
    );
}

#[test]
fn a_bad_file_is_refused_with_its_name_and_line() {
    let azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    assert_refused("empty.csv", "", 1, "empty");
    assert_refused("header.csv", azure, 1, "without a job");
    assert_refused("comments.swf", "; Version: 2.2\n;\n", 2, "without a job");
    assert_refused(
        "lfs.csv",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        1,
        "Git LFS pointer, not data",
    );
    assert_refused("bom.csv", "\u{feff}time,cost\n1,2\n", 1, "byte order mark");
    assert_refused("plain.csv.gz", "time,cost\n1,2\n", 1, "not gzip");
    assert_refused("unknown.bin", "hello\n", 1, "not recognised");
    assert_refused("no-time.csv", "when,cost\n1,2\n", 1, "no column \"time\"");
    assert_refused(
        "few.swf",
        &format!("{SWF_LINE}\n1 2 3\n"),
        2,
        "3 fields instead of 18",
    );
    assert_refused("back.csv", "time\n2\n1\n", 3, "goes back by 1000000 us");
    assert_refused("nan.csv", "time,cost\n1,2\nNaN,2\n", 3, "not a number");
    assert_refused("infinite.csv", "time\ninf\n", 2, "not a number");
    assert_refused("negative.csv", "time,cost\n1,-2\n", 2, "negative");
    assert_refused("huge.csv", "time,cost\n1e300,2\n", 2, "absurdly large");
    assert_refused("heavy.csv", "time,cost\n1,1e18\n", 2, "absurdly large");
    assert_refused("blank.csv", "time,tenant\n,a\n", 2, "time is blank");
    assert_refused("nobody.csv", "time,tenant\n1, \n", 2, "tenant is blank");
    assert_refused(
        "llm.csv",
        &format!("{azure}2023-11-16 18:17:03.1,1,\n"),
        2,
        "GeneratedTokens is blank",
    );
    assert_refused(
        "day.csv",
        &format!("{azure}2023-02-30 18:17:03.1,1,1\n"),
        2,
        "not a time",
    );
    assert_refused("bad.jsonl", "{\"time\": 1}\n{\"time\": \n", 2, "EOF");
    assert_refused(
        "negative-start.csv",
        "app,func,end_timestamp,duration\na,b,1,2\n",
        2,
        "before time 0",
    );
    let long = format!("time\n{}\n", "1".repeat(2_000_000));
    assert_refused("long.csv", &long, 2, "longer than");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert!(
        refusal("binary.csv", b"time\n\xff\xfe\n").contains("binary.csv:2: the line is not UTF-8")
    );
}

#[test]
fn a_truncated_gzip_is_refused_and_never_read_in_part() {
    let lines: Vec<String> = (0..5_000)
        .map(|time| format!("{time},{}", time * 7919 % 1009))
        .collect();
    let whole = gzipped(format!("time,cost\n{}\n", lines.join("\n")).as_bytes());
    let source = read(&file("whole.csv.gz", &whole), &strict()).expect("a sound trace");
    assert_eq!(source.trace.jobs().len(), 5_000);
    for length in [3, 12, whole.len() / 2, whole.len() - 1] {
        let message = refusal("cut.csv.gz", &whole[..length]);
        assert!(
            message.contains("cut.csv.gz:") && message.contains("truncated"),
            "{length}: {message}"
        );
    }
}

#[test]
fn leniency_sorts_skips_and_counts() {
    let content = "\u{feff}time,tenant,cost\n2,a,1\n1,b,1\nx,a,1\n3,a\n4,a,-1\n5,a,NaN\n";
    let source =
        read(&file("messy.csv", content.as_bytes()), &lenient()).expect("two jobs are left");
    let arrivals: Vec<u64> = source
        .trace
        .jobs()
        .iter()
        .map(|job| job.arrival_us)
        .collect();
    assert_eq!(arrivals, [0, 1_000_000]);
    assert_eq!((source.reordered, skipped(&source)), (1, 4));
    assert_eq!(
        source.trace.name(0.into()),
        "b",
        "tenants are in the order of their first job"
    );
}

#[test]
fn leniency_does_not_invent_columns_or_jobs() {
    for (name, content) in [
        ("no-column.csv", "when,what\n1,2\n"),
        ("nothing.csv", "time\nx\ny\n"),
    ] {
        assert!(
            read(&file(name, content.as_bytes()), &lenient()).is_err(),
            "{name}"
        );
    }
}

#[test]
fn columns_are_mapped_and_those_that_were_named_must_exist() {
    let path = file(
        "mapped.csv",
        b"ts,\"the customer\",tokens\n1500,\"a, b\",7\n",
    );
    let options = |columns: &str| ReadOptions {
        columns: columns.parse().expect("a mapping"),
        ..strict()
    };
    let source =
        read(&path, &options("time=ts,tenant=the customer,cost=tokens")).expect("a sound trace");
    assert_eq!(
        (
            source.trace.name(0.into()),
            source.trace.jobs()[0].cost.units()
        ),
        ("a, b", 7)
    );
    let error =
        read(&path, &options("time=ts,tenant=customer")).expect_err("there is no such column");
    assert!(
        error
            .to_string()
            .contains("mapped.csv:1: no column \"customer\""),
        "{error}"
    );
}

#[test]
fn a_missing_file_and_a_folder_without_clients_are_refused() {
    assert!(read(Path::new("no-such-file.csv"), &strict()).is_err());
    let folder = std::env::temp_dir().join(format!("lab-empty-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable folder for temporary files");
    assert!(
        read(&folder, &strict())
            .expect_err("no clients")
            .to_string()
            .contains("no requests")
    );
}
