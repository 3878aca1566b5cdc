//! `get_time`: the date and time in any zone of the IANA database.

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value;

use crate::builtin::{Builtin, definition};
use crate::clock::Clock;
use crate::near::near;
use crate::parameter::{Parameter, ParameterKind};

/// The tool.
pub(crate) struct GetTime {
    pub(crate) clock: Arc<dyn Clock>,
}

impl Builtin for GetTime {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::optional("timezone", ParameterKind::String)
                .describe("Timezone name (e.g., 'America/New_York', 'Europe/London', 'UTC')")
                .default("UTC"),
            Parameter::optional("format", ParameterKind::String)
                .describe("Output format: 'full', 'date', 'time', 'iso'")
                .default("full")
                .choices(["full", "date", "time", "iso"]),
        ];
        ToolDefinition {
            category: "utility".into(),
            examples: vec!["what time is it in Tokyo".into(), "what day is it".into()],
            tags: ["clock", "date", "timezone", "now"].map(String::from).to_vec(),
            ..definition("get_time", "Get current date and time, optionally in a specific timezone.", &parameters)
        }
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let outcome = match tell(&*self.clock, text("timezone").unwrap_or("UTC"), text("format").unwrap_or("full")) {
            Ok(text) => ToolOutcome::success(text),
            Err(text) => ToolOutcome::failure(text),
        };
        Box::pin(std::future::ready(outcome))
    }
}

fn tell(clock: &dyn Clock, zone: &str, format: &str) -> Result<String, String> {
    let zone = find_zone(zone.trim())?;
    let since = clock.since_epoch();
    let micros = i64::try_from(since.as_micros()).map_err(|_| "The clock is out of range".to_owned())?;
    let now = Timestamp::from_microsecond(micros).map_err(|_| "The clock is out of range".to_owned())?;
    let now = now.to_zoned(zone);
    Ok(match format {
        "date" => now.strftime("%Y-%m-%d").to_string(),
        "time" => now.strftime("%H:%M:%S %Z").to_string(),
        "iso" => iso(&now),
        _ => now.strftime("%A, %B %d, %Y at %I:%M %p %Z").to_string(),
    })
}

/// Writes as ISO 8601 with the offset; microseconds only where there are any.
fn iso(now: &Zoned) -> String {
    let micros = now.subsec_nanosecond() / 1_000;
    let fraction = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    format!("{}{fraction}{}", now.strftime("%Y-%m-%dT%H:%M:%S"), now.strftime("%:z"))
}

fn find_zone(name: &str) -> Result<TimeZone, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    let is_plain = !name.is_empty() && name.len() <= 64 && name.chars().all(is_name) && !name.starts_with('/');
    if is_plain && let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    let shown: String = aish_types::visible(name).chars().take(64).collect();
    let all: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    // Who leaves the continent out means the city.
    let wanted = name.replace(' ', "_").to_lowercase();
    let city = |full: &str| full.rsplit('/').next().is_some_and(|city| city.eq_ignore_ascii_case(&wanted));
    let mut likely: Vec<&str> = all.iter().map(String::as_str).filter(|full| city(full)).collect();
    for other in near(name, all.iter().map(String::as_str), 5) {
        if !likely.contains(&other) {
            likely.push(other);
        }
    }
    likely.truncate(5);
    if likely.is_empty() {
        return Err(format!("Unknown timezone: {shown}"));
    }
    Err(format!("Unknown timezone: {shown}. Did you mean: {}?", likely.join(", ")))
}
