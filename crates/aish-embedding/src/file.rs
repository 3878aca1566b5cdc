//! How a model is kept: a mark, six sizes, the pieces of words as lines, then the numbers in the order in which they are used.

use crate::matrix::{MAX_COLUMNS, Matrix};
use crate::model::Shape;

/// What a file begins with; the digit is the format's version.
pub(crate) const MARK: [u8; 8] = *b"AISHEMB1";
/// The most of each size: layers, heads, pieces of a text, bytes of all pieces of words.
const MOST: [usize; 4] = [24, 64, 512, 8_000_000];

/// Why bytes are no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// They are something else, or of another version.
    #[error("this is no sentence model of this version; fetch it again")]
    OtherFormat,
    /// A size in them is out of its bounds.
    #[error("the sentence model has a size that no model has; fetch it again")]
    Size,
    /// They end too soon, or go on behind the end.
    #[error("the sentence model is not whole; fetch it again")]
    NotWhole,
    /// The pieces of words are no text, or lack a mark.
    #[error("the sentence model's words cannot be read; fetch it again")]
    Words,
}

/// Reads bytes from the beginning.
pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Reads the mark and the sizes; the text of the pieces follows.
    pub(crate) fn begin(bytes: &'b [u8]) -> Result<(Self, Shape, &'b str), ModelError> {
        let rest = bytes.strip_prefix(&MARK).ok_or(ModelError::OtherFormat)?;
        let mut reader = Self { rest };
        let mut size = |most: usize| match reader.number()? {
            0 => Err(ModelError::Size),
            size if size > most => Err(ModelError::Size),
            size => Ok(size),
        };
        let [layers, heads, positions, text] = MOST;
        let (layers, heads) = (size(layers)?, size(heads)?);
        let (width, inner) = (size(MAX_COLUMNS)?, size(MAX_COLUMNS)?);
        let (positions, text) = (size(positions)?, size(text)?);
        if width % heads != 0 || positions < 3 {
            return Err(ModelError::Size);
        }
        let text = std::str::from_utf8(reader.take(text)?).map_err(|_| ModelError::Words)?;
        Ok((reader, Shape { layers, heads, width, inner, positions }, text))
    }

    /// Says whether all was read.
    pub(crate) fn end(&self) -> Result<(), ModelError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ModelError::NotWhole) }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], ModelError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ModelError::NotWhole)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, ModelError> {
        let bytes = self.take(4)?.try_into().map_err(|_| ModelError::NotWhole)?;
        usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| ModelError::Size)
    }

    /// Reads numbers of 32 bits.
    pub(crate) fn floats(&mut self, count: usize) -> Result<Box<[f32]>, ModelError> {
        let bytes = self.take(count.checked_mul(4).ok_or(ModelError::Size)?)?;
        let numbers = bytes.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(f32::from_le_bytes);
        Ok(numbers.collect())
    }

    /// Reads a matrix: the scales of its rows, then its numbers of 8 bits.
    pub(crate) fn matrix(&mut self, rows: usize, columns: usize) -> Result<Matrix, ModelError> {
        let scales = self.floats(rows)?;
        let bytes = self.take(rows.checked_mul(columns).ok_or(ModelError::Size)?)?;
        let values = bytes.iter().map(|&byte| i8::from_le_bytes([byte])).collect();
        Matrix::new(columns, values, scales).ok_or(ModelError::Size)
    }
}
