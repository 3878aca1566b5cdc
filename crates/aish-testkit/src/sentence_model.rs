//! A sentence model as it is published, small enough to be made on the spot: words of one list mean the same.
//!
//! Its layers add nothing, so that a text's direction is the mean of its words'.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Numbers of a row; the length of the one head that is taken for a matter of course.
const WIDTH: usize = 32;
/// Places of pieces that the published models have.
const PLACES: usize = 512;

/// Makes `model.safetensors` and `tokenizer.json` of a model of one layer. Words of the list number N point along the side N of at
/// most 32; others are unknown and say nothing.
pub fn sentence_model(meanings: &[&[&str]]) -> (Vec<u8>, Vec<u8>) {
    let side = |at: usize| -> Vec<f32> { (0..WIDTH).map(|other| if other == at { 1.0 } else { 0.0 }).collect() };
    let marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let mut vocabulary: Vec<(String, Vec<f32>)> = marks.map(|mark| (mark.to_owned(), vec![0.0; WIDTH])).to_vec();
    for (number, words) in meanings.iter().enumerate() {
        vocabulary.extend(words.iter().map(|word| ((*word).to_owned(), side(number))));
    }
    let words = vocabulary.iter().flat_map(|(_, row)| row.clone()).collect();
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![vocabulary.len(), WIDTH], words),
        zeros("embeddings.position_embeddings.weight", &[PLACES, WIDTH]),
        zeros("embeddings.token_type_embeddings.weight", &[2, WIDTH]),
    ];
    let mut norm = |name: &str| {
        tensors.push((format!("{name}.weight"), vec![WIDTH], vec![1.0; WIDTH]));
        tensors.push(zeros(&format!("{name}.bias"), &[WIDTH]));
    };
    norm("embeddings.LayerNorm");
    norm("encoder.layer.0.attention.output.LayerNorm");
    norm("encoder.layer.0.output.LayerNorm");
    let linear = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
    for name in linear.into_iter().chain(["intermediate.dense", "output.dense"]) {
        tensors.push(zeros(&format!("encoder.layer.0.{name}.weight"), &[WIDTH, WIDTH]));
        tensors.push(zeros(&format!("encoder.layer.0.{name}.bias"), &[WIDTH]));
    }
    let ids = vocabulary.iter().zip(0..).map(|((word, _), id)| (word.clone(), Value::from(id)));
    let tokenizer = json!({"model": {"type": "WordPiece", "vocab": ids.collect::<serde_json::Map<_, _>>()}});
    (safetensors(&tensors), tokenizer.to_string().into_bytes())
}

fn zeros(name: &str, shape: &[usize]) -> (String, Vec<usize>, Vec<f32>) {
    (name.to_owned(), shape.to_vec(), vec![0.0; shape.iter().product()])
}

fn safetensors(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let (mut head, mut data) = (String::from("{\"__metadata__\":{\"format\":\"pt\"}"), Vec::new());
    for (name, shape, numbers) in tensors {
        let begin = data.len();
        data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let place = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        // A string takes what is written to it.
        let _ = write!(head, ",{}:{place}", Value::from(name.as_str()));
    }
    head.push('}');
    let mut out = (head.len() as u64).to_le_bytes().to_vec();
    out.extend(head.into_bytes());
    out.extend(data);
    out
}
