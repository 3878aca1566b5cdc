//! One layer: attention over the whole text, then two products, each with what came in added and the sum evened out.

use crate::file::Reader;
use crate::matrix::{Matrix, Rows};
use crate::model::Shape;
use crate::{ModelError, file};

/// Keeps the evening out from dividing by nothing, as the published models have it.
const EPSILON: f32 = 1e-12;

/// A matrix with what is added to its products.
pub(crate) struct Linear {
    matrix: Matrix,
    bias: Box<[f32]>,
}

impl Linear {
    fn read(reader: &mut Reader<'_>, rows: usize, columns: usize) -> Result<Self, ModelError> {
        Ok(Self { matrix: reader.matrix(rows, columns)?, bias: reader.floats(rows)? })
    }

    fn apply(&self, input: &Rows) -> Vec<f32> {
        self.matrix.apply(input, &self.bias)
    }
}

/// Gives each row the mean 0 and the spread 1, then a weight and an offset a column.
pub(crate) struct Norm {
    weights: Box<[f32]>,
    offsets: Box<[f32]>,
}

impl Norm {
    pub(crate) fn read(reader: &mut Reader<'_>, width: usize) -> Result<Self, file::ModelError> {
        Ok(Self { weights: reader.floats(width)?, offsets: reader.floats(width)? })
    }

    pub(crate) fn apply(&self, numbers: &mut [f32]) {
        for row in numbers.chunks_exact_mut(self.weights.len().max(1)) {
            #[expect(clippy::cast_precision_loss, reason = "a width of a few hundred")]
            let count = row.len() as f32;
            let mean = row.iter().sum::<f32>() / count;
            let spread = row.iter().map(|number| (number - mean) * (number - mean)).sum::<f32>() / count;
            let scale = (spread + EPSILON).sqrt().recip();
            for ((number, weight), offset) in row.iter_mut().zip(&self.weights).zip(&self.offsets) {
                *number = (*number - mean) * scale * weight + offset;
            }
        }
    }
}

/// One layer.
pub(crate) struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    joined: Linear,
    after_attention: Norm,
    up: Linear,
    down: Linear,
    after_products: Norm,
}

impl Layer {
    pub(crate) fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, ModelError> {
        let (width, inner) = (shape.width, shape.inner);
        Ok(Self {
            query: Linear::read(reader, width, width)?,
            key: Linear::read(reader, width, width)?,
            value: Linear::read(reader, width, width)?,
            joined: Linear::read(reader, width, width)?,
            after_attention: Norm::read(reader, width)?,
            up: Linear::read(reader, inner, width)?,
            down: Linear::read(reader, width, inner)?,
            after_products: Norm::read(reader, width)?,
        })
    }

    /// Takes the rows of a text, one a piece, through the layer.
    pub(crate) fn apply(&self, rows: &mut Vec<f32>, shape: &Shape, gelu: &Gelu) {
        let input = Rows::new(rows, shape.width);
        let (query, key, value) = (self.query.apply(&input), self.key.apply(&input), self.value.apply(&input));
        let attended = attend(&query, &key, &value, shape);
        let mut out = self.joined.apply(&Rows::new(&attended, shape.width));
        add(&mut out, rows);
        self.after_attention.apply(&mut out);
        let mut inner = self.up.apply(&Rows::new(&out, shape.width));
        gelu.apply(&mut inner);
        *rows = self.down.apply(&Rows::new(&inner, shape.inner));
        add(rows, &out);
        self.after_products.apply(rows);
    }
}

fn add(to: &mut [f32], what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += what;
    }
}

