//! The HTTP example over a real socket. Its time is the test's, so nothing here waits for a second to
//! pass, and counts are exact.

#[path = "../examples/http_429/service.rs"]
mod service;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use schedulers::{SharedFairQueue, Tenant};
use serde_json::Value;
use service::{Service, Size};
use tokio::runtime::Runtime;

const ACME: (&str, Tenant) = ("key-of-acme", Tenant::new(0));
const GLOBEX: (&str, Tenant) = ("key-of-globex", Tenant::new(1));

/// A service, the runtime that it runs on, and the time that it is told.
struct Stage {
    service: Service,
    seconds: Arc<AtomicU64>,
    runtime: Runtime,
}

struct Answer {
    status: u16,
    headers: ureq::http::HeaderMap,
    text: String,
}

impl Stage {
    fn new(places: usize, in_flight_max: u32, backlog_max: u32) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let seconds = Arc::new(AtomicU64::new(0));
        let clock = {
            let seconds = Arc::clone(&seconds);
            move || Duration::from_secs(seconds.load(Ordering::SeqCst))
        };
        let size = Size {
            places,
            in_flight_max,
            backlog_max,
        };
        let service = runtime.block_on(Service::start(&size, clock)).unwrap();
        Self {
            service,
            seconds,
            runtime,
        }
    }

    fn roomy() -> Self {
        Self::new(8, 4, 50)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.service.address)
    }

    fn ask(&self, path: &str, key: &str) -> Answer {
        ask(&self.url(path), key, &[])
    }

    fn pass(&self, seconds: u64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }
}

fn ask(url: &str, key: &str, headers: &[(&str, &str)]) -> Answer {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build();
    let mut request = ureq::Agent::from(config)
        .get(url)
        .header("authorization", format!("Bearer {key}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.call().unwrap();
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        text: response.body_mut().read_to_string().unwrap(),
    }
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

/// What another thread or task does comes to pass soon, or the test has failed.
fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "waited in vain: {what}"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_noisy_client_at_twenty_times_its_rate_does_not_harm_a_quiet_one() {
    let stage = Stage::roomy();
    let (mut noisy_served, mut quiet_served) = (0, 0);
    for _ in 0..5 {
        for _ in 0..100 {
            let answer = stage.ask("/read", ACME.0);
            match answer.status {
                200 => noisy_served += 1,
                429 => assert_eq!(answer.header("retry-after"), Some("1")),
                other => panic!("{other}: {}", answer.text),
            }
        }
        for _ in 0..2 {
            quiet_served += u32::from(stage.ask("/read", GLOBEX.0).status == 200);
        }
        stage.pass(1);
    }
    assert_eq!((noisy_served, quiet_served), (25 + 4 * 5, 10));
    let counts = stage.service.admission.counters().report(Duration::ZERO);
    let counted: Vec<_> = counts
        .iter()
        .map(|count| (count.admitted, count.asked()))
        .collect();
    assert_eq!(counted, [(45, 500), (10, 10), (0, 0)]);
}

#[test]
fn a_refusal_says_when_to_come_back_and_a_retry_that_obeys_succeeds() {
    let stage = Stage::roomy();
    assert_eq!(stage.ask("/export?of=nothing", "key-of-nobody").status, 401);
    // An export costs 20 of 25 tokens, and its parts need permits; a search costs 5.
    for _ in 0..5 {
        assert_eq!(stage.ask("/search", ACME.0).status, 200);
    }
    let refused = stage.ask("/search", ACME.0);
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("1"))
    );
    assert_eq!(
        refused.header("ratelimit-policy"),
        Some("\"tokens\";q=25;w=5")
    );
    assert_eq!(refused.header("ratelimit"), Some("\"tokens\";r=0;t=5"));
    let text = refused.json();
    assert_eq!(text["refused_by"], "rate_limit");
    assert_eq!(
        text["message"],
        "too many requests in a short time: try again in 1 s"
    );
    assert_eq!(text["retry_after_s"], 1);

    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    stage.pass(wait);
    let served = stage.ask("/search", ACME.0);
    assert_eq!((served.status, served.text.as_str()), (200, "found"));
    assert_eq!(served.header("ratelimit"), Some("\"tokens\";r=0;t=5"));
}

