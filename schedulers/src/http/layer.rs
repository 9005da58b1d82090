//! The layer and its service.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::json;
use tower_layer::Layer;
use tower_service::Service;

use super::body::HeldBody;
use super::headers::{set_rate_limit, set_retry_after, strip};
use super::turnstile::{Turn, Turnstile};
use crate::admission::{Admission, Denied, Layer as AdmissionStation};
use crate::{Cost, SharedFairQueue, Tenant};

/// Whose request it is, and what it costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The tenant by name, as limits, budgets and counters know it.
    pub name: String,
    /// The tenant in the queue.
    pub tenant: Tenant,
    /// What the request costs, by its endpoint for instance.
    pub cost: Cost,
}

/// Who is asking? `None` for a request without a valid key.
type Authenticate = dyn Fn(&Parts) -> Option<Caller> + Send + Sync;

/// Time since the Unix epoch.
type Clock = dyn Fn() -> Duration + Send + Sync;

/// A tower layer of admission, queue and turnstile. Clones are the same layer.
pub struct AdmissionLayer<Q> {
    shared: Arc<Shared<Q>>,
}

struct Shared<Q> {
    admission: Arc<Admission<String>>,
    turnstile: Arc<Turnstile<Q>>,
    clock: Box<Clock>,
    authenticate: Box<Authenticate>,
}

impl<Q> AdmissionLayer<Q> {
    /// A layer in front of any service. `clock` tells the time since the Unix epoch, as
    /// [`Clock`](crate::admission::Clock) does. `authenticate` tells a caller from an authenticated key, and
    /// sees the request as the client sent it.
    pub fn new(
        admission: Arc<Admission<String>>,
        turnstile: Arc<Turnstile<Q>>,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
        authenticate: impl Fn(&Parts) -> Option<Caller> + Send + Sync + 'static,
    ) -> Self {
        let authenticate = Box::new(authenticate);
        let shared = Shared {
            admission,
            turnstile,
            clock: Box::new(clock),
            authenticate,
        };
        Self {
            shared: Arc::new(shared),
        }
    }
}

impl<S, Q> Layer<S> for AdmissionLayer<Q> {
    type Service = AdmissionService<S, Q>;

    fn layer(&self, service: S) -> Self::Service {
        AdmissionService {
            service,
            shared: Arc::clone(&self.shared),
        }
    }
}

/// A service behind the layer.
pub struct AdmissionService<S, Q> {
    service: S,
    shared: Arc<Shared<Q>>,
}

impl<S, Q, B, R> Service<Request<B>> for AdmissionService<S, Q>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    Q: SharedFairQueue<Turn> + Send + 'static,
    B: Send + 'static,
{
    type Response = Response<HeldBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let shared = Arc::clone(&self.shared);
        // The one that said it was ready goes, and a clone stays in its place.
        let clone = self.service.clone();
        let mut service = mem::replace(&mut self.service, clone);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let Some(caller) = (shared.authenticate)(&parts) else {
                return Ok(unknown_caller());
            };
            strip(&mut parts.headers);
            let place = match shared.pass(&caller).await {
                Ok(place) => place,
                Err(denied) => return Ok(shared.refuse(&caller, denied)),
            };
            let response = service.call(Request::from_parts(parts, body)).await?;
            let mut response = response.map(|body| HeldBody::served(body, place));
            shared.say_limits(&caller, response.headers_mut());
            Ok(response)
        })
    }
}

impl<Q: SharedFairQueue<Turn> + Send + 'static> Shared<Q> {
    /// Through budget, rate limit and queue, to a place.
    async fn pass(&self, caller: &Caller) -> Result<super::turnstile::Place, Denied> {
        let Caller { name, tenant, cost } = caller;
        let now = (self.clock)();
        let in_line = self.turnstile.enter(|queue, turn| {
            let pushed = self
                .admission
                .push(queue, (name.as_str(), *tenant), *cost, turn, now);
            pushed.map(|(job, _)| job).map_err(|(_, denied)| denied)
        })?;
        let place = in_line.turn().await;
        let wait = (self.clock)().saturating_sub(now);
        self.admission.counters().waited(name.as_str(), wait);
        place.ok_or(Denied {
            layer: AdmissionStation::Service,
            retry_after: None,
        })
    }

    fn refuse<R>(&self, caller: &Caller, denied: Denied) -> Response<HeldBody<R>> {
        let status = match denied.layer {
            AdmissionStation::Service => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::TOO_MANY_REQUESTS,
        };
        let seconds = denied.retry_after.map(crate::admission::whole_seconds);
        let text = json!({
            "error": "refused",
            "refused_by": denied.layer.name(),
            "message": denied.to_string(),
            "retry_after_s": seconds,
        });
        let mut response = answer(status, text.to_string());
        if let Some(wait) = denied.retry_after {
            set_retry_after(response.headers_mut(), wait);
        }
        self.say_limits(caller, response.headers_mut());
        response
    }

    fn say_limits(&self, caller: &Caller, headers: &mut http::HeaderMap) {
        let now = (self.clock)();
        let (remaining, limit) = self
            .admission
            .limiter()
            .remaining(caller.name.as_str(), now);
        set_rate_limit(headers, &limit, remaining);
    }
}

fn unknown_caller<R>() -> Response<HeldBody<R>> {
    let message = "no valid key: authenticate first";
    let text = json!({ "error": "unauthenticated", "message": message });
    answer(StatusCode::UNAUTHORIZED, text.to_string())
}

fn answer<R>(status: StatusCode, text: String) -> Response<HeldBody<R>> {
    let mut response = Response::new(HeldBody::refused(text));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

impl<Q> Clone for AdmissionLayer<Q> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<S: Clone, Q> Clone for AdmissionService<S, Q> {
    fn clone(&self) -> Self {
        Self {
            service: self.service.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<Q> fmt::Debug for AdmissionLayer<Q> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AdmissionLayer")
            .finish_non_exhaustive()
    }
}

impl<S: fmt::Debug, Q> fmt::Debug for AdmissionService<S, Q> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AdmissionService")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}
