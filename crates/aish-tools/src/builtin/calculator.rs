//! `calculator`: arithmetic that is exact where it can be, with bounds on size and work.
//!
//! An expression is parsed into a tree and evaluated over rationals; what has no rational value is carried with 80
//! decimal digits. Nothing in an expression can reach the host: there is no evaluator but this one.

mod evaluate;
mod exact;
mod format;
mod functions;
mod hint;
mod limits;
mod number;
mod parse;
mod real;
mod tree;

use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};

/// Why an expression has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalculatorError {
    /// There is none.
    #[error("No expression provided")]
    Empty,
    /// It is no expression.
    #[error("Invalid expression: {0}")]
    Invalid(String),
    /// It names something that there is not.
    #[error("Unknown function or variable: {0}")]
    Unknown(String),
    /// It has no value, or a value that is too large.
    #[error("Calculation error: {0}")]
    Calculation(String),
}

/// Evaluates an expression to its text: whole numbers and decimals of up to 15 digits exactly, all else with 6
/// significant digits.
///
/// # Errors
/// When it is empty, no expression, names what there is not, or has no value within the bounds.
pub fn calculate(expression: &str) -> Result<String, CalculatorError> {
    if expression.trim().is_empty() {
        return Err(CalculatorError::Empty);
    }
    let tree = parse::parse(expression)?;
    let value = evaluate::Evaluator::default().evaluate(&tree)?;
    format::format(&value)
}

/// The tool.
pub(crate) struct Calculator;

impl Builtin for Calculator {
    fn definition(&self) -> ToolDefinition {
        let parameters = [Parameter::required("expression", ParameterKind::String).describe(
            "Mathematical expression to evaluate, as in Python (e.g., '2 + 2', 'sqrt(16)', '2**10', '47.50 * 15%')",
        )];
        ToolDefinition {
            category: "math".into(),
            examples: vec!["what is 15% of 47.50".into(), "square root of 2".into()],
            tags: ["math", "arithmetic", "compute"].map(String::from).into(),
            ..definition(
                "calculator",
                "Perform mathematical calculations, exactly. Supports basic arithmetic, powers, percent, and common math \
                 functions.",
                &parameters,
            )
        }
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        let expression = arguments.get("expression").and_then(Value::as_str).unwrap_or_default();
        let outcome = match calculate(expression) {
            Ok(text) => ToolOutcome::success(text),
            Err(error) => ToolOutcome::failure(error.to_string()),
        };
        Box::pin(std::future::ready(outcome))
    }
}
