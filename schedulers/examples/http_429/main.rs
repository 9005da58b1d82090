//! An HTTP service that refuses early, queues fairly, and says when to come back.
//!
//! `cargo run --release -p schedulers --example http_429 --features http` lets a noisy client ask at
//! twenty times its rate, beside a quiet one that obeys `Retry-After`, and prints what became of both.
//! With `-- serve` the service stays up, for `curl`.

#[allow(dead_code)] // the test of this example looks at more of it
mod service;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use schedulers::SharedFairQueue;
use schedulers::admission::{Backoff, Clock, Layer};
use service::{Service, Size};
use tokio::runtime::Runtime;

const SIZE: Size = Size {
    places: 8,
    in_flight_max: 4,
    backlog_max: 50,
};

const USAGE: &str = "\
usage: cargo run -p schedulers --example http_429 --features http [-- serve]

Without arguments: a noisy client and a quiet one ask, and the counters are printed.
serve: stays up, and prints what to try with curl. Keys: key-of-acme and key-of-globex
(25 tokens, 5 a second), key-of-initech (100, 20 a second). A request to /read costs 1,
/search 5, /export 20, /whoami nothing. An export sends its parts one by one, and its place is
held until the last is sent.";

/// From one part of an export to the next.
const PART_EVERY: Duration = Duration::from_millis(500);

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let stays_up = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["serve"] => true,
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let clock = Clock::start();
    let service = runtime.block_on(Service::start(&SIZE, move || clock.now()))?;
    if stays_up {
        stay_up(&service);
    }
    two_clients(&runtime, service, clock);
    Ok(ExitCode::SUCCESS)
}

fn stay_up(service: &Service) -> ! {
    let base = format!("http://{}", service.address);
    println!("try: curl -i -H 'Authorization: Bearer key-of-acme' {base}/read");
    println!("or:  curl -N -H 'Authorization: Bearer key-of-initech' {base}/export");
    loop {
        thread::sleep(PART_EVERY);
        if service.parts.available_permits() == 0 {
            service.parts.add_permits(1);
        }
    }
}

fn two_clients(runtime: &Runtime, service: Service, clock: Clock) {
    let base = format!("http://{}", service.address);
    let quiet = thread::spawn({
        let url = format!("{base}/read");
        move || ask_politely(&url, "key-of-globex", 10)
    });
    // A burst of 100 at 25 and 5 a second: most is refused, and nobody else notices.
    for _ in 0..100 {
        let _ = ask(&format!("{base}/read"), "key-of-acme");
    }
    let retries = quiet.join().expect("the quiet client does not panic");

    println!("tenant      admitted   refused by rate   refused by backlog");
    for count in service.admission.counters().report(clock.now()) {
        let Some(tenant) = &count.tenant else {
            continue;
        };
        let [rate, backlog] =
            [Layer::RateLimit, Layer::Backlog].map(|layer| count.refused[layer as usize]);
        println!(
            "{tenant:<10} {:>9} {rate:>17} {backlog:>20}",
            count.admitted
        );
    }
    println!("the quiet client was served 10 times, with {retries} retries");
    let queue = Arc::clone(&service.queue);
    runtime.block_on(service.close());
    println!("closed with {} requests waiting", queue.len());
}

/// The status, and what `Retry-After` says.
fn ask(url: &str, key: &str) -> Result<(u16, Option<Duration>), ureq::Error> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build();
    let request = ureq::Agent::from(config)
        .get(url)
        .header("authorization", format!("Bearer {key}"));
    let response = request.call()?;
    let retry_after = response.headers().get("retry-after");
    let seconds = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    Ok((response.status().as_u16(), seconds.map(Duration::from_secs)))
}

/// Asks until it has been served so often, and waits as it is told. How often it had to.
fn ask_politely(url: &str, key: &str, times: u32) -> u32 {
    let backoff = Backoff {
        base: Duration::from_millis(50),
        cap: Duration::from_secs(5),
    };
    let (mut served, mut retries, mut failures) = (0, 0, 0);
    while served < times {
        match ask(url, key) {
            Ok((200, _)) => {
                served += 1;
                failures = 0;
                thread::sleep(Duration::from_millis(100));
            }
            Ok((_, retry_after)) => {
                thread::sleep(backoff.wait(failures, retry_after));
                retries += 1;
                failures += 1;
            }
            Err(error) => panic!("the service does not answer: {error}"),
        }
    }
    retries
}
