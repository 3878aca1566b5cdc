//! A text's vector, in 8 bits.

/// What a text means: a direction, as whole numbers from -127 to 127, and its length in these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[i8]>);

impl Vector {
    /// Takes the numbers of a direction; how long it is says nothing.
    pub fn new(direction: &[f32]) -> Self {
        let most = direction.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let step = if most > 0.0 { 127.0 / most } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within 127, and a cast saturates")]
        let numbers = direction.iter().map(|number| (number * step).round() as i8);
        Self(numbers.collect())
    }

    /// Returns the numbers.
    pub fn numbers(&self) -> &[i8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_side_has_the_greatest_number() {
        assert_eq!(Vector::new(&[0.5, -1.0, 0.25]).numbers(), [64, -127, 32]);
        assert_eq!(Vector::new(&[0.0, 0.0]).numbers(), [0, 0]);
    }
}
