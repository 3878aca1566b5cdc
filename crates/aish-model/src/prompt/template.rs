//! The chat template out of a GGUF file's metadata, a Jinja program written for Python's Jinja2.

use std::fmt;
use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{Environment, Error, ErrorKind};
use serde::Serialize;

/// For files that bring none: the form that most small models know.
const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + \
    '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// Steps after which a template is taken for endless.
const FUEL: u64 = 10_000_000;

/// What a template raises through `raise_exception` begins with this inside the error's text.
const RAISED: &str = "raised: ";

/// Why a conversation could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    /// The template raised an exception of its own: it does not take these roles in this order.
    #[error("{0}")]
    Refused(String),
    /// The template is no valid one, or needs what we do not have.
    #[error("the chat template cannot be run: {0}")]
    Broken(String),
}

/// A model's chat template.
pub(crate) struct Template {
    environment: Environment<'static>,
    own: bool,
    native_tools: bool,
    begin: String,
    end: String,
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template").field("own", &self.own).field("native_tools", &self.native_tools).finish()
    }
}

#[derive(Serialize)]
struct Variables<'a> {
    messages: &'a [serde_json::Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a serde_json::Value>,
    add_generation_prompt: bool,
    bos_token: &'a str,
    eos_token: &'a str,
}

impl Template {
    /// Compiles a template; without one the common form is taken. `begin` and `end` are the texts of the model's
    /// tokens for the begin and the end of a sequence.
    pub(crate) fn new(source: Option<String>, begin: String, end: String) -> Result<Self, TemplateError> {
        let own = source.is_some();
        let source = source.unwrap_or_else(|| CHATML.to_owned());
        // Templates that show tools in another form than ours are told of them by us instead.
        let native_tools = source.contains("tools") && source.contains("<tool_call>") && !source.contains("<function=");
        let mut environment = Environment::new();
        environment.set_syntax(syntax()?);
        environment.set_fuel(Some(FUEL));
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", strftime_now);
        environment.add_filter("tojson", to_json);
        environment.add_template_owned("chat", source).map_err(|error| TemplateError::Broken(words(&error)))?;
        Ok(Self { environment, own, native_tools, begin, end })
    }

    /// Returns whether the file brought it.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// Returns whether it shows tools itself, in the form that we read.
    pub(crate) fn knows_tools(&self) -> bool {
        self.native_tools
    }

    /// Renders messages up to the place where the answer begins.
    pub(crate) fn render(
        &self,
        messages: &[serde_json::Value],
        tools: Option<&serde_json::Value>,
    ) -> Result<String, TemplateError> {
        let variables =
            Variables { messages, tools, add_generation_prompt: true, bos_token: &self.begin, eos_token: &self.end };
        let template = self.environment.get_template("chat").map_err(|error| TemplateError::Broken(words(&error)))?;
        template.render(Value::from(Serde(&variables))).map_err(|error| match error.detail() {
            Some(detail) if detail.starts_with(RAISED) => {
                TemplateError::Refused(detail.trim_start_matches(RAISED).to_owned())
            }
            _ => TemplateError::Broken(words(&error)),
        })
    }
}

/// Whitespace as Hugging Face's renderer treats it.
fn syntax() -> Result<SyntaxConfig, TemplateError> {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .map_err(|error| TemplateError::Broken(words(&error)))
}

fn words(error: &Error) -> String {
    error.to_string()
}

/// `raise_exception(message)` of Hugging Face's templates.
fn raise_exception(message: String) -> Result<String, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, format!("{RAISED}{message}")))
}

/// The machine's time zone, which a confined process cannot read any more.
static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// Reads the machine's time zone.
pub(crate) fn learn_time_zone() {
    ZONE.get_or_init(TimeZone::system);
}

/// `strftime_now(format)` of Hugging Face's templates.
fn strftime_now(format: String) -> Result<String, Error> {
    let zone = ZONE.get_or_init(TimeZone::system).clone();
    jiff::fmt::strtime::format(format, &Timestamp::now().to_zoned(zone))
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

/// `tojson` as Python's `json.dumps` writes it: with spaces behind commas and colons, without HTML's escapes.
fn to_json(value: Value, options: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    // Known to Python and without a meaning here.
    let _: (Option<bool>, Option<bool>) = (options.get("ensure_ascii")?, options.get("sort_keys")?);
    options.assert_all_used()?;
    let mut bytes = Vec::new();
    let written = match indent {
        Some(width) => {
            let spaces = " ".repeat(width.min(16));
            let formatter = serde_json::ser::PrettyFormatter::with_indent(spaces.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
        }
        None => value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Python)),
    };
    written.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    Ok(Value::from_safe_string(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes `, ` and `: ` as Python does.
struct Python;

impl serde_json::ser::Formatter for Python {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn render(source: &str, messages: &[serde_json::Value]) -> Result<String, TemplateError> {
        Template::new(Some(source.into()), "<s>".into(), "</s>".into())?.render(messages, None)
    }

    #[test]
    fn without_a_template_the_common_form_is_taken() {
        let template = Template::new(None, String::new(), String::new()).unwrap();
        let text = template.render(&[json!({"role": "user", "content": "Hi"})], None).unwrap();
        assert_eq!(text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
        assert!(!template.is_own() && !template.knows_tools());
    }

    #[test]
    fn what_templates_use_of_python_works() {
        let source = "{%- set ns = namespace(n=0) -%}\n{{ bos_token }}{% for m in messages %}\
            {% if not loop.first and m.content.startswith('#') %}{% continue %}{% endif %}\
            {% set ns.n = ns.n + 1 %}{{ m['content'].strip().split(' ')[-1] | upper }}{{ m.get('x', '-') }}{% endfor %}{{ ns.n }}";
        let messages = [json!({"role": "user", "content": " say hi "}), json!({"role": "user", "content": "# no"})];
        assert_eq!(render(source, &messages).unwrap(), "<s>HI-1");
    }

    #[test]
    fn json_is_written_as_python_writes_it() {
        let messages = [json!({"content": {"a": [1, "<b>'&"]}})];
        assert_eq!(render("{{ messages[0].content | tojson }}", &messages).unwrap(), "{\"a\": [1, \"<b>'&\"]}");
        assert_eq!(render("{{ [1] | tojson(indent=2) }}", &messages).unwrap(), "[\n  1\n]");
    }

    #[test]
    fn an_exception_of_the_template_is_a_refusal() {
        let refused = render("{{ raise_exception('roles must alternate') }}", &[]);
        assert_eq!(refused, Err(TemplateError::Refused("roles must alternate".into())));
    }

    #[test]
    fn a_broken_or_endless_template_is_an_error() {
        assert!(matches!(render("{% for %}", &[]), Err(TemplateError::Broken(_))));
        let endless = "{% for a in range(9999) %}{% for b in range(9999) %}.{% endfor %}{% endfor %}";
        assert!(matches!(render(endless, &[]), Err(TemplateError::Broken(_))));
    }
}
