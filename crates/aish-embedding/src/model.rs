//! The whole model: pieces of words to rows, through the layers, and their mean as the text's direction.

use crate::file::Reader;
use crate::layer::{Gelu, Layer, Norm};
use crate::matrix::Matrix;
use crate::tokens::Vocabulary;
use crate::{ModelError, Vector};

/// Pieces of a text that are read; what follows says little more of a tool or a request, and costs as much.
const MAX_PIECES: usize = 128;

/// The sizes of a model.
pub(crate) struct Shape {
    /// How many layers it has.
    pub(crate) layers: usize,
    /// How many heads a layer has; they share the width.
    pub(crate) heads: usize,
    /// Numbers of a row.
    pub(crate) width: usize,
    /// Numbers of a row between the two products of a layer.
    pub(crate) inner: usize,
    /// Pieces of the longest text.
    pub(crate) positions: usize,
}

/// A sentence model in memory, about as large as its file.
pub struct Model {
    shape: Shape,
    vocabulary: Vocabulary,
    words: Matrix,
    positions: Box<[f32]>,
    first: Norm,
    layers: Vec<Layer>,
    gelu: Gelu,
}

impl Model {
    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// When they are no whole model of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, ModelError> {
        let (mut reader, shape, text) = Reader::begin(bytes)?;
        let vocabulary = Vocabulary::new(text).ok_or(ModelError::Words)?;
        let words = reader.matrix(vocabulary.len(), shape.width)?;
        let positions = reader.floats(shape.positions.checked_mul(shape.width).ok_or(ModelError::Size)?)?;
        let first = Norm::read(&mut reader, shape.width)?;
        let layers = (0..shape.layers).map(|_| Layer::read(&mut reader, &shape)).collect::<Result<_, _>>()?;
        reader.end()?;
        Ok(Self { shape, vocabulary, words, positions, first, layers, gelu: Gelu::new() })
    }

    /// Returns a text's direction; its end is left out where it has more than 128 pieces.
    pub fn embed(&self, text: &str) -> Vector {
        let ids = self.vocabulary.read(text, MAX_PIECES.min(self.shape.positions));
        let width = self.shape.width;
        let mut rows: Vec<f32> = Vec::with_capacity(ids.len() * width);
        for (&id, position) in ids.iter().zip(self.positions.chunks_exact(width)) {
            if let Some(word) = self.words.row(id as usize) {
                rows.extend(word.zip(position).map(|(word, position)| word + position));
            }
        }
        self.first.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows, &self.shape, &self.gelu);
        }
        let mut mean = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            for (mean, number) in mean.iter_mut().zip(row) {
                *mean += number;
            }
        }
        Vector::new(&mean)
    }

    /// Returns how many numbers its vectors have.
    pub fn width(&self) -> usize {
        self.shape.width
    }
}
