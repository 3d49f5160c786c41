//! A value, and the hash of values in order.

/// A value of the table. Timestamps are integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value<'a> {
    /// An integer, or the microseconds of a timestamp.
    Integer(i64),
    /// A text.
    Text(&'a [u8]),
}

/// A hash of values in their order. It takes eight bytes at a time: a checked answer may have gigabytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// A text begins with its length, so that `ab`, `c` differs from `a`, `bc`.
    pub(super) fn add(&mut self, value: Value<'_>) {
        match value {
            Value::Integer(number) => self.word(number.cast_unsigned()),
            Value::Text(text) => {
                self.word(text.len() as u64);
                for chunk in text.chunks(8) {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    self.word(u64::from_le_bytes(word));
                }
            }
        }
    }

    /// Each step is a bijection of the state, so that no earlier value is forgotten.
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0xd134_2543_de82_ef95);
        self.0 = mixed ^ (mixed >> 32);
    }

    pub(super) fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[Value<'_>]) -> u64 {
        let mut hash = Hash::new();
        values.iter().for_each(|value| hash.add(*value));
        hash.finish()
    }

    #[test]
    fn order_and_ends_count() {
        let text = |text: &'static str| Value::Text(text.as_bytes());
        assert_ne!(of(&[Value::Integer(1), Value::Integer(2)]), of(&[Value::Integer(2), Value::Integer(1)]));
        assert_ne!(of(&[text("ab"), text("c")]), of(&[text("a"), text("bc")]));
        assert_ne!(of(&[text("a")]), of(&[text("a\0")]));
        assert_eq!(of(&[text("a long text of words")]), of(&[text("a long text of words")]));
    }
}
