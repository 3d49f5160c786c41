//! The order of text in a language, as collation keys: bytes whose order is that of the Unicode collation algorithm.

#[cfg(feature = "locale")]
pub(crate) use with_icu::Collation;
#[cfg(not(feature = "locale"))]
pub(crate) use without::Collation;

/// A key is at most so many times as long as its text, and [`MORE`]: one letter may stand for eighteen.
pub(crate) const TIMES: usize = 32;
/// Marks between the levels of a key, and its end.
pub(crate) const MORE: usize = 12;

#[cfg(feature = "locale")]
mod with_icu {
    use std::fmt;
    use std::sync::Arc;

    use icu_collator::options::CollatorOptions;
    use icu_collator::{Collator, CollatorBorrowed};
    use icu_locale_core::Locale;

    use crate::fault::{Fault, Result};

    /// The rules of one language.
    #[derive(Clone)]
    pub(crate) struct Collation(Arc<CollatorBorrowed<'static>>);

    impl Collation {
        /// Of the language that a BCP 47 tag names.
        pub(crate) fn of(tag: &str) -> Result<Self> {
            let bad = |why: String| {
                Fault::new(format!("--locale={tag}: {why}")).hint("give a language tag, as in --locale=sv")
            };
            let locale = Locale::try_from_str(tag).map_err(|error| bad(error.to_string()))?;
            let collator = Collator::try_new((&locale).into(), CollatorOptions::default());
            Ok(Collation(Arc::new(collator.map_err(|error| bad(error.to_string()))?)))
        }

        /// Appends the key of `text`, without zeros, and a zero at its end. What is not UTF-8 counts as U+FFFD.
        pub(crate) fn encode(&self, text: &[u8], into: &mut Vec<u8>) {
            let Ok(()) = self.0.write_sort_key_utf8_to(text, into);
            into.push(0);
        }
    }

    impl fmt::Debug for Collation {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Collation")
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::{MORE, TIMES};
        use super::*;

        #[test]
        fn keys_have_no_zeros_and_are_not_too_long() {
            let collation = Collation::of("sv").unwrap();
            let mut key = Vec::new();
            for letter in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
                for text in [letter.to_string(), [letter; 9].iter().collect()] {
                    key.clear();
                    collation.encode(text.as_bytes(), &mut key);
                    assert!(key.len() <= TIMES * text.len() + MORE, "{letter:?}: {}", key.len());
                    assert_eq!(memchr::memchr(0, &key), Some(key.len() - 1), "{letter:?}");
                }
            }
        }
    }
}

#[cfg(not(feature = "locale"))]
mod without {
    use crate::fault::{Fault, Result};

    /// There is none in this build.
    #[derive(Clone, Debug)]
    pub(crate) enum Collation {}

    impl Collation {
        pub(crate) fn of(tag: &str) -> Result<Self> {
            Err(Fault::new(format!("--locale={tag}: this build has no rules of languages")).hint(
                "build it with `cargo install --path sort/skipsort-cli --features locale`, or use LC_ALL=C",
            ))
        }

        pub(crate) fn encode(&self, _: &[u8], _: &mut Vec<u8>) {
            match *self {}
        }
    }
}
