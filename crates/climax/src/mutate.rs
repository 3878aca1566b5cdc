//! What is kept between two starts, with something wrong in it: bytes and values of tests that were changed by dice.

use serde_json::{Value, json};

/// Numbers that are the same at each run (xorshift*).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns a number below the bound; 0 where that is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % bound.max(1)
    }

    /// Changes a few things: a bit, a byte, a run of the largest numbers, an end, a part twice, a part gone, a part elsewhere.
    pub(crate) fn mutate(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let part = self.below(40);
            let end = (at + part).min(bytes.len());
            match self.below(8) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = u8::try_from(self.below(256)).unwrap(),
                2 => bytes[at..end].fill(0xff),
                3 => bytes.truncate(at),
                4 => {
                    let twice = bytes[at..end].to_vec();
                    bytes.splice(at..at, twice);
                }
                5 => drop(bytes.drain(at..end)),
                // A number of seventy bits, one of 2^63, one of some millions.
                6 => drop(bytes.splice(at..end, [0xff; 10])),
                _ => drop(bytes.splice(at..end, [0xc0, 0x84, 0xbd, 0x02])),
            }
        }
        bytes
    }

    /// Puts something else in the place of a few values, wherever they stand.
    pub(crate) fn mutate_value(&mut self, whole: &Value) -> Value {
        let mut value = whole.clone();
        for _ in 0..=self.below(3) {
            let mut place = &mut value;
            // Down to any depth, where the dice stop.
            while self.below(4) > 0 {
                let keys: Vec<String> = place.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
                let length = place.as_array().map_or(keys.len(), Vec::len);
                if length == 0 {
                    break;
                }
                let at = self.below(length);
                place = if keys.is_empty() { &mut place[at] } else { &mut place[keys[at].as_str()] };
            }
            *place = self.value();
        }
        value
    }

    fn value(&mut self) -> Value {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        let values = [
            json!(null),
            json!(true),
            json!(-1),
            json!(u64::MAX),
            json!(1e308),
            json!(""),
            json!("\u{1b}[2J\u{0}\n"),
            json!("x".repeat(100_000)),
            json!([]),
            json!({}),
            json!({"type": ["object", 1], "properties": [1], "$ref": "#"}),
            deep,
        ];
        values[self.below(values.len())].clone()
    }
}
