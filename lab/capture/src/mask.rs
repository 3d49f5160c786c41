//! Replaces texts by noise of the same length: letters by letters, digits by digits, all else stays. Equal texts stay equal, and
//! different ones nearly always different, so that joins and skew stay what they are.

use humdrum_contract::Random;
use humdrum_model::{FNV1A, fnv1a};

use crate::event::Value;

/// The noise of one capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask(pub(crate) u64);

impl Mask {
    /// A text as noise; numbers and NULL stay.
    pub(crate) fn hide(self, value: &Value) -> Value {
        match value {
            Value::Text(text) => Value::Text(self.noise(text).into()),
            other => other.clone(),
        }
    }

    fn noise(self, text: &str) -> String {
        let hash = fnv1a(self.0 ^ FNV1A, text.as_bytes());
        let mut random = Random::of(self.0, hash);
        let mut of = |letters: &[u8]| char::from(letters[random.below(letters.len() as u64) as usize]);
        let hidden = text.chars().map(|letter| match letter {
            '0'..='9' => of(b"0123456789"),
            letter if letter.is_lowercase() => of(b"abcdefghijklmnopqrstuvwxyz"),
            letter if letter.is_alphabetic() => of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            other => other,
        });
        hidden.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_keeps_length_kind_and_equality() {
        let hidden = |text: &str| Mask(7).noise(text);
        let mail = hidden("Ann.Lee42@example.org");
        assert_eq!(mail, hidden("Ann.Lee42@example.org"));
        assert_ne!(mail, "Ann.Lee42@example.org");
        assert_ne!(mail, hidden("Ann.Lee43@example.org"));
        assert_eq!(mail.chars().count(), 21);
        assert_eq!(mail.replace(|letter: char| letter.is_alphanumeric(), ""), ".@.");
        assert!(mail.starts_with(|letter: char| letter.is_uppercase()));
        assert_eq!(Mask(7).hide(&Value::Number("42".into())), Value::Number("42".into()));
        assert_ne!(Mask(7).noise("abcdefgh"), Mask(8).noise("abcdefgh"));
    }
}
