//! Searches by meaning, with a sentence model that is made on the spot.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use aish_testkit::sentence_model;
use serde_json::{Value, json};

use crate::client::{Client, Way, file, over_both};

const TOOLS: &str = "
name: office
command: echo
tools:
  - {name: forecast, description: Tells the weather}
  - {name: accounts, description: Writes an invoice}
  - {name: rest, description: Sleeps}
";
/// Shares no word with the tool that it means.
const REQUEST: &str = "umbrella today";

fn put_model(data: &Path) {
    let (numbers, words) =
        sentence_model(&[&["weather", "forecast", "umbrella"], &["invoice", "accounts", "money"], &["sleeps", "rest"]]);
    let models = data.join("aish/models");
    std::fs::create_dir_all(&models).unwrap();
    let made = aish_embedding::convert(&numbers, &words).unwrap();
    std::fs::write(models.join(aish_embedding::FILE), made).unwrap();
}

fn found(client: &mut Client, query: &str) -> Vec<String> {
    let called = client.call("climax_search", json!({"query": query}));
    let answer: Value = serde_json::from_str(&called.text).unwrap();
    answer["results"].as_array().unwrap().iter().map(|tool| tool["tool_name"].as_str().unwrap().to_owned()).collect()
}

over_both!(a_server_searches_by_words_until_every_tool_has_its_vector, without_a_model_words_answer);

fn a_server_searches_by_words_until_every_tool_has_its_vector(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let config = file(&folder, "office.yaml", TOOLS);
    let data = folder.path().join("data");
    put_model(&data);
    let mut client = Client::start_with(way, &["run", &config], None, |command| {
        command.env("XDG_DATA_HOME", &data);
    });
    // Never in a start: nothing was made before the first search.
    assert!(vectors(&client.state()).is_empty());
    assert!(found(&mut client, "zzz").is_empty());
    let began = Instant::now();
    while found(&mut client, REQUEST) != ["forecast"] {
        assert!(began.elapsed() < Duration::from_secs(60), "the vectors are not made");
    }
    assert_eq!(found(&mut client, "accounts")[0], "accounts", "a name that is given comes first");
    assert_eq!(vectors(&client.state()).len(), 1, "they are kept");
}

fn without_a_model_words_answer(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let config = file(&folder, "office.yaml", TOOLS);
    let mut client = Client::start_over(way, &["run", &config]);
    assert!(found(&mut client, REQUEST).is_empty());
    assert_eq!(found(&mut client, "weather"), ["forecast"]);
}

#[test]
fn one_search_of_the_command_line_uses_the_model_and_survives_a_broken_one() {
    let folder = tempfile::tempdir().unwrap();
    let config = file(&folder, "office.yaml", TOOLS);
    let data = folder.path().join("data");
    put_model(&data);
    let search = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
        command.args(["search", "--in", &config, "--json", REQUEST]);
        command
            .env("HOME", folder.path())
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("XDG_DATA_HOME", &data);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["results"].as_array().unwrap().len()
    };
    assert_eq!(search(), 1);
    let kept = vectors(&folder.path().join("state/climax"));
    assert_eq!(search(), 1, "with the vectors that are kept");
    // Neither a file of vectors nor a model that is cut short costs a search.
    std::fs::write(&kept[0], "CLXVECS1").unwrap();
    assert_eq!(search(), 1);
    std::fs::write(data.join("aish/models").join(aish_embedding::FILE), "AISHEMB1").unwrap();
    assert_eq!(search(), 0);
}

fn vectors(state: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(state) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("vectors-")).collect()
}
