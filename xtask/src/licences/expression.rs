//! SPDX licence expressions (SPDX 2.3, annex D): `AND`, `OR`, `WITH`, brackets, and the old `/` for `OR`.

use anyhow::{Context, bail, ensure};

/// Tells whether an expression can be fulfilled with allowed licences alone.
pub(super) fn holds(expression: &str, allowed: &dyn Fn(&str) -> bool) -> anyhow::Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let value = either(&mut rest, allowed)?;
    ensure!(rest.is_empty(), "`{}` is left over", rest.join(" "));
    Ok(value)
}

fn either(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> anyhow::Result<bool> {
    let mut value = both(rest, allowed)?;
    while let Some(("OR", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        *rest = after;
        value |= both(rest, allowed)?;
    }
    Ok(value)
}

fn both(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> anyhow::Result<bool> {
    let mut value = term(rest, allowed)?;
    while let Some(("AND", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        *rest = after;
        value &= term(rest, allowed)?;
    }
    Ok(value)
}

fn term(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> anyhow::Result<bool> {
    let (word, after) = rest.split_first().context("it ends too early")?;
    *rest = after;
    match *word {
        "(" => {
            let value = either(rest, allowed)?;
            let (")", after) = rest.split_first().map_or(("", *rest), |(word, after)| (*word, after)) else {
                bail!("a bracket is not closed");
            };
            *rest = after;
            Ok(value)
        }
        "AND" | "OR" | "WITH" | ")" => bail!("`{word}` stands where a licence should"),
        licence => {
            if let Some(("WITH", [exception, after @ ..])) = rest.split_first().map(|(word, after)| (*word, after)) {
                *rest = after;
                // An exception adds rights: whoever may use the bare licence may use this one.
                return Ok(allowed(&format!("{licence} WITH {exception}")) || allowed(licence));
            }
            Ok(allowed(licence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_says() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR GPL-3.0) AND ISC", true),
            ("GPL-3.0 OR MIT AND ISC", true),
            ("GPL-3.0 OR (MIT AND GPL-2.0)", false),
            ("GPL-2.0 WITH Classpath-exception-2.0", false),
            ("ISC WITH LLVM-exception", true),
        ] {
            let allowed = |term: &str| ["MIT", "ISC"].contains(&term);
            assert_eq!(holds(expression, &allowed).unwrap(), expected, "{expression}");
        }
    }

    #[test]
    fn a_broken_expression_is_an_error() {
        for expression in ["", "MIT OR", "(MIT", "MIT ISC", "AND MIT", ")"] {
            assert!(holds(expression, &|_| true).is_err(), "{expression}");
        }
    }
}
