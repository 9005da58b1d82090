//! An HTTP service that refuses early, queues fairly, and says when to come back.
//!
//! `cargo run --release -p schedulers --example http_429 --features http` lets a noisy client ask at
//! twenty times its rate, beside a quiet one that obeys `Retry-After`, and prints what became of both.
//! With `-- serve` the service stays up, for `curl`.

#[allow(dead_code)] // the test of this example looks at more of it
mod service;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use schedulers::SharedFairQueue;
use schedulers::admission::{Backoff, Clock, Layer};
use service::{Service, Size};

const SIZE: Size = Size {
    places: 8,
    in_flight_max: 4,
    backlog_max: 50,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let clock = Clock::start();
    let service = runtime.block_on(Service::start(&SIZE, move || clock.now()))?;
    let base = format!("http://{}", service.address);
    if std::env::args().nth(1).as_deref() == Some("serve") {
        println!("try: curl -i -H 'Authorization: Bearer key-of-acme' {base}/read");
        loop {
            thread::park();
        }
    }

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
    Ok(())
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
