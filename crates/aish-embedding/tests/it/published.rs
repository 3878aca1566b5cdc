//! The published model: `AISH_TEST_SENTENCES` names the archive of its files.

use std::fs::File;
use std::io::Read;

use aish_embedding::{Model, convert};
use aish_testkit::skip;

use crate::small::cosine;

fn member(archive: &mut zip::ZipArchive<File>, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The cosines are those of the published model in 32 bits, computed apart from this code.
#[test]
fn directions_are_those_of_the_published_model() {
    let Some(path) = std::env::var_os("AISH_TEST_SENTENCES") else {
        skip("directions_are_those_of_the_published_model", "AISH_TEST_SENTENCES is not set; ./test sets it");
        return;
    };
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let (numbers, words) = (member(&mut archive, "model.safetensors"), member(&mut archive, "tokenizer.json"));
    let made = convert(&numbers, &words).unwrap();
    assert!(made.len() < 24_000_000, "{}", made.len());
    let model = Model::read(&made).unwrap();
    let texts = ["How do I list files?", "ls lists the files of a folder", "Cook an egg"];
    let vectors = texts.map(|text| model.embed(text));
    for (a, b, known) in [(0, 1, 0.6604), (0, 2, -0.0377), (1, 2, -0.0184)] {
        let got = cosine(vectors[a].numbers(), vectors[b].numbers());
        assert!((got - known).abs() < 0.015, "{} / {}: {got}, published {known}", texts[a], texts[b]);
    }
}
