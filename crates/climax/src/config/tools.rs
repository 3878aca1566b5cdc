//! The tools of a configuration, kept small: of very many, few are ever called.

use aish_types::record::{RecordReader, RecordWriter};
use aish_types::{Risk, SharedText, ToolName};

use super::Tool;
use crate::kept::Sum;

/// Bytes that a tool takes in a file at least.
const LEAST: usize = 7;

/// Tools in their order, each with what a list says of it, and the rest packed.
///
/// Arguments with their names, descriptions and places are most of a tool, and are unpacked when it is shown or called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools(Vec<Packed>);

/// A tool whose arguments are not unpacked.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed {
    /// The name under which it is called.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: SharedText,
    /// What it may do.
    pub risk: Risk,
    /// True when its calls are judged by their command lines.
    pub judged: bool,
    /// Seconds that it may run; over 0.
    pub timeout_s: f64,
    /// Requests that mean it.
    pub examples: Box<[String]>,
    /// The rest, as JSON.
    rest: Box<str>,
}

impl Packed {
    fn new(tool: &Tool) -> Self {
        Self {
            name: ToolName::new(tool.name.as_str()),
            description: tool.description.as_str().into(),
            risk: tool.risk,
            judged: tool.judged,
            timeout_s: tool.timeout_s,
            examples: tool.examples.as_slice().into(),
            rest: serde_json::to_string(tool).unwrap_or_default().into(),
        }
    }

    /// Unpacks it; nothing where that fails, which is a fault of this program.
    pub fn unpack(&self) -> Option<Tool> {
        let rest =
            serde_json::from_str(&self.rest).inspect_err(|error| tracing::error!(%error, "a packed tool is broken"));
        let (name, description) = (self.name.as_str().to_owned(), self.description.as_str().to_owned());
        let examples = self.examples.to_vec();
        Some(Tool {
            name,
            description,
            examples,
            risk: self.risk,
            judged: self.judged,
            timeout_s: self.timeout_s,
            ..rest.ok()?
        })
    }
}

impl Tools {
    /// Adds a tool at the end.
    pub(super) fn push(&mut self, tool: &Tool) {
        self.0.push(Packed::new(tool));
    }

    /// Puts a tool in the place of the one of its name, or at the end.
    pub(super) fn replace(&mut self, tool: &Tool) {
        match self.0.iter_mut().find(|first| first.name.as_str() == tool.name) {
            Some(first) => *first = Packed::new(tool),
            None => self.push(tool),
        }
    }

    /// Gives back the room that is kept for more.
    pub(super) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Writes them for a file.
    pub(crate) fn write(&self, out: &mut RecordWriter) {
        out.number(self.0.len() as u64);
        for Packed { name, description, risk, judged, timeout_s, examples, rest } in &self.0 {
            out.text(name.as_str());
            out.text(description);
            out.number(*risk as u64);
            out.number(u64::from(*judged));
            out.number(timeout_s.to_bits());
            out.number(examples.len() as u64);
            examples.iter().for_each(|example| out.text(example));
            out.text(rest);
        }
    }

    /// Reads what was written; nothing where it is not whole.
    pub(crate) fn read(from: &mut RecordReader<'_>) -> Option<Self> {
        let count = from.count(LEAST)?;
        let mut tools = Vec::with_capacity(count);
        for _ in 0..count {
            let (name, description) = (ToolName::from(from.text()?), SharedText::from(from.text()?));
            let risk =
                [Risk::Read, Risk::Write, Risk::Destructive].get(usize::try_from(from.number()?).ok()?).copied()?;
            let judged = from.number()? == 1;
            let timeout_s = f64::from_bits(from.number()?);
            let examples = (0..from.count(1)?).map(|_| Some(from.text()?.to_owned())).collect::<Option<_>>()?;
            tools.push(Packed { name, description, risk, judged, timeout_s, examples, rest: from.text()?.into() });
        }
        Some(Self(tools))
    }

    /// Adds all of them to a hash.
    pub(crate) fn add_to(&self, sum: &mut Sum) {
        for Packed { name, description, risk, judged, timeout_s: _, examples, rest } in &self.0 {
            sum.add(name.as_str());
            sum.add(description);
            sum.number(*risk as u64);
            sum.number(u64::from(*judged));
            sum.number(examples.len() as u64);
            examples.iter().for_each(|example| sum.add(example));
            sum.add(rest);
        }
    }

    /// Counts them.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Says whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns them packed.
    pub fn packed(&self) -> &[Packed] {
        &self.0
    }

    /// Unpacks the one at this place.
    pub fn get(&self, at: usize) -> Option<Tool> {
        self.0.get(at)?.unpack()
    }

