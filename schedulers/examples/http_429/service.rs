//! A small axum service: three endpoints of unequal cost behind admission, queue and turnstile.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use axum::routing::get;
use http_body_util::{BodyExt, channel::Channel};
use schedulers::admission::{Admission, Counters, Limiter, Plan, Thresholds};
use schedulers::discipline::Rotation;
use schedulers::http::{AdmissionLayer, Caller, Turn, Turnstile};
use schedulers::{Cost, Limits, Locked, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// What tenants may ask, as a file would have it.
pub(crate) const PLAN: &str = r#"{
    "default": "starter",
    "tiers": {
        "starter":    { "burst": 25,  "per_second": 5 },
        "pro":        { "burst": 100, "per_second": 20 },
        "enterprise": { "burst": 500, "per_second": 100 }
    },
    "endpoints": { "/read": 1, "/search": 5, "/export": 20, "/whoami": 0 }
}"#;

/// The keys that were handed out, whose they are and at which tier. A real service has them in a store.
const KEYS: [(&str, &str, &str); 3] = [
    ("key-of-acme", "acme", "starter"),
    ("key-of-globex", "globex", "starter"),
    ("key-of-initech", "initech", "pro"),
];

/// The queue in which requests wait.
pub(crate) type Queue = Locked<TenantQueue<Rotation, Turn>>;

/// A service that runs, and what may be looked at while it does.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    pub(crate) admission: Arc<Admission<String>>,
    pub(crate) queue: Arc<Waiting<Queue>>,
    /// How many parts of exports may still be sent: one permit, one part.
    pub(crate) parts: Arc<Semaphore>,
    turning: JoinHandle<()>,
}

/// How large the service is.
pub(crate) struct Size {
    /// Requests served at once.
    pub(crate) places: usize,
    /// Requests of one tenant served at once.
    pub(crate) in_flight_max: u32,
    /// Requests of one tenant that wait.
    pub(crate) backlog_max: u32,
}

impl Service {
    /// Starts serving on a free port of this machine. Time is the caller's.
    pub(crate) async fn start(
        size: &Size,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let plan: Plan = serde_json::from_str(PLAN).map_err(io::Error::other)?;
        let counters = Counters::new(100, Thresholds::default());
        let admission = Arc::new(Admission::new(Limiter::new(plan.clone()), counters));
        for (_, name, tier) in KEYS {
            let assigned = admission.limiter().assign(name, tier, Duration::ZERO);
            assigned.map_err(io::Error::other)?;
        }

        let Size {
            places,
            in_flight_max,
            backlog_max,
        } = *size;
        let limits = Limits {
            in_flight_max,
            backlog_max,
            ..Limits::default()
        };
        let queue = TenantQueue::new(&Settings {
            limits,
            ..Settings::default()
        });
        let queue = Arc::new(Waiting::new(Locked::new(queue)));
        let turnstile = Arc::new(Turnstile::new(Arc::clone(&queue), places));
        let turning = tokio::spawn({
            let turnstile = Arc::clone(&turnstile);
            async move { turnstile.run().await }
        });

        let authenticate = move |request: &Parts| caller(request, &plan);
        let layer = AdmissionLayer::new(Arc::clone(&admission), turnstile, clock, authenticate);
        let parts = Arc::new(Semaphore::new(0));
        let router = Router::new()
            .route("/read", get(async || "read"))
            .route("/search", get(async || "found"))
            .route("/export", get(export))
            .route("/whoami", get(whoami))
            .with_state(Arc::clone(&parts))
            .layer(layer);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self {
            address,
            admission,
            queue,
            parts,
            turning,
        })
    }

    /// Refuses whoever comes, serves whoever waits, and returns.
    pub(crate) async fn close(self) {
        self.queue.close();
        let _ = self.turning.await;
    }
}

/// Who asks, by the key of the request, and at what cost, by its path.
fn caller(request: &Parts, plan: &Plan) -> Option<Caller> {
    let key = request.headers.get("authorization")?.to_str().ok()?;
    let key = key.strip_prefix("Bearer ")?;
    let known = KEYS
        .iter()
        .zip(0_u32..)
        .find(|((known, ..), _)| *known == key);
    let ((_, name, _), handle) = known?;
    Some(Caller {
        name: (*name).to_owned(),
        tenant: Tenant::new(handle),
        cost: plan.cost(request.uri.path()).unwrap_or(Cost::UNIT),
    })
}

/// Streams three parts, each when there is a permit for it: its place is held until the last is sent.
async fn export(State(parts): State<Arc<Semaphore>>) -> Body {
    let (mut sender, body) = Channel::<Bytes>::new(1);
    tokio::spawn(async move {
        for part in ["one ", "two ", "three"] {
            let Ok(permit) = parts.acquire().await else {
                return;
            };
            permit.forget();
            if sender
                .send_data(Bytes::from_static(part.as_bytes()))
                .await
                .is_err()
            {
                return; // the client has gone
            }
        }
    });
    Body::new(body.boxed())
}

/// What of the client's own word on itself came through.
async fn whoami(headers: HeaderMap) -> String {
    let names = headers.keys().map(HeaderName::as_str);
    let claims: Vec<&str> = names
        .filter(|name| name.contains("tenant") || name.contains("rate"))
        .collect();
    format!("claims: {}", claims.join(", "))
}
