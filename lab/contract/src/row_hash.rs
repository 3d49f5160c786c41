//! The hash of a row. Every session computes it in the same way, so that engines' answers can be compared.
//!
//! It is computed over values as text, whatever their form in the protocol. Trailing blanks of a value do not
//! count, because for a CHAR column some engines send them all and others none.

use humdrum_model::{FNV1A, fnv1a};

/// The hash of a row under construction: the number of columns, then each value with its length, so that
/// `ab`, `c` differs from `a`, `bc`. Hashes are compared within one run only; they may change between
/// versions.
#[derive(Clone, Copy, Debug)]
pub struct RowHash(u64);

impl RowHash {
    /// A row of `columns` columns.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        let mut hash = Self(FNV1A);
        hash.add(&(columns as u32).to_be_bytes());
        hash
    }

    /// The next column's value as text; `None` for NULL.
    pub fn value(&mut self, value: Option<&[u8]>) {
        let Some(value) = value else {
            return self.add(&u32::MAX.to_be_bytes());
        };
        let end = value.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        self.add(&(end as u32).to_be_bytes());
        self.add(&value[..end]);
    }

    /// The hash.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.0
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0 = fnv1a(self.0, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(values: &[Option<&str>]) -> u64 {
        let mut hash = RowHash::new(values.len());
        values.iter().for_each(|value| hash.value(value.map(str::as_bytes)));
        hash.finish()
    }

    #[test]
    fn values_count_and_where_they_end() {
        assert_ne!(hash(&[Some("ab"), Some("c")]), hash(&[Some("a"), Some("bc")]));
        assert_ne!(hash(&[Some("a"), None]), hash(&[Some("a"), Some("")]));
        assert_ne!(hash(&[Some("a")]), hash(&[Some("a"), None]));
        assert_ne!(hash(&[Some("1"), Some("2")]), hash(&[Some("2"), Some("1")]));
    }

    #[test]
    fn blanks_at_the_end_do_not_count() {
        assert_eq!(hash(&[Some("abc   "), Some("  ")]), hash(&[Some("abc"), Some("")]));
        assert_ne!(hash(&[Some(" abc")]), hash(&[Some("abc")]));
    }
}
