//! Names that code gives to strings, put into its templates.

use alloc::string::String;

use super::super::budget::Budget;
use super::literal;

/// Puts strings that code gives names to into the places of its templates: `a = "rm"` and `{a}`, `${a}`, `#{a}`.
pub(super) fn filled(text: &str, budget: &Budget) -> Option<String> {
    let mut out = None;
    let mut at = 0;
    for _ in 0..16 {
        let Some(equals) = text.get(at..).and_then(|rest| rest.find('=')).map(|length| at + length) else { break };
        at = equals + 1;
        let before = text.get(..equals).unwrap_or_default().trim_end();
        let from = before.rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map_or(0, |at| at + 1);
        let name = before.get(from..).unwrap_or_default();
        let after = text.get(at..).unwrap_or_default().trim_start();
        if name.is_empty() || name.len() > 32 || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            continue;
        }
        let Some((value, _)) = literal::read(after, budget) else { continue };
        for (open, close) in [("${", "}"), ("#{", "}"), ("{", "}"), ("$", "")] {
            let place = alloc::format!("{open}{name}{close}");
            let source = out.as_deref().unwrap_or(text);
            if value.len() < 256 && source.len() < 16_384 && source.contains(&place) {
                out = Some(budget.replaced(source, &place, &value)?);
            }
        }
    }
    out
}
