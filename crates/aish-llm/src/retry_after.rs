//! How long a server asks us to wait.

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// Reads `retry-after-ms`, `Retry-After` (seconds, or a date by the reply's own clock; RFC 9110, 10.2.3), in milliseconds.
pub(crate) fn from_headers(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return millis_of(millis);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return millis_of(seconds * 1000.0);
    }
    let until = date(value)?;
    let now = text(DATE.as_str()).and_then(date)?;
    Some(u64::try_from(until.as_millisecond().saturating_sub(now.as_millisecond())).unwrap_or(0))
}

/// Reads Google's `RetryInfo` from an error body (`error.details[].retryDelay`, such as `36s`), in milliseconds.
pub(crate) fn from_body(body: &Value) -> Option<u64> {
    let body = body.as_array().and_then(|errors| errors.first()).unwrap_or(body);
    let details = body.get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    millis_of(delay.trim_end_matches('s').parse::<f64>().ok()? * 1000.0)
}

fn date(text: &str) -> Option<Timestamp> {
    Some(rfc2822::parse(text).ok()?.timestamp())
}

fn millis_of(millis: f64) -> Option<u64> {
    (millis.is_finite() && millis >= 0.0).then_some(millis.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn check(headers: &[(&str, &str)], expected: Option<u64>) {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect();
        assert_eq!(from_headers(&headers), expected, "{headers:?}");
    }

    #[test]
    fn reads_seconds_milliseconds_and_dates() {
        check(&[], None);
        check(&[("retry-after", "2")], Some(2000));
        check(&[("retry-after", "0.25")], Some(250));
        check(&[("retry-after", "2"), ("retry-after-ms", "125")], Some(125));
        check(&[("retry-after", "-5")], None);
        check(&[("retry-after", "soon")], None);
        check(
            &[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")],
            Some(10_000),
        );
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT"), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(0));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], None);
    }

    #[test]
    fn reads_googles_retry_info() {
        let body = serde_json::json!([{"error": {"code": 429, "details": [{"@type": "x"}, {"retryDelay": "36.5s"}]}}]);
        assert_eq!(from_body(&body), Some(36_500));
        assert_eq!(from_body(&serde_json::json!({"error": "x"})), None);
    }
}
