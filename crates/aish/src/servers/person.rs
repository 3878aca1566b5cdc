//! Questions of MCP servers to the person: a form, shown with who asks, that is sent, declined or filled in.

use std::sync::Arc;

use aish_mcp::client::Person;
use aish_safety::{Answer, Approver, Judgement, Question, Subject, Verdict};
use aish_tools::schema::Schema;
use aish_types::{BoxFuture, ToolName};
use serde_json::{Map, Value, json};

/// How often a form that does not fit is put again.
const TRIES: usize = 5;

/// Puts forms to whoever answers the gate's questions.
pub struct Forms(pub Arc<dyn Approver>);

impl Person for Forms {
    fn ask<'a>(&'a self, alias: &'a str, message: &'a str, schema: &'a Value) -> BoxFuture<'a, Option<Option<Value>>> {
        Box::pin(async move {
            let mut form = begin(schema);
            let mut fault = None;
            for _ in 0..TRIES {
                match self.0.ask(&question(alias, message, schema, &form, fault.as_deref())).await {
                    Answer::Yes | Answer::Always(_) => match lacking(schema, &form) {
                        None => return Some(Some(form)),
                        lacks => fault = lacks,
                    },
                    Answer::No | Answer::Stop | Answer::Try => return Some(None),
                    Answer::Nobody => return None,
                    Answer::Edit(text) => match serde_json::from_str::<Value>(&text) {
                        Ok(edited @ Value::Object(_)) => {
                            fault = lacking(schema, &edited);
                            form = edited;
                        }
                        Ok(_) => fault = Some("the form is a JSON object".to_owned()),
                        Err(error) => fault = Some(format!("that is no JSON: {error}")),
                    },
                }
            }
            None
        })
    }
}

fn question(alias: &str, message: &str, schema: &Value, form: &Value, fault: Option<&str>) -> Question {
    let mut text = format!("The MCP server {alias} asks: {message}");
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        text.push_str(&format!("\n{name}{}", told(field)));
    }
    if let Some(fault) = fault {
        text.push_str(&format!("\n({fault})"));
    }
    let judgement = Judgement::new(
        Verdict::Ask,
        "mcp.elicitation",
        format!("the answer goes to the server {alias}; never give it a password or a key"),
    );
    Question {
        tool: ToolName::new(format!("{alias}.answer")),
        subject: Subject::Tool,
        arguments: form.clone(),
        judgement,
        confirm_message: Some(text),
        drift: None,
        always: None,
        can_try: false,
        way_back: aish_safety::WayBack::Nothing,
        notes: Vec::new(),
    }
}

/// Says what a field takes.
fn told(field: &Value) -> String {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    let mut told = String::new();
    if let Some(words) = text("title").or_else(|| text("description")) {
        told.push_str(&format!(": {words}"));
    }
    match field.get("enum").and_then(Value::as_array) {
        Some(choices) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            told.push_str(&format!(" ({})", choices.join(", ")));
        }
        None => told.push_str(&format!(" ({})", text("type").unwrap_or("anything"))),
    }
    told
}

/// A form to begin with: each field has its default, or something of its kind to write over.
fn begin(schema: &Value) -> Value {
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flatten().map(|(name, field)| {
        let first = field.get("enum").and_then(|choices| choices.get(0));
        let empty = match field.get("type").and_then(Value::as_str) {
            Some("boolean") => json!(true),
            Some("integer" | "number") => json!(0),
            Some("array") => json!([]),
            _ => json!(""),
        };
        (name.clone(), field.get("default").or(first).cloned().unwrap_or(empty))
    });
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Says what a form lacks; a text that has to be there must say something.
fn lacking(schema: &Value, form: &Value) -> Option<String> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let blank: Vec<&str> = required.filter(|name| form.get(*name) == Some(&json!(""))).collect();
    if !blank.is_empty() {
        return Some(format!("still empty: {}; [e]dit fills it in", blank.join(", ")));
    }
    // A form whose description cannot be used can only be looked at.
    Schema::compile(schema).ok()?.validate(form).err().map(|faults| faults.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Gives its answers one after the other, and keeps the questions.
    struct Script(Mutex<(Vec<Answer>, Vec<Question>)>);

    impl Approver for Script {
        fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
            let mut state = self.0.lock().unwrap();
            state.1.push(question.clone());
            let answer = if state.0.is_empty() { Answer::Nobody } else { state.0.remove(0) };
            Box::pin(std::future::ready(answer))
        }
    }

    async fn asked(answers: Vec<Answer>) -> (Option<Option<Value>>, Vec<Question>) {
        let schema = json!({"type": "object", "required": ["branch"], "properties": {
            "branch": {"type": "string", "description": "where to"}, "force": {"type": "boolean", "default": false}}});
        let script = Arc::new(Script(Mutex::new((answers, Vec::new()))));
        let form = Forms(script.clone()).ask("files", "Which branch?", &schema).await;
        let questions = script.0.lock().unwrap().1.clone();
        (form, questions)
    }

    #[tokio::test]
    async fn safety_14_a_question_names_its_origin_and_a_no_is_a_no() {
        let (form, questions) = asked(vec![Answer::No]).await;
        assert_eq!(form, Some(None));
        let told = questions[0].confirm_message.clone().unwrap();
        assert!(told.contains("The MCP server files asks: Which branch?") && told.contains("where to"), "{told}");
        assert!(questions[0].judgement.reason.contains("password"));
        assert_eq!(asked(Vec::new()).await.0, None);
    }

    #[tokio::test]
    async fn a_form_is_filled_in_by_an_edit_and_sent_when_it_fits() {
        let edit = |text: &str| Answer::Edit(text.into());
        let answers =
            vec![Answer::Yes, edit("{"), edit("{\"branch\": 5}"), edit("{\"branch\": \"main\"}"), Answer::Yes];
        let (form, questions) = asked(answers).await;
        assert_eq!(form, Some(Some(json!({"branch": "main"}))));
        assert_eq!(questions[0].arguments, json!({"branch": "", "force": false}));
        assert!(questions[1].confirm_message.clone().unwrap().contains("still empty: branch"));
    }
}
