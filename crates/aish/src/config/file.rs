//! A TOML file as a layer.

use aish_llm::{Purpose, Thinking};
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::diagnostic::{About, Diagnostic, Lines, Severity};
use super::key::Kind;
use super::keys;
use super::layer::{Layer, Origin, Setting};

/// How many unknown keys of a file are told one by one. A rule may be among the others, so the policy misses them all.
const MOST_UNKNOWN: usize = 20;

/// Reads a file's text; what is wrong goes into `diagnostics`, what is right into the layer.
pub fn parse(text: &str, origin: &Origin, diagnostics: &mut Vec<Diagnostic>) -> Layer {
    let mut reader = Reader { lines: Lines::of(text), origin, diagnostics, layer: Layer::default(), unknown: 0 };
    match Document::parse(text) {
        Ok(document) => {
            reader.table(document.as_table(), &mut Vec::new());
            if let Some(more) = reader.unknown.checked_sub(MOST_UNKNOWN).filter(|more| *more > 0) {
                reader.report(Severity::Warning, None, About::Whole, format!("{more} more unknown keys"));
            }
        }
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            let message = format!("this is not TOML: {}; nothing of the file is used", error.message());
            reader.report(Severity::Error, Some(offset), About::Whole, message);
        }
    }
    reader.layer
}

struct Reader<'a> {
    lines: Lines<'a>,
    origin: &'a Origin,
    diagnostics: &'a mut Vec<Diagnostic>,
    layer: Layer,
    unknown: usize,
}

impl Reader<'_> {
    fn report(&mut self, severity: Severity, offset: Option<usize>, about: About, message: String) {
        let position = offset.map(|offset| self.lines.position(offset));
        self.diagnostics.push(Diagnostic { severity, place: self.origin.to_string(), position, about, message });
    }

    fn table(&mut self, table: &dyn TableLike, path: &mut Vec<String>) {
        for (name, item) in table.iter() {
            path.push(name.to_owned());
            let offset = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span()).map(|span| span.start);
            if let Some(key) = keys::find(path) {
                self.setting(key.kind, item, offset, path);
            } else if keys::is_section(path) {
                match item.as_table_like() {
                    Some(section) => self.table(section, path),
                    None => {
                        let keys: Vec<_> = keys::within(path).iter().map(|key| format!("`{key}`")).collect();
                        let keys =
                            if keys.is_empty() { String::new() } else { format!("; its keys: {}", keys.join(", ")) };
                        let name = path.join(".");
                        let message = format!("`{name}` is a section, not a value{keys}");
                        self.report(Severity::Error, offset, About::Key(name), message);
                    }
                }
            } else {
                self.unknown += 1;
                if self.unknown > MOST_UNKNOWN {
                    path.pop();
                    continue;
                }
                let hint = keys::near(path).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let name = path.join(".");
                let message = format!("unknown key `{name}`{hint}");
                self.report(Severity::Warning, offset, About::UnknownKey(name), message);
            }
            path.pop();
        }
    }

    /// Notes in each rule where it stands.
    fn note_places(&self, item: &Item, value: &mut Value) {
        let spans: Vec<_> = match item {
            Item::ArrayOfTables(tables) => tables.iter().map(toml_edit::Table::span).collect(),
            Item::Value(toml_edit::Value::Array(items)) => items.iter().map(toml_edit::Value::span).collect(),
            Item::None | Item::Value(_) | Item::Table(_) => Vec::new(),
        };
        for (rule, span) in value.as_array_mut().into_iter().flatten().zip(spans) {
            if let (Value::Object(rule), Some(span)) = (rule, span) {
                let (line, column) = self.lines.position(span.start);
                rule.insert(super::policy::PLACE.to_owned(), format!("{}:{line}:{column}", self.origin).into());
            }
        }
    }

    fn setting(&mut self, kind: Kind, item: &Item, offset: Option<usize>, path: &[String]) {
        let value = json(item);
        match value.filter(|value| fits(kind, value)) {
            Some(mut value) => {
                if kind == Kind::Rules {
                    self.note_places(item, &mut value);
                }
                let position = offset.map(|offset| self.lines.position(offset));
                self.layer.settings.insert(path.to_vec(), Setting { value, origin: self.origin.clone(), position });
            }
            None => {
                let name = path.join(".");
                // A number in quotes is a text.
                let text = item.as_str().filter(|text| is_bare(kind, text));
                let bare = text.map(|text| format!(", without quotes: {}", text.trim())).unwrap_or_default();
                let message = format!("`{name}` must be {}{bare}; its default is used", kind.expected());
                let offset = item.span().map(|span| span.start).or(offset);
                self.report(Severity::Error, offset, About::Key(name), message);
            }
        }
    }
}

/// Says whether a text would be a number of a kind without the quotes around it.
fn is_bare(kind: Kind, text: &str) -> bool {
    let value = match kind {
        Kind::Whole(..) => text.trim().parse::<u64>().ok().map(Value::from),
        Kind::Number(..) => text.trim().parse::<f64>().ok().map(Value::from),
        _ => None,
    };
    value.is_some_and(|value| fits(kind, &value))
}

/// Says whether a value is of a kind.
pub fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::Bool => value.is_boolean(),
        Kind::Whole(least, most) => value.as_u64().is_some_and(|number| (least..=most).contains(&number)),
        Kind::Number(least, most) => value.as_f64().is_some_and(|number| (least..=most).contains(&number)),
        Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        Kind::TextMap => value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
        Kind::BoolMap => value.as_object().is_some_and(|map| map.values().all(Value::is_boolean)),
        Kind::Thinking => value.as_str().is_some_and(|word| word.parse::<Thinking>().is_ok()),
        Kind::ByPurpose(kind) => value.as_object().is_some_and(|map| {
            let is_purpose = |name: &String| Purpose::ALL.iter().any(|purpose| purpose.as_str() == name);
            map.iter().all(|(name, value)| is_purpose(name) && fits(*kind, value))
        }),
        Kind::Rules => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
        Kind::RouterRules => serde_json::from_value::<Vec<super::router::RouterRule>>(value.clone()).is_ok(),
    }
}

fn json(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => json_value(value),
        Item::Table(table) => json_table(table),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| json_table(table)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
    }
}

fn json_table(table: &dyn TableLike) -> Option<Value> {
    let entries: Option<serde_json::Map<String, Value>> =
        table.iter().map(|(name, item)| Some((name.to_owned(), json(item)?))).collect();
    entries.map(Value::Object)
}

fn json_value(value: &toml_edit::Value) -> Option<Value> {
    Some(match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::Bool(*truth.value()),
        toml_edit::Value::Datetime(time) => Value::String(time.to_string()),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(json_value).collect::<Option<Vec<_>>>()?),
        toml_edit::Value::InlineTable(table) => json_table(table)?,
    })
}
