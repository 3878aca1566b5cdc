//! The script: the steps, how often each is asked for, and what is left of them.

use super::expect::Expect;
use super::reply::Reply;
use super::request::RecordedRequest;
use super::strict::Strict;

/// How often a step is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Exactly so often, in its place in the order; 0 is never.
    Exactly(usize),
    /// Any number of times, none included, at any moment.
    Any,
}

/// One expected request and its reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What the request must look like.
    pub expect: Expect,
    /// What is answered.
    pub reply: Reply,
    /// How often.
    pub times: Times,
}

/// An ordered list of steps. Requests must come in this order, but for steps of [`Times::Any`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The steps.
    pub steps: Vec<Step>,
    /// Takes the first step that fits instead of the next one: for requests that run side by side.
    pub unordered: bool,
    /// Whose rules every request is checked against before it is looked for here.
    pub strict: Option<Strict>,
    /// How many requests those rules refuse; another number fails the script.
    pub refused: usize,
}

impl Script {
    /// Makes an empty script: every request is unexpected.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step that is asked for once.
    #[must_use]
    pub fn step(self, expect: Expect, reply: Reply) -> Self {
        self.times(Times::Exactly(1), expect, reply)
    }

    /// Adds a completion in the OpenAI format that is asked for once, whatever the request's body.
    #[must_use]
    pub fn chat(self, reply: impl Into<Reply>) -> Self {
        self.step(Expect::chat(), reply.into())
    }

    /// Adds a reply that stands for any number of requests.
    #[must_use]
    pub fn always(self, expect: Expect, reply: Reply) -> Self {
        self.times(Times::Any, expect, reply)
    }

    /// Adds a step that is asked for as often as said.
    #[must_use]
    pub fn times(mut self, times: Times, expect: Expect, reply: Reply) -> Self {
        self.steps.push(Step { expect, reply, times });
        self
    }

    /// Checks every request against a vendor's rules first; a request that they refuse takes no step.
    #[must_use]
    pub fn strict(mut self, vendor: Strict) -> Self {
        self.strict = Some(vendor);
        self
    }

    /// Expects that the vendor's rules refuse so many requests; none unless said.
    #[must_use]
    pub fn refuses(mut self, requests: usize) -> Self {
        self.refused = requests;
        self
    }

    /// Lets the steps come in any order.
    #[must_use]
    pub fn in_any_order(mut self) -> Self {
        self.unordered = true;
        self
    }
}

impl From<Reply> for Script {
    /// One chat completion, answered with this reply.
    fn from(reply: Reply) -> Self {
        Self::new().chat(reply)
    }
}

/// The steps that have not been asked for yet.
pub(super) struct Remaining {
    script: Script,
}

impl Remaining {
    pub(super) fn new(script: Script) -> Self {
        Self { script }
    }

    /// Says whether a request asks what the model can do, of which the script has no word: a session asks that beside its first
    /// request, at no set time.
    pub(super) fn is_aside(&self, request: &RecordedRequest) -> bool {
        let path = request.path.as_str();
        let asks = path == "/props" || path == "/v1/models" || path.starts_with("/v1/models/");
        let is_scripted = |step: &Step| step.expect.path.as_deref() == Some(path) && step.times != Times::Exactly(0);
        request.method == "GET" && asks && !self.script.steps.iter().any(is_scripted)
    }

    /// Takes the reply to a request, or says why there is none.
    pub(super) fn take(&mut self, request: &RecordedRequest) -> Result<Reply, String> {
        let mut reasons = Vec::new();
        let unordered = self.script.unordered;
        for step in &mut self.script.steps {
            let Times::Exactly(left) = step.times else { continue };
            if left == 0 {
                continue;
            }
            match step.expect.mismatch(request) {
                None => {
                    step.times = Times::Exactly(left - 1);
                    let reply = step.reply.clone();
                    return Ok(match self.script.strict {
                        Some(vendor) => vendor.sign(request, reply),
                        None => reply,
                    });
                }
                Some(reason) => reasons.push(reason),
            }
            if !unordered {
                break;
            }
        }
        for step in self.script.steps.iter().filter(|step| step.times == Times::Any) {
            match step.expect.mismatch(request) {
                None => return Ok(step.reply.clone()),
                Some(reason) => reasons.push(reason),
            }
        }
        Err(if reasons.is_empty() { "the script is over".into() } else { reasons.join("; ") })
    }

    /// Returns the refusal of a request by the vendor's rules.
    pub(super) fn refusal(&self, request: &RecordedRequest) -> Option<Reply> {
        self.script.strict?.refusal(request)
    }

    /// Says how many refusals there were where another number was expected.
    pub(super) fn refused_otherwise(&self, refusals: &[String]) -> Option<String> {
        let expected = self.script.refused;
        let words =
            || format!("{} requests were refused, {expected} expected: {}", refusals.len(), refusals.join("; "));
        (refusals.len() != expected).then(words)
    }

    pub(super) fn left_over(&self) -> Vec<String> {
        self.script
            .steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step.times {
                Times::Exactly(left) if left > 0 => Some(format!(
                    "step {} ({} {}) was asked for {left} times too seldom",
                    at + 1,
                    step.expect.method.as_deref().unwrap_or("any method"),
                    step.expect.path.as_deref().unwrap_or("any path"),
                )),
                Times::Exactly(_) | Times::Any => None,
            })
            .collect()
    }
}
