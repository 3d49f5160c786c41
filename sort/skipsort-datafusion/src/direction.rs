//! Keys of a column of strings or bytes that are sorted as they are: the value itself where the column ascends. Where it descends, each
//! byte is turned round while it is copied, and back when it leaves, so that no other encoding is needed.
//!
//! ```text
//!   value                   key of a string          key of bytes
//!   "b"                     254-b 255                255-b 255 255
//!   "ba"  before "b"        254-b 254-a 255          255-b 255-a 255 255
//!   "b\0" before "b"        254-b 254 255            255-b 255 0 255 255
//! ```
//!
//! UTF-8 has no byte above 244, so that 255 is free to end a string. Bytes have none that is free: 255 and 0 stand for a zero.

use datafusion::arrow::datatypes::DataType;

use crate::region::Stretch;

/// Ends the key of a string; twice, that of bytes.
const END: u8 = 255;

/// How the values of a column are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Ascending,
    /// Strings that descend.
    Strings,
    /// Bytes that descend.
    Bytes,
}

/// What takes bytes of keys.
pub(crate) trait Sink {
    /// Takes each, after it was turned.
    fn turned(&mut self, bytes: &[u8], turn: impl Fn(u8) -> u8);

    /// Takes these as they are.
    fn plain(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    #[inline(always)]
    fn turned(&mut self, bytes: &[u8], turn: impl Fn(u8) -> u8) {
        self.extend(bytes.iter().map(|&byte| turn(byte)));
    }

    #[inline(always)]
    fn plain(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for Stretch<'_, u8> {
    #[inline(always)]
    fn turned(&mut self, bytes: &[u8], turn: impl Fn(u8) -> u8) {
        self.push_each(bytes, turn);
    }

    #[inline(always)]
    fn plain(&mut self, bytes: &[u8]) {
        self.push_all(bytes);
    }
}

impl Direction {
    /// Of a column of a type of strings or bytes, or of a dictionary of them.
    pub(crate) fn of(descending: bool, of: &DataType) -> Self {
        match of {
            _ if !descending => Direction::Ascending,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Direction::Strings,
            DataType::Dictionary(_, values) => Direction::of(descending, values),
            _ => Direction::Bytes,
        }
    }

    /// Bytes of the key of a value.
    #[inline]
    pub(crate) fn len(self, value: &[u8]) -> usize {
        match self {
            Direction::Ascending => value.len(),
            Direction::Strings => value.len() + 1,
            Direction::Bytes => value.len() + value.iter().filter(|&&byte| byte == 0).count() + 2,
        }
    }

    /// Writes the key of a value.
    #[inline(always)]
    pub(crate) fn write(self, value: &[u8], key: &mut impl Sink) {
        match self {
            Direction::Ascending => key.plain(value),
            Direction::Strings => {
                key.turned(value, turned_in_string);
                key.plain(&[END]);
            }
            Direction::Bytes => {
                for part in value.split_inclusive(|&byte| byte == 0) {
                    key.turned(part, |byte| !byte);
                    if part.ends_with(&[0]) {
                        key.plain(&[0]);
                    }
                }
                key.plain(&[END, END]);
            }
        }
    }

    /// Writes the value of a key.
    #[inline(always)]
    pub(crate) fn read(self, key: &[u8], value: &mut Vec<u8>) {
        match (self, key) {
            (Direction::Ascending, key) => value.extend_from_slice(key),
            (Direction::Strings, [turned @ .., END]) => value.turned(turned, turned_in_string),
            (Direction::Bytes, [turned @ .., END, END]) => {
                // Behind each zero of the value stands another one, which is not of it.
                for (number, part) in turned.split_inclusive(|&byte| byte == END).enumerate() {
                    value.turned(&part[usize::from(number > 0)..], |byte| !byte);
                }
            }
            _ => unreachable!("a key that was not made of a value: {key:?}"),
        }
    }
}

/// A byte of a string, from a value to a key or back.
#[inline(always)]
fn turned_in_string(byte: u8) -> u8 {
    (END - 1).wrapping_sub(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(direction: Direction, value: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        direction.write(value, &mut key);
        assert_eq!(key.len(), direction.len(value));
        key
    }

    /// All values of at most three of these bytes: the order of their keys is the reverse of theirs, and each comes back.
    fn descend(direction: Direction, alphabet: &[u8]) {
        let mut values: Vec<Vec<u8>> = vec![Vec::new()];
        for length in 0..3 {
            let longest: Vec<Vec<u8>> =
                values.iter().filter(|value| value.len() == length).cloned().collect();
            values.extend(
                longest.iter().flat_map(|value| alphabet.iter().map(|&byte| [value, &[byte][..]].concat())),
            );
        }
        values.sort();
        let keys: Vec<Vec<u8>> = values.iter().map(|value| key(direction, value)).collect();
        assert!(keys.is_sorted_by(|a, b| a > b), "{direction:?}");
        for (value, key) in values.iter().zip(&keys) {
            let mut back = Vec::new();
            direction.read(key, &mut back);
            assert_eq!(&back, value, "{direction:?}");
        }
    }

    #[test]
    fn keys_of_what_descends_have_the_reverse_order_and_come_back() {
        descend(Direction::Strings, &[0, 1, 2, b'a', 0x80, 0xF3, 0xF4]);
        descend(Direction::Bytes, &[0, 1, 2, b'a', 0x7F, 0x80, 0xFE, 0xFF]);
        assert_eq!(key(Direction::Ascending, b"ab"), b"ab");
    }

    #[test]
    fn the_type_tells_which() {
        let dictionary = |of| DataType::Dictionary(Box::new(DataType::Int32), Box::new(of));
        assert_eq!(Direction::of(true, &dictionary(DataType::Utf8View)), Direction::Strings);
        assert_eq!(Direction::of(true, &dictionary(DataType::Binary)), Direction::Bytes);
        assert_eq!(Direction::of(true, &DataType::FixedSizeBinary(3)), Direction::Bytes);
        assert_eq!(Direction::of(false, &DataType::Binary), Direction::Ascending);
    }
}
