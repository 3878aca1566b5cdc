//! Every rule against the examples that it carries.

use std::collections::BTreeSet;

use aish_safety::rules::FAMILIES;
use aish_safety::{Part, Surroundings, explain};

fn around() -> Surroundings {
    Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() }
}

fn ids(parts: &[Part], out: &mut BTreeSet<String>) {
    for part in parts {
        out.insert(part.rule.to_string());
        ids(&part.parts, out);
    }
}

#[test]
fn every_rule_matches_its_examples_and_no_others() {
    let mut wrong = Vec::new();
    for rule in FAMILIES.iter().flat_map(|family| family.iter()) {
        for (lines, expected) in [(rule.matches, true), (rule.not_matches, false)] {
            for line in lines {
                let explanation = explain(line, &around());
                let mut found = BTreeSet::new();
                ids(&explanation.parts, &mut found);
                if found.contains(rule.id) != expected {
                    wrong.push(format!("{} expected={expected}: {line}\n    {found:?}", rule.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn there_are_enough_rules_with_ids_of_their_own() {
    let rules: Vec<_> = FAMILIES.iter().flat_map(|family| family.iter()).collect();
    let ids: BTreeSet<_> = rules.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rules.len(), "an id is given twice");
    assert!(rules.len() >= 350, "{} rules", rules.len());
    assert!(rules.iter().all(|rule| !rule.matches.is_empty()), "a rule has no example");
}
