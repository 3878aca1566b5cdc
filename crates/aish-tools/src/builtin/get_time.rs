//! `get_time`: the date and time in any zone of the IANA database, or at an offset from UTC.

use std::sync::Arc;

use aish_types::near::near;
use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};
use serde_json::Value;

use crate::builtin::{Builtin, definition};
use crate::clock::Clock;
use crate::parameter::{Parameter, ParameterKind};

/// The tool.
pub(crate) struct GetTime {
    pub(crate) clock: Arc<dyn Clock>,
}

impl Builtin for GetTime {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::optional("timezone", ParameterKind::String)
                .describe("Timezone name (e.g., 'America/New_York', 'Europe/London', 'UTC') or offset ('UTC+05:30')")
                .default("UTC"),
            Parameter::optional("format", ParameterKind::String)
                .describe("Output format: 'full', 'date', 'time', 'iso'")
                .default("full")
                .choices(["full", "date", "time", "iso"]),
        ];
        ToolDefinition {
            category: "utility".into(),
            examples: vec!["what time is it in Tokyo".into(), "what day is it".into()],
            tags: ["clock", "date", "timezone", "now"].map(String::from).into(),
            ..definition("get_time", "Get current date and time, optionally in a specific timezone.", &parameters)
        }
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let outcome = match tell(&*self.clock, text("timezone").unwrap_or("UTC"), text("format").unwrap_or("full")) {
            Ok(text) => ToolOutcome::success(text),
            Err(error) => ToolOutcome::failure(error.to_string()),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// Why the time cannot be told.
#[derive(Debug, thiserror::Error)]
enum TimeError {
    /// The clock is beyond the years that are known.
    #[error("The clock is out of range")]
    Clock,
    /// There is no such zone; with those that may be meant.
    #[error("Unknown timezone: {shown}{meant}")]
    Zone { shown: String, meant: String },
}

fn tell(clock: &dyn Clock, zone: &str, format: &str) -> Result<String, TimeError> {
    let since = clock.since_epoch();
    let micros = i64::try_from(since.as_micros()).map_err(|_| TimeError::Clock)?;
    let now = Timestamp::from_microsecond(micros).map_err(|_| TimeError::Clock)?;
    let zone = find_zone(zone.trim(), now)?;
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

fn find_zone(name: &str, now: Timestamp) -> Result<TimeZone, TimeError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    let is_plain = !name.is_empty() && name.len() <= 64 && name.chars().all(is_name) && !name.starts_with('/');
    if is_plain && let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    if let Some(offset) = offset(name) {
        return Ok(TimeZone::fixed(offset));
    }
    let shown: String = aish_types::visible(name).chars().take(64).collect();
    let all: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    let mut likely = abbreviated(name, &all, now);
    // Who leaves the continent out means the city.
    let wanted = name.replace(' ', "_").to_lowercase();
    let city = |full: &str| full.rsplit('/').next().is_some_and(|city| city.eq_ignore_ascii_case(&wanted));
    likely.extend(all.iter().map(String::as_str).filter(|full| city(full)));
    for other in near(name, all.iter().map(String::as_str), 5) {
        if !likely.contains(&other) {
            likely.push(other);
        }
    }
    likely.truncate(5);
    let meant = if likely.is_empty() { String::new() } else { format!(". Did you mean: {}?", likely.join(", ")) };
    Err(TimeError::Zone { shown, meant })
}

/// Reads `UTC+2`, `GMT-03:30`, `+0530`: hours east of Greenwich, unlike the names of `Etc/`.
fn offset(text: &str) -> Option<Offset> {
    let rest = ["utc", "gmt"].iter().find_map(|word| {
        let (head, rest) = text.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then_some(rest)
    });
    let rest = rest.unwrap_or(text).trim().replace('−', "-");
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let digits = rest.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "00"),
    };
    let part = |text: &str, most: i32| {
        let is_part = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|part| is_part && *part <= most)
    };
    let (hours, minutes): (i32, i32) = (part(hours, 14)?, part(minutes, 59).filter(|_| minutes.len() == 2)?);
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

/// The zones that most people mean by an abbreviation come first.
const FIRST: [&str; 12] = [
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "Europe/London",
    "Europe/Paris",
    "Europe/Berlin",
    "Europe/Moscow",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Jerusalem",
    "Australia/Sydney",
];

/// Returns the zones whose clocks show an abbreviation (`PST`) now or half a year from now: it names no zone, for others
/// may use it too.
fn abbreviated<'a>(name: &str, all: &'a [String], now: Timestamp) -> Vec<&'a str> {
    if !(3..=5).contains(&name.len()) || !name.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let half_a_year = SignedDuration::from_hours(183 * 24);
    let times = [Some(now), now.checked_add(half_a_year).ok()];
    let shows = |zone: &TimeZone| {
        let mut times = times.iter().flatten();
        times.any(|&time| zone.to_offset_info(time).abbreviation().eq_ignore_ascii_case(name))
    };
    let mut found: Vec<&str> =
        all.iter().map(String::as_str).filter(|full| TimeZone::get(full).is_ok_and(|zone| shows(&zone))).collect();
    found.sort_by_key(|full| FIRST.iter().position(|first| first == full).unwrap_or(FIRST.len()));
    found
}
