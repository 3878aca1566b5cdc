//! A model that is made on the spot: converted, read, and refused where it is broken.

use aish_embedding::{ConvertError, Model, ModelError, convert};
use aish_testkit::sentence_model;

pub(crate) fn cosine(a: &[i8], b: &[i8]) -> f64 {
    let dot = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn small() -> Vec<u8> {
    let (numbers, words) = sentence_model(&[&["rain", "umbrella"], &["money", "invoice"]]);
    convert(&numbers, &words).unwrap()
}

#[test]
fn texts_of_one_meaning_have_one_direction() {
    let model = Model::read(&small()).unwrap();
    let near = |a: &str, b: &str| cosine(model.embed(a).numbers(), model.embed(b).numbers());
    assert_eq!(model.width(), 32);
    assert!(near("rain", "Umbrella") > 0.999);
    assert!(near("rain umbrella", "umbrella, rain") > 0.9);
    assert!(near("rain", "money") < near("rain money", "money"));
    // Longer than what is read, and nothing at all.
    assert!(near(&"rain ".repeat(3_000), "rain") > 0.8);
    assert_eq!(model.embed("").numbers().len(), 32);
}

#[test]
fn broken_files_are_refused() {
    let whole = small();
    let read = |bytes: &[u8]| Model::read(bytes).err();
    assert_eq!(read(b"GGUF"), Some(ModelError::OtherFormat));
    assert_eq!(read(&whole[..whole.len() - 1]), Some(ModelError::NotWhole));
    assert_eq!(read(&[&whole[..], b"x"].concat()), Some(ModelError::NotWhole));
    for (at, bytes) in [(8, 0_u32), (8, 4_000_000_000), (12, 5), (16, 4_000_000_000), (28, 4_000_000_000)] {
        let mut broken = whole.clone();
        broken[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
        assert!(matches!(read(&broken), Some(ModelError::Size | ModelError::NotWhole)), "{at} {bytes}");
    }
    // Each length of the file, as a download that broke off leaves it.
    for end in (0..whole.len()).step_by(97) {
        assert!(read(&whole[..end]).is_some(), "{end}");
    }
}

#[test]
fn other_models_are_no_model() {
    let (numbers, words) = sentence_model(&[&["rain"]]);
    let lacks = |numbers: &[u8], words: &[u8]| matches!(convert(numbers, words), Err(ConvertError::Lacks(_)));
    assert!(lacks(b"", &words));
    assert!(lacks(&u64::MAX.to_le_bytes(), &words));
    assert!(lacks(&numbers[..numbers.len() - 40], &words));
    assert!(lacks(&numbers, br#"{"model": {"vocab": {"[UNK]": 0, "rain": 7}}}"#));
    assert!(matches!(convert(&numbers, b"{}"), Err(ConvertError::Unreadable(_))));
}
