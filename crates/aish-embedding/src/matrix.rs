//! Products of 8-bit matrices with rows of numbers that are held in 13 bits: exact sums in whole numbers.

#[cfg(target_arch = "x86_64")]
mod wide;

/// The greatest value of a number of a row: 1,536 products with 127 stay below 2^31.
const STEPS: f32 = 8_191.0;
/// The longest row of a matrix.
pub(crate) const MAX_COLUMNS: usize = 1_536;

/// Numbers that are multiplied at once: the length of a row is a multiple of it.
const LANES: usize = 16;

/// A matrix of `rows` times `columns`, each row with a scale of its own.
pub(crate) struct Matrix {
    columns: usize,
    values: Box<[i8]>,
    scales: Box<[f32]>,
}

impl Matrix {
    /// Makes a matrix of what a file holds; nothing where the sizes do not fit.
    pub(crate) fn new(columns: usize, values: Box<[i8]>, scales: Box<[f32]>) -> Option<Self> {
        let fits = columns > 0
            && columns <= MAX_COLUMNS
            && columns.is_multiple_of(LANES)
            && columns.checked_mul(scales.len())? == values.len();
        fits.then_some(Self { columns, values, scales })
    }

    /// Returns one row, as numbers.
    pub(crate) fn row(&self, at: usize) -> Option<impl Iterator<Item = f32>> {
        let start = at.checked_mul(self.columns)?;
        let values = self.values.get(start..start.checked_add(self.columns)?)?;
        let scale = *self.scales.get(at)?;
        Some(values.iter().map(move |&value| f32::from(value) * scale))
    }

    /// Multiplies each row of `input` with the matrix and adds `bias`: rows of as many numbers as the matrix has rows.
    pub(crate) fn apply(&self, input: &Rows, bias: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; input.scales.len() * self.scales.len()];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the processor was asked whether it has what the function is compiled for")]
            unsafe {
                self.product_wide(input, bias, &mut out);
            }
            return out;
        }
        self.product(input, bias, &mut out, dots);
        out
    }

    /// The same as `product`, compiled for processors with registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn product_wide(&self, input: &Rows, bias: &[f32], out: &mut [f32]) {
        self.product(input, bias, out, |row, four| wide::dots(row, four));
    }

    #[inline(always)]
    fn product(&self, input: &Rows, bias: &[f32], out: &mut [f32], dots: impl Fn(&[i16], &[i16]) -> [i32; 4]) {
        let width = self.scales.len();
        let mut row = [0_i16; MAX_COLUMNS];
        let rows = self.values.chunks_exact(self.columns).zip(&self.scales).zip(bias);
        for (number, ((values, &scale), &bias)) in rows.enumerate() {
            let Some(row) = row.get_mut(..self.columns) else { return };
            for (wide, &value) in row.iter_mut().zip(values) {
                *wide = i16::from(value);
            }
            let fours = input.values.chunks_exact(4 * self.columns).zip(input.scales.chunks(4));
            for ((four, scales), out) in fours.zip(out.chunks_mut(4 * width)) {
                let places = out.iter_mut().skip(number).step_by(width);
                for ((out, sum), given_scale) in places.zip(dots(row, four)).zip(scales) {
                    #[expect(clippy::cast_precision_loss, reason = "24 bits of the sum are enough")]
                    let sum = sum as f32;
                    *out = sum * (scale * given_scale) + bias;
                }
            }
        }
    }
}

/// Adds the products of a row with each of four rows that stand behind one another.
fn dots(row: &[i16], four: &[i16]) -> [i32; 4] {
    let mut sums = [0; 4];
    for (sum, given) in sums.iter_mut().zip(four.chunks_exact(row.len().max(1))) {
        *sum = row.iter().zip(given).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
    }
    sums
}

/// Rows of numbers in whole steps, each row with a scale of its own, and empty ones to a multiple of four.
pub(crate) struct Rows {
    values: Vec<i16>,
    scales: Vec<f32>,
}

impl Rows {
    /// Puts rows of `columns` numbers into whole steps.
    pub(crate) fn new(numbers: &[f32], columns: usize) -> Self {
        let mut rows = Self { values: Vec::with_capacity(numbers.len()), scales: Vec::new() };
        for row in numbers.chunks_exact(columns.max(1)) {
            let most = row.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
            let step = if most > 0.0 { STEPS / most } else { 0.0 };
            rows.values.extend(row.iter().map(|number| nearest(number * step)));
            rows.scales.push(most / STEPS);
        }
        // Products are made of four rows at once.
        let whole = numbers.len() / columns.max(1);
        rows.values.resize(whole.next_multiple_of(4) * columns, 0);
        rows
    }
}

/// Rounds a number within [`STEPS`]: behind a sum with 1.5 x 2^23 its last bits are the whole number.
#[inline(always)]
fn nearest(number: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    #[expect(clippy::cast_possible_truncation, reason = "the last 16 bits are what is wanted")]
    let last = (number + SHIFT).to_bits() as u16;
    last.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_exact_numbers() {
        let (columns, rows) = (96, 7);
        let number = |seed: usize| ((seed * 2_654_435_761 % 1_000) as f32 - 500.0) / 250.0;
        let values: Vec<i8> = (0..columns * rows).map(|at| (number(at + 17) * 63.0) as i8).collect();
        let scales: Vec<f32> = (0..rows).map(|at| 0.01 + at as f32 * 0.003).collect();
        let bias: Vec<f32> = (0..rows).map(|at| number(at + 3)).collect();
        let input: Vec<f32> = (0..columns * 5).map(|at| number(at + 99)).collect();
        let matrix = Matrix::new(columns, values.clone().into(), scales.clone().into()).unwrap();
        let input_rows = Rows::new(&input, columns);
        let out = matrix.apply(&input_rows, &bias);
        assert_eq!(out.len(), 5 * rows);
        // What every processor can do gives the same, to the last bit.
        let mut plain = vec![0.0; 5 * rows];
        matrix.product(&input_rows, &bias, &mut plain, dots);
        assert_eq!(plain, out);
        for (at, &got) in out.iter().enumerate() {
            let (row, number) = (at / rows, at % rows);
            let exact: f64 = (0..columns)
                .map(|c| f64::from(input[row * columns + c]) * f64::from(values[number * columns + c]))
                .sum::<f64>()
                * f64::from(scales[number])
                + f64::from(bias[number]);
            assert!((f64::from(got) - exact).abs() < 0.01, "{at}: {got} {exact}");
        }
        assert_eq!(matrix.row(1).unwrap().next(), Some(f32::from(values[columns]) * scales[1]));
        assert!(matrix.row(rows).is_none());
    }

    #[test]
    fn sizes_that_do_not_fit_make_no_matrix() {
        assert!(Matrix::new(16, vec![0; 32].into(), vec![1.0; 2].into()).is_some());
        assert!(Matrix::new(16, vec![0; 33].into(), vec![1.0; 2].into()).is_none());
        assert!(Matrix::new(4, vec![0; 8].into(), vec![1.0; 2].into()).is_none());
        assert!(Matrix::new(0, vec![].into(), vec![].into()).is_none());
        assert!(Matrix::new(2_000, vec![0; 2_000].into(), vec![1.0].into()).is_none());
    }
}
