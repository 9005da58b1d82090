//! What is not believed of a request, and what a response says of limits.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, header::RETRY_AFTER};

use crate::admission::{RateLimit, whole_seconds};

/// How the names of headers begin that a client may send and that never reach the service: who it says
/// it is, and what it says of its limits. Whoever stands behind this layer may trust that there are none.
pub const STRIPPED: [&str; 6] = [
    "tenant",
    "x-tenant",
    "ratelimit",
    "rate-limit",
    "x-ratelimit",
    "x-rate-limit",
];

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

pub(super) fn strip(headers: &mut HeaderMap) {
    let is_claim = |name: &&HeaderName| STRIPPED.iter().any(|with| name.as_str().starts_with(with));
    let claims: Vec<HeaderName> = headers.keys().filter(is_claim).cloned().collect();
    for name in claims {
        headers.remove(name);
    }
}

/// `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers-10: the quota `q` of
/// the bucket and the window `w` in which it fills, the remaining tokens `r` and the seconds `t` until
/// all are back. At rate zero there is no window, and none is said.
pub(super) fn set_rate_limit(headers: &mut HeaderMap, limit: &RateLimit, remaining: u32) {
    let RateLimit { burst, rate } = *limit;
    let seconds = |tokens| {
        let missing = RateLimit {
            burst: tokens,
            rate,
        };
        missing.time_to_fill().map(whole_seconds)
    };
    let window = seconds(burst).map_or(String::new(), |window| format!(";w={window}"));
    let until_full = seconds(burst - remaining.min(burst));
    let until_full = until_full.map_or(String::new(), |until| format!(";t={until}"));
    set(
        headers,
        RATELIMIT_POLICY,
        format!("\"tokens\";q={burst}{window}"),
    );
    set(
        headers,
        RATELIMIT,
        format!("\"tokens\";r={remaining}{until_full}"),
    );
}

pub(super) fn set_retry_after(headers: &mut HeaderMap, wait: Duration) {
    set(headers, RETRY_AFTER, whole_seconds(wait).to_string());
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: String) {
    let value = HeaderValue::try_from(value).expect("digits and punctuation");
    headers.insert(name, value);
}
