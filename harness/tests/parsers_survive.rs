//! Broken trace files by the thousand: no panic, and every refusal names the file.
//!
//! Seeded, so a failure can be had again: it prints its seed. `FUZZ_ROUNDS` asks for more rounds
//! than the few of a test run, `FUZZ_SEED` for other ones; `scripts/fuzz-traces` sets both.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use harness::drive::{Pool, simulate};
use harness::scheduler::SCHEDULERS;
use harness::trace::{ReadOptions, format_names, read};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::Limits;

const SAMPLES: [&str; 6] = [
    "; Version: 2.2\n1 0 5 10 1 -1 -1 1 -1 -1 1 7 1 -1 1 -1 -1 -1\n2 3 -1 -1 1 -1 -1 1 -1 -1 0 8 1 -1 1 -1 -1 -1\n",
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8",
    "app,func,end_timestamp,duration\na,f,0.5,0.25\nb,g,57.15786004066467,57.154\n",
    "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1]}\n{\"timestamp\": 5, \"input_length\": 1, \"output_length\": 1, \"hash_ids\": []}\n",
    "time,tenant,cost\n1,a,2\n2,\"b, c\",3\n",
    "0,0,0,,0,0\n600,0.085,6.69,Gamma,0.0223,73.0\n1200,0.1,1.1,Weibull,0.8,2.0\n",
];

/// Texts that have broken parsers.
const TOKENS: [&str; 18] = [
    "NaN",
    "inf",
    "-1",
    "1e309",
    "1e18",
    "18446744073709551616",
    "-0",
    "\"",
    ",",
    "\n",
    "\r",
    "{",
    "[[[[",
    "\u{feff}",
    "\0",
    ";",
    " ",
    "version https://git-lfs.github.com/spec/v1",
];

/// Says which seed it was, should the test fail in its course.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with FUZZ_SEED={} FUZZ_ROUNDS=1", self.0);
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// A sample with a few edits.
fn broken(random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut bytes = SAMPLES[random.random_range(0..SAMPLES.len())]
        .as_bytes()
        .to_vec();
    for _ in 0..random.random_range(0..6) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..5) {
            0 if at < bytes.len() => bytes[at] = random.random(),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..(at + random.random_range(0..20)).min(bytes.len()))),
            3 => bytes.extend_from_within(at..),
            _ => {
                let token = TOKENS[random.random_range(0..TOKENS.len())].as_bytes();
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
    bytes
}

fn compressed(bytes: &[u8], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    let mut bytes = encoder.finish().expect("memory takes it");
    if random.random::<bool>() {
        let at = random.random_range(0..bytes.len());
        bytes[at] = random.random();
    }
    bytes
}

/// An archive of one client, or what is left of it.
fn archived(bytes: &[u8], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_cksum();
    let mut archive = tar::Builder::new(Vec::new());
    archive
        .append_data(&mut header, "clients/chunk-3-trace.csv", bytes)
        .expect("memory takes it");
    let mut bytes = archive.into_inner().expect("memory takes it");
    if random.random::<bool>() {
        bytes.truncate(random.random_range(1..bytes.len()));
    }
    bytes
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lab-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable folder for temporary files");
    folder
}

/// Reads the file in every way; what can be read is also run.
fn try_all(file: &Path) {
    let formats = format_names().into_iter().map(|name| Some(name.to_owned()));
    for format in formats.chain([None]) {
        for lenient in [false, true] {
            let options = ReadOptions {
                format: format.clone(),
                lenient,
                jobs_max: Some(1_000),
                ..ReadOptions::default()
            };
            match read(file, &options) {
                Ok(source) => {
                    let jobs = source.trace.jobs();
                    assert!(!jobs.is_empty() && jobs.is_sorted_by_key(|job| job.arrival_us));
                    let pool = Pool {
                        workers: 2,
                        limits: Limits::default(),
                        rate_limit: None,
                    };
                    let mut queue = SCHEDULERS[0].build(&pool.settings(&source.trace));
                    assert_eq!(
                        simulate(&source.trace, &pool, &mut queue).events.len(),
                        jobs.len() * 3
                    );
                }
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        message.starts_with(&file.display().to_string()),
                        "{message}"
                    );
                    assert!(message.len() < 1_000, "a message is a sentence: {message}");
                }
            }
        }
    }
}

#[test]
fn broken_files_are_read_or_refused_and_never_panic() {
    let first = setting("FUZZ_SEED", 0);
    for seed in first..first + setting("FUZZ_ROUNDS", 400) {
        let _said_on_failure = Seed(seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut bytes = broken(&mut random);
        let mut name = "broken.csv";
        if random.random_range(0..4) == 0 {
            bytes = archived(&bytes, &mut random);
        }
        if random.random_range(0..3) == 0 {
            bytes = compressed(&bytes, &mut random);
            name = "broken.csv.gz";
        }
        let file = folder().join(name);
        std::fs::write(&file, bytes).expect("a writable file");
        try_all(&file);
    }
}

#[test]
fn a_line_without_end_takes_no_memory() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..16 {
        encoder.write_all(&zeros).expect("memory takes it");
    }
    let file = folder().join("bomb.swf.gz");
    std::fs::write(&file, encoder.finish().expect("memory takes it")).expect("a writable file");
    let options = ReadOptions {
        format: Some("swf".to_owned()),
        ..ReadOptions::default()
    };
    let message = read(&file, &options)
        .expect_err("it is no text of lines")
        .to_string();
    assert!(
        message.contains("bomb.swf.gz:1: the line is longer than"),
        "{message}"
    );
}
