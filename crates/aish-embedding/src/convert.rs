//! Makes the file of a model from what is published: numbers as safetensors, pieces of words as a tokenizer's JSON.

use std::collections::HashMap;

use serde::Deserialize;

use crate::file::MARK;
use crate::matrix::MAX_COLUMNS;

/// The longest head of a safetensors file, in bytes.
const MAX_HEAD: usize = 1_000_000;
/// Pieces of the longest text that is kept a place for.
const POSITIONS: usize = 128;
/// The size of a head, which the files do not say; that of all models of this family.
const HEAD: usize = 32;

/// Why no model can be made.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// A part of the files is not there, or not of its size.
    #[error("the published model lacks {0}, or has it in another form")]
    Lacks(String),
    /// One of the two files cannot be read.
    #[error("the published model cannot be read")]
    Unreadable(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

#[derive(Deserialize)]
struct Tokenizer {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, u32>,
}

/// The tensors of a safetensors file by name.
struct Tensors<'b> {
    places: HashMap<String, Place>,
    data: &'b [u8],
}

impl<'b> Tensors<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, ConvertError> {
        let lacks = || ConvertError::Lacks("its head".into());
        let (length, rest) = bytes.split_at_checked(8).ok_or_else(lacks)?;
        let length = u64::from_le_bytes(length.try_into().map_err(|_| lacks())?);
        let length = usize::try_from(length).ok().filter(|&length| length <= MAX_HEAD).ok_or_else(lacks)?;
        let (head, data) = rest.split_at_checked(length).ok_or_else(lacks)?;
        let mut head: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(head)?;
        head.remove("__metadata__");
        let places = head.into_iter().map(|(name, place)| Ok((name, serde_json::from_value(place)?)));
        Ok(Self { places: places.collect::<Result<_, serde_json::Error>>()?, data })
    }

    /// Returns the sizes and the numbers of a tensor.
    fn get(&self, name: &str) -> Result<(&[usize], Vec<f32>), ConvertError> {
        let place = self.places.get(name).filter(|place| place.dtype == "F32");
        let bytes = place.and_then(|place| self.data.get(place.data_offsets.0..place.data_offsets.1));
        let (Some(place), Some(bytes)) = (place, bytes) else { return Err(ConvertError::Lacks(name.into())) };
        let count = place.shape.iter().try_fold(4_usize, |bytes, &size| bytes.checked_mul(size));
        if count != Some(bytes.len()) {
            return Err(ConvertError::Lacks(name.into()));
        }
        let numbers = bytes.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(f32::from_le_bytes);
        Ok((&place.shape, numbers.collect()))
    }
}

/// Makes the file of a model from the published ones, `model.safetensors` and `tokenizer.json`: its matrices in 8 bits with a scale
/// a row, a quarter of the size.
///
/// # Errors
/// When they are no BERT of the family that is known here.
pub fn convert(safetensors: &[u8], tokenizer: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let tensors = Tensors::read(safetensors)?;
    let pieces = pieces(tokenizer)?;
    let (shape, words) = tensors.get("embeddings.word_embeddings.weight")?;
    let &[count, width] = shape else { return Err(ConvertError::Lacks("the words".into())) };
    let (shape, _) = tensors.get("encoder.layer.0.intermediate.dense.weight")?;
    let inner = shape.first().copied().unwrap_or_default();
    let layers = (0..)
        .take_while(|layer| tensors.places.contains_key(&format!("encoder.layer.{layer}.attention.self.query.weight")));
    let layers = layers.count();
    if count != pieces.len() || width % HEAD != 0 || !(HEAD..=MAX_COLUMNS).contains(&width) || inner > MAX_COLUMNS {
        return Err(ConvertError::Lacks("sizes that are known here".into()));
    }
    let text = pieces.join("\n");
    let mut out = MARK.to_vec();
    for size in [layers, width / HEAD, width, inner, POSITIONS, text.len()] {
        out.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
    }
    out.extend(text.as_bytes());
    put_matrix(&mut out, &words, width);
    put_floats(&mut out, &positions(&tensors, width)?);
    let mut part = |name: &str, size: &[usize]| -> Result<(), ConvertError> {
        let (shape, numbers) = tensors.get(name)?;
        match size {
            _ if shape != size => return Err(ConvertError::Lacks(name.into())),
            &[_, columns] => put_matrix(&mut out, &numbers, columns),
            _ => put_floats(&mut out, &numbers),
        }
        Ok(())
    };
    part("embeddings.LayerNorm.weight", &[width])?;
    part("embeddings.LayerNorm.bias", &[width])?;
    for layer in 0..layers {
        for (name, rows, columns) in [
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("attention.output.LayerNorm", width, 0),
            ("intermediate.dense", inner, width),
            ("output.dense", width, inner),
            ("output.LayerNorm", width, 0),
        ] {
            let size: &[usize] = if columns == 0 { &[rows] } else { &[rows, columns] };
            part(&format!("encoder.layer.{layer}.{name}.weight"), size)?;
            part(&format!("encoder.layer.{layer}.{name}.bias"), &[rows])?;
        }
    }
    Ok(out)
}

/// Returns the pieces of words in the order of their numbers.
fn pieces(tokenizer: &[u8]) -> Result<Vec<String>, ConvertError> {
    let Tokenizer { model } = serde_json::from_slice(tokenizer)?;
    let mut pieces: Vec<(u32, String)> = model.vocab.into_iter().map(|(piece, id)| (id, piece)).collect();
    pieces.sort_unstable();
    let in_order = pieces.iter().zip(0..).all(|((id, piece), at)| *id == at && !piece.contains('\n'));
    if !in_order {
        return Err(ConvertError::Lacks("pieces of words that are numbered without a gap".into()));
    }
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

/// Returns the rows of the places with that of the first kind of text added, as there is one text alone.
fn positions(tensors: &Tensors<'_>, width: usize) -> Result<Vec<f32>, ConvertError> {
    let lacks = || ConvertError::Lacks("places of pieces".into());
    let (_, all) = tensors.get("embeddings.position_embeddings.weight")?;
    let (_, kinds) = tensors.get("embeddings.token_type_embeddings.weight")?;
    let (places, kind) = (all.get(..POSITIONS * width).ok_or_else(lacks)?, kinds.get(..width).ok_or_else(lacks)?);
    Ok(places.iter().zip(kind.iter().cycle()).map(|(place, kind)| place + kind).collect())
}

fn put_floats(out: &mut Vec<u8>, numbers: &[f32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Writes the scales of all rows, then their numbers in 8 bits.
fn put_matrix(out: &mut Vec<u8>, numbers: &[f32], columns: usize) {
    let most = |row: &[f32]| row.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let rows = || numbers.chunks_exact(columns.max(1));
    put_floats(out, &rows().map(|row| most(row) / 127.0).collect::<Vec<f32>>());
    for row in rows() {
        let most = most(row);
        let step = if most > 0.0 { 127.0 / most } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within 127, and a cast saturates")]
        let bytes = row.iter().map(|number| (number * step).round() as i8).flat_map(i8::to_le_bytes);
        out.extend(bytes);
    }
}
