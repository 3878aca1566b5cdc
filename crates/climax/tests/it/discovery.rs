//! Requests in words over the bundled configs.

use std::sync::Arc;

use aish_tools::index::Query;
use climax::load::{self, Source};
use climax::policy::Policy;
use climax::schema::Flags;
use climax::{Catalogue, bundled};

fn bundled() -> Catalogue {
    let sources: Vec<Source> = bundled::ALL.iter().map(Source::Bundled).collect();
    let loaded = load::load(&sources);
    assert_eq!(loaded.faults, [], "every bundled config is without fault");
    Catalogue::new(loaded.configs, Arc::new(Policy::default()), Flags::Shown)
}

#[test]
fn bundled_configs_say_risk_and_ask_by_name() {
    let catalogue = bundled();
    assert_eq!(catalogue.warnings, []);
    for definition in catalogue.definitions() {
        let tool = catalogue.get(definition.name.as_str()).unwrap().tool;
        assert!(!definition.category.is_empty() && !definition.tags.is_empty(), "{}", tool.name);
        assert!(tool.risk == aish_types::Risk::Read || tool.confirm_message.is_some(), "{} asks something", tool.name);
    }
}

#[test]
fn requests_in_words_find_their_tool() {
    let index = bundled().index();
    let (mut first, mut among, mut all) = (0, 0, 0);
    for line in include_str!("../data/discovery.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (accepted, request) = line.split_once('\t').unwrap();
        let accepted: Vec<&str> = accepted.split('|').collect();
        for name in &accepted {
            assert!(index.get(&(*name).into()).is_some(), "{name} is no tool");
        }
        let page = index.search(&Query { limit: 5, ..Query::text(request) });
        let rank = page.hits.iter().position(|hit| accepted.contains(&hit.definition.name.as_str()));
        all += 1;
        first += usize::from(rank == Some(0));
        among += usize::from(rank.is_some());
    }
    assert!(all >= 150);
    assert!(first * 100 >= all * 75, "recall@1: {first} of {all}");
    assert!(among * 100 >= all * 93, "recall@5: {among} of {all}");
}

#[test]
fn the_promised_requests_are_found_first() {
    let index = bundled().index();
    for (request, tool) in [
        ("container logs", "docker_logs"),
        ("open a pull request", "gh_pr_create"),
        ("upload file to s3", "aws_s3_cp"),
        ("comit with a message", "git_commit"),
        ("docker compose ps", "docker_compose_ps"),
    ] {
        let page = index.search(&Query::text(request));
        assert_eq!(page.hits[0].definition.name.as_str(), tool, "{request}");
    }
}

#[test]
fn an_example_finds_its_tool() {
    let read = |examples: &str| {
        let text = format!(
            "name: day\ncommand: x\ntools:\n  - {{name: rest, description: Sleeps, examples: {examples}}}\n  \
             - {{name: eat, description: Has a meal}}\n"
        );
        climax::config::read("day", &text)
    };
    let (config, faults) = read("[take a nap, lie down for an hour]");
    assert_eq!(faults, []);
    let catalogue = Catalogue::new(vec![Arc::new(config.unwrap())], Arc::new(Policy::default()), Flags::Shown);
    let index = catalogue.index();
    for request in ["I want to lie down", "nap"] {
        assert_eq!(index.search(&Query::text(request)).hits[0].definition.name.as_str(), "rest", "{request}");
    }
    let texts: Vec<String> = index.meaning_texts().collect();
    assert_eq!(texts, ["rest: Sleeps (day)", "take a nap", "lie down for an hour", "eat: Has a meal (day)"]);

    let many = format!("[{}]", ["nap"; 9].join(", "));
    for (examples, fault) in [(many, "8 are the most"), (format!("[{}]", "x".repeat(301)), "300 are the most")] {
        let (_, faults) = read(&examples);
        assert!(faults.iter().any(|found| found.message.contains(fault)), "{faults:?}");
    }
}
