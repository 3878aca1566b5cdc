//! The config's text.

use serde_json::Value;

use super::{ApiDraft, ArgDraft, ToolDraft};
use crate::http::{Media, Method, Part, Scheme, Style};
use crate::import::draft::quoted;

impl ApiDraft {
    /// Writes the config.
    pub fn yaml(&self) -> String {
        let mut out = String::from(
            "# Made from an OpenAPI document. GET only reads, DELETE is destructive and the others write: look at every risk\n\
             # before it is used. Requests, and the token, go to this URL's host and to no other.\n",
        );
        out.push_str(&format!("name: {}\n", quoted(&self.name)));
        out.push_str(&format!("description: {}\n", quoted(&self.description)));
        out.push_str(&format!("http:\n  url: {}\n", quoted(self.api.url.as_str())));
        match (&self.api.auth, &self.asks) {
            (Some(auth), _) => {
                out.push_str(&format!("  auth_env: {}\n", quoted(&auth.env)));
                if auth.scheme != Scheme::Bearer {
                    out.push_str(&format!("  auth: {}\n", quoted(&auth.scheme.word())));
                }
            }
            (None, Some(scheme)) => {
                out.push_str(&format!(
                    "  # It wants a token ({}): import it again with --auth-env NAME.\n",
                    scheme.word()
                ));
            }
            (None, None) => {}
        }
        out.push_str(if self.tools.is_empty() { "tools: []\n" } else { "tools:\n" });
        for drafted in &self.tools {
            out.push_str(&tool(drafted));
        }
        out
    }
}

/// Writes one tool.
pub(super) fn tool(tool: &ToolDraft) -> String {
    let method = tool.operation.method;
    let risk = match method {
        Method::Get | Method::Head => "read",
        Method::Post | Method::Put | Method::Patch => "write",
        Method::Delete => "destructive",
    };
    let mut out = format!("  - name: {}\n    description: {}\n", quoted(&tool.name), quoted(&tool.description));
    out.push_str(&format!("    request: {}\n", quoted(&format!("{} {}", method.as_str(), tool.operation.path))));
    match &tool.operation.media {
        media if *media == Media::default() => {}
        Media::Json(media) | Media::Text(media) => out.push_str(&format!("    media: {}\n", quoted(media))),
        Media::Form => out.push_str("    media: form\n"),
    }
    out.push_str(&format!("    risk: {risk}\n"));
    if !tool.args.is_empty() {
        out.push_str("    args:\n");
    }
    for drafted in &tool.args {
        out.push_str(&arg(drafted));
    }
    out
}

fn arg(arg: &ArgDraft) -> String {
    let mut schema = arg.schema.clone();
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some(kind @ ("string" | "integer" | "number" | "boolean" | "array" | "object")) => kind.to_owned(),
        Some(_) | None => "any".to_owned(),
    };
    if kind != "any" {
        schema.remove("type");
    }
    let part = match arg.slot.part {
        Part::Path => "path",
        Part::Query => "query",
        Part::Header => "header",
        Part::Field => "field",
        Part::Body => "body",
    };
    let mut out = format!("      - {{name: {}, in: {part}", quoted(&arg.name));
    if arg.slot.name != arg.name {
        out.push_str(&format!(", as: {}", quoted(&arg.slot.name)));
    }
    if kind != "string" {
        out.push_str(&format!(", type: {kind}"));
    }
    if arg.required {
        out.push_str(", required: true");
    }
    let style = match arg.slot.style {
        Style::Repeat => None,
        Style::Comma => Some("comma"),
        Style::Space => Some("space"),
        Style::Pipe => Some("pipe"),
        Style::Deep => Some("deep"),
    };
    let is_list = matches!(kind.as_str(), "array" | "object" | "any");
    if let Some(style) = style.filter(|_| is_list && matches!(arg.slot.part, Part::Query | Part::Field)) {
        out.push_str(&format!(", style: {style}"));
    }
    if !schema.is_empty() {
        out.push_str(&format!(", schema: {}", Value::Object(schema)));
    }
    if !arg.description.is_empty() {
        out.push_str(&format!(", description: {}", quoted(&arg.description)));
    }
    out.push_str("}\n");
    out
}