/// Mixes the values of all pieces for each piece, by how well its query meets their keys, head by head.
fn attend(query: &[f32], key: &[f32], value: &[f32], shape: &Shape) -> Vec<f32> {
    let (width, size) = (shape.width, shape.width / shape.heads);
    #[expect(clippy::cast_precision_loss, reason = "the size of a head is below a thousand")]
    let scale = (size as f32).sqrt().recip();
    let mut out = vec![0.0; query.len()];
    let mut shares: Vec<f32> = Vec::new();
    for head in 0..shape.heads {
        let part = head * size..(head + 1) * size;
        let of = |row: &'_ [f32]| -> Option<Vec<f32>> { row.get(part.clone()).map(<[f32]>::to_vec) };
        let keys: Vec<Vec<f32>> = key.chunks_exact(width).filter_map(of).collect();
        let values: Vec<Vec<f32>> = value.chunks_exact(width).filter_map(of).collect();
        for (query, out) in query.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let (Some(query), Some(out)) = (query.get(part.clone()), out.get_mut(part.clone())) else { continue };
            shares.clear();
            shares.extend(keys.iter().map(|key| scale * key.iter().zip(query).map(|(a, b)| a * b).sum::<f32>()));
            let most = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut total = 0.0;
            for share in &mut shares {
                *share = (*share - most).exp();
                total += *share;
            }
            for (share, value) in shares.iter().zip(&values) {
                let share = share / total;
                for (out, value) in out.iter_mut().zip(value) {
                    *out += value * share;
                }
            }
        }
    }
    out
}

/// The Gaussian error linear unit (Hendrycks and Gimpel, 2016), out of a table.
pub(crate) struct Gelu(Box<[f32]>);

/// Beyond this the unit is the number itself, or nothing; and the steps of the table for one.
const END: f32 = 6.0;
const STEPS_FOR_ONE: u16 = 512;

impl Gelu {
    pub(crate) fn new() -> Self {
        let steps = f32::from(STEPS_FOR_ONE);
        let count = STEPS_FOR_ONE * 12 + 2;
        Self((0..count).map(|at| exact_gelu(f32::from(at) / steps - END)).collect())
    }

    fn apply(&self, numbers: &mut [f32]) {
        for number in numbers {
            if *number >= END {
                continue;
            }
            if *number <= -END {
                *number = 0.0;
                continue;
            }
            let place = (*number + END) * f32::from(STEPS_FOR_ONE);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the table, and a cast saturates"
            )]
            let at = place as usize;
            let (low, high) = (self.0.get(at), self.0.get(at + 1));
            let (Some(low), Some(high)) = (low, high) else { continue };
            *number = low + (high - low) * place.fract();
        }
    }
}

/// The unit with the error function of Abramowitz and Stegun (7.1.26), exact to 2e-7.
fn exact_gelu(number: f32) -> f32 {
    let x = f64::from(number) / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = terms.iter().fold(0.0, |sum: f64, term| sum * t + term) * t;
    let error = (1.0 - sum * (-x * x).exp()).copysign(x);
    #[expect(clippy::cast_possible_truncation, reason = "a number of this size keeps 24 bits")]
    let unit = (0.5 * f64::from(number) * (1.0 + error)) as f32;
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_has_its_known_values() {
        let mut numbers = vec![0.0, 1.0, -1.0, 2.5, -3.0, 7.0, -7.0, 0.123_4];
        Gelu::new().apply(&mut numbers);
        let known = [0.0, 0.841_345, -0.158_655, 2.484_475, -0.004_05, 7.0, 0.0, 0.067_758];
        for (got, known) in numbers.iter().zip(known) {
            assert!((got - known).abs() < 2e-5, "{got} {known}");
        }
    }

    #[test]
    fn attention_mixes_by_how_well_keys_are_met() {
        let shape = Shape { layers: 1, heads: 1, width: 2, inner: 2, positions: 4 };
        // The first query meets the second key far better than the first one; the second meets both alike.
        let out = attend(&[0.0, 50.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 1.0], &[1.0, 2.0, 3.0, 4.0], &shape);
        for (got, known) in out.iter().zip([3.0, 4.0, 2.0, 3.0]) {
            assert!((got - known).abs() < 1e-4, "{out:?}");
        }
    }

    #[test]
    fn rows_are_evened_out() {
        let norm = Norm { weights: vec![1.0, 2.0].into(), offsets: vec![0.0, 1.0].into() };
        let mut rows = vec![3.0, 5.0, -1.0, -1.0];
        norm.apply(&mut rows);
        for (got, known) in rows.iter().zip([-1.0, 3.0, 0.0, 1.0]) {
            assert!((got - known).abs() < 1e-4, "{rows:?}");
        }
    }
}