    /// Unpacks the one of this name.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.0.iter().find(|tool| tool.name.as_str() == name)?.unpack()
    }

    /// Unpacks all, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Tool> {
        self.0.iter().filter_map(Packed::unpack)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use super::super::read;

    /// Reading each key beside all others took minutes.
    #[test]
    fn very_many_keys_and_arguments_are_read_in_one_pass() {
        let mut text = "command: x\ntools:\n  - name: all\n    description: Has many\n    args:\n".to_owned();
        (0..80_000).for_each(|at| writeln!(text, "      - {{name: a{at}, flag: --a{at}}}").unwrap());
        text.push_str("      - {name: a7, flag: --a8}\n");
        (0..40_000).for_each(|at| writeln!(text, "other{at}: 1").unwrap());
        text.push_str("base: &base {m0: 1}\nmore: {<<: *base}\nother7: 2\n");
        let began = Instant::now();
        let (config, faults) = read("many.yaml", &text);
        assert!(began.elapsed() < Duration::from_secs(80), "{:?}", began.elapsed());
        assert_eq!(config.unwrap().tools.iter().next().unwrap().args.len(), 80_000);
        let told = |words: &str| faults.iter().any(|fault| fault.to_string().contains(words));
        assert!(told("two arguments are called 'a7'") && told("'a7' and 'a8' of 'all' have the same flag, --a8"));
        assert!(told("'other7' is given twice") && told("no key 'other39999'"));
    }

    #[test]
    fn a_packed_tool_comes_back_whole() {
        let text = r#"
command: x
tools:
  - name: all
    description: Has everything
    examples: [do it all]
    command: a "b c"
    risk: destructive
    timeout: 1.5
    confirm_message: Really {title} of {n}?
    resolve: {title: {command: show it, args: {--id: "{n}"}, timeout: 2}}
    args:
      - {name: n, type: integer, required: true, description: A number, default: 3, enum: [1, 3]}
      - {name: x, flag: --xx=}
      - {name: p, positional: true, allow_dash: true, dashes: true}
      - {name: q, positional: true}
      - {name: i, stdin: true}
      - {name: w, cwd: true}
      - {name: b, type: boolean}
      - {name: f, type: number, default: 0.1}
"#;
        let (config, faults) = read("t", text);
        assert_eq!(faults, []);
        let tool = config.unwrap().tools.get(0).unwrap();
        let places: Vec<String> = tool.args.iter().map(|arg| format!("{:?}", arg.place)).collect();
        assert_eq!(places[..2], ["Flag(\"--n\")", "Flag(\"--xx=\")"]);
        assert_eq!(
            places[2..4],
            ["Positional { allow_dash: true, dashes: true }", "Positional { allow_dash: false, dashes: false }",]
        );
        assert_eq!(places[4..], ["Stdin", "WorkingDir", "Flag(\"--b\")", "Flag(\"--f\")"]);
        let n = tool.arg("n").unwrap();
        assert_eq!((n.description.as_str(), n.required, n.choices.len()), ("A number", true, 2));
        assert_eq!(n.default.as_deref(), Some(&3.into()));
        assert_eq!(tool.arg("f").unwrap().default.as_deref(), Some(&0.1.into()));
        assert_eq!(tool.examples, ["do it all"]);
        assert_eq!(tool.command, ["a", "b c"]);
        assert_eq!((tool.timeout_s, tool.resolve[0].timeout_s, tool.risk), (1.5, 2.0, aish_types::Risk::Destructive));
        assert_eq!(tool.resolve[0].args, [("--id".to_owned(), "{n}".to_owned())]);
        assert_eq!(tool.confirm_message.as_deref(), Some("Really {title} of {n}?"));
    }

    #[test]
    fn so_does_a_list() {
        let text = r#"
command: x
tools:
  - name: t
    description: d
    args:
      - {name: a, type: array, positional: true, required: true}
      - {name: b, type: array, items: {type: integer, enum: [1, 2]}, min_items: 1, max_items: 2, join: ",", default: [2]}
      - {name: c, type: array, style: once, allow_dash: true}
"#;
        let (config, faults) = read("t", text);
        assert_eq!(faults, []);
        let tool = config.unwrap().tools.get(0).unwrap();
        let shown: Vec<String> = tool.args.iter().map(|arg| format!("{:?}", arg.list.as_deref().unwrap())).collect();
        assert_eq!(
            shown,
            [
                "List { items: String, min: 1, max: None, style: Repeat }",
                "List { items: Integer, min: 1, max: Some(2), style: Join(\",\") }",
                "List { items: String, min: 0, max: None, style: Once { allow_dash: true } }",
            ]
        );
        let b = tool.arg("b").unwrap();
        assert_eq!((b.choices.len(), b.default.as_deref()), (2, Some(&serde_json::json!([2]))));
        assert_eq!(b.kind, super::super::ArgKind::Array);
    }

    #[test]
    fn so_does_an_operation() {
        let text = r#"
http: {url: "https://x.example/v1"}
tools:
  - name: put
    description: Puts
    request: PUT /a/{id}
    media: form
    args:
      - {name: id, in: path, required: true}
      - {name: list, type: array, in: field, as: items, style: deep, schema: {type: array, items: {type: string}}}
      - {name: any, type: any, in: query}
"#;
        let (config, faults) = read("t", text);
        assert_eq!(faults, []);
        let tool = config.unwrap().tools.get(0).unwrap();
        let operation = tool.operation.as_deref().unwrap();
        assert_eq!((operation.method.as_str(), operation.path.as_str()), ("PUT", "/a/{id}"));
        assert_eq!(operation.media, crate::http::Media::Form);
        assert!(format!("{:?}", tool.arg("list").unwrap().place).contains("name: \"items\", style: Deep"));
        assert_eq!(tool.arg("list").unwrap().schema.as_ref().unwrap()["items"]["type"], "string");
        assert_eq!(tool.arg("any").unwrap().kind, super::super::ArgKind::Any);
    }
}