#[test]
fn what_a_client_says_of_itself_is_not_believed() {
    let stage = Stage::roomy();
    let claims = [
        ("x-tenant", "globex"),
        ("X-Tenant-Id", "1"),
        ("Tenant", "globex"),
        ("RateLimit", "\"tokens\";r=1000"),
        ("RateLimit-Policy", "\"tokens\";q=1000"),
        ("ratelimit-reset", "0"),
        ("x-ratelimit-limit", "1000"),
        ("x-ratelimit-remaining", "9"),
        ("x-ratelimit-reset", "0"),
        ("X-Rate-Limit-Remaining", "9"),
    ];
    let answer = ask(&stage.url("/whoami"), ACME.0, &claims);
    assert_eq!(answer.text, "claims: ");
    let unknown = ask(&stage.url("/read"), "no-such-key", &claims);
    assert_eq!(
        (unknown.status, unknown.json()["error"].as_str()),
        (401, Some("unauthenticated"))
    );
}

#[test]
fn a_place_is_held_until_the_last_byte_and_the_next_request_waits_for_it() {
    let stage = Stage::new(1, 1, 50);
    let Stage { service, .. } = &stage;
    let (export, read) = (stage.url("/export"), stage.url("/read"));
    let exporter = thread::spawn(move || ask(&export, ACME.0, &[]));
    until("the export is being served", || {
        service.queue.in_flight(ACME.1) == 1
    });
    let reader = thread::spawn(move || ask(&read, GLOBEX.0, &[]));
    until("the read waits", || service.queue.backlog(GLOBEX.1) == 1);

    service.parts.add_permits(2);
    until("two parts were sent", || {
        service.parts.available_permits() == 0
    });
    assert_eq!(
        (
            service.queue.in_flight(ACME.1),
            service.queue.backlog(GLOBEX.1)
        ),
        (1, 1)
    );
    service.parts.add_permits(1);
    assert_eq!(exporter.join().unwrap().text, "one two three");
    assert_eq!(reader.join().unwrap().status, 200);
    until("all places are free", || {
        service.queue.in_flight(ACME.1) + service.queue.in_flight(GLOBEX.1) == 0
    });
}

#[test]
fn a_client_that_goes_away_leaves_its_place_and_its_line() {
    let stage = Stage::new(1, 1, 50);
    let Stage { service, .. } = &stage;
    let open = |path: &str, key: &str| {
        use std::io::Write;
        let mut socket = std::net::TcpStream::connect(service.address).unwrap();
        write!(
            socket,
            "GET {path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {key}\r\n\r\n"
        )
        .unwrap();
        socket
    };
    let served = open("/export", ACME.0);
    until("the export is being served", || {
        service.queue.in_flight(ACME.1) == 1
    });
    let waiting = open("/read", GLOBEX.0);
    until("the read waits", || service.queue.backlog(GLOBEX.1) == 1);
    drop(waiting);
    until("it left the line", || service.queue.is_empty());
    assert_eq!(service.queue.in_flight(ACME.1), 1);
    drop(served);
    until("its place is free", || service.queue.in_flight(ACME.1) == 0);
    assert_eq!(stage.ask("/read", GLOBEX.0).status, 200);
}

#[test]
fn a_full_backlog_is_429_and_a_closing_service_503() {
    let stage = Stage::new(1, 1, 1);
    let Stage { service, .. } = &stage;
    let export = stage.url("/export");
    let exporter = thread::spawn(move || ask(&export, ACME.0, &[]));
    until("the export is being served", || {
        service.queue.in_flight(ACME.1) == 1
    });
    let read = stage.url("/read");
    let reader = thread::spawn(move || ask(&read, ACME.0, &[]));
    until("a read waits", || service.queue.backlog(ACME.1) == 1);

    let refused = stage.ask("/read", ACME.0);
    assert_eq!(
        (refused.status, refused.json()["refused_by"].as_str()),
        (429, Some("backlog"))
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    // What the refused one cost was given back: 25, less an export and a read.
    assert_eq!(refused.header("ratelimit"), Some("\"tokens\";r=4;t=5"));

    service.queue.close();
    let closing = stage.ask("/read", GLOBEX.0);
    assert_eq!(
        (closing.status, closing.json()["refused_by"].as_str()),
        (503, Some("service"))
    );
    assert_eq!(closing.header("retry-after"), None);
    service.parts.add_permits(3);
    assert_eq!(exporter.join().unwrap().status, 200);
    assert_eq!(reader.join().unwrap().status, 200);
    let Stage {
        service, runtime, ..
    } = stage;
    runtime.block_on(service.close());
}
