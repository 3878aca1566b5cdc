//! Why a command is judged as it is, in words: what `check --explain`, `policy show COMMAND`, `:policy` and `:why` say.

mod changes;

use std::collections::BTreeSet;

use aish_safety::{
    Analysis, Changes, Judgement, Part, Policy, PolicyRules, Reads, Sends, Surroundings, Taint, Verdict,
};

use crate::caught::unless_it_panics;

/// Judges a command, and turns a panic into the strictest verdict: a checker's error is never a yes. What a broken policy
/// would raise is not known: under it nothing is let through.
pub fn analysed(command: &str, surroundings: &Surroundings, policy: &Policy) -> Analysis {
    let analysed = unless_it_panics(|| aish_safety::analyse(command, surroundings, &policy.rules));
    let mut analysis = analysed.unwrap_or_else(failed);
    analysis.judgement = policy.raise_where_broken(analysis.judgement);
    analysis
}

/// Says of a command that the checker failed on, which is taken for the worst.
fn failed() -> Analysis {
    Analysis {
        judgement: Judgement::new(Verdict::Halt, "checker.failed", "the checker failed on this command"),
        parts: Vec::new(),
        changes: Changes::default(),
        reads: Reads::default(),
        sends: Sends::Data,
        taint: Taint::Foreign,
        matched: Vec::new(),
    }
}

/// Says what decides, part by part, what is written and sent, and where the rules stand.
pub fn explanation(analysis: &Analysis, rules: &PolicyRules) -> String {
    let mut out = analysis.render();
    for line in changes::lines(&analysis.changes) {
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str(match analysis.sends {
        Sends::Nothing => "",
        Sends::Addresses => "reaches: another machine\n",
        Sends::Data => "sends: data to another machine\n",
    });
    out + &places(analysis, rules)
}

/// Says where the rules stand that decided about the parts of a command, a line each.
fn places(analysis: &Analysis, rules: &PolicyRules) -> String {
    fn collect<'p>(parts: &'p [Part], ids: &mut BTreeSet<&'p str>) {
        for part in parts {
            ids.insert(part.rule.as_str());
            collect(&part.parts, ids);
        }
    }
    let mut ids = BTreeSet::from([analysis.judgement.rule.as_str()]);
    collect(&analysis.parts, &mut ids);
    let mut out = String::new();
    for id in ids {
        if let Some(rule) = rules.iter().find(|rule| rule.id == id) {
            out.push_str(&format!("the rule {id} (`{}`) stands at {}\n", rule.pattern, rule.place));
        } else if let Some(file) = aish_safety::file_of_rule(id) {
            out.push_str(&format!("the rule {id} stands in {file}\n"));
        }
    }
    out
}
