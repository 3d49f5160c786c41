//! `-k POS1[,POS2]`: which part of a line is a key, and how it is compared.
//!
//! ```text
//!   -k 2.3nr,4b       from character 3 of field 2 to the end of field 4, numerically, reversed
//!       F.C opts,F.C opts
//! ```
//!
//! Meaning as in POSIX and GNU sort: fields and characters count from 1, in an end `.0` or no character is the
//! field's last one, and a key without options of its own takes the global ones.

use super::modifiers::Modifiers;
use crate::fault::{Fault, Result};

/// Where a key ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Fields before the one in which it ends.
    pub(crate) fields: usize,
    /// Characters of that field which belong to it; 0 is all.
    pub(crate) chars: usize,
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Fields, and then characters, before the start.
    pub(crate) start_fields: usize,
    pub(crate) start_chars: usize,
    /// `None`: at the end of the line.
    pub(crate) end: Option<End>,
    pub(crate) modifiers: Modifiers,
}

impl Key {
    /// The whole line.
    pub(crate) fn whole(modifiers: Modifiers) -> Self {
        Key { start_fields: 0, start_chars: 0, end: None, modifiers }
    }

    /// Reads what was given to `-k`.
    pub(crate) fn parse(text: &[u8]) -> Result<Self> {
        let bad = |what: &str| {
            let text = String::from_utf8_lossy(text);
            Fault::new(format!("-k {text}: {what}")).hint("a key is F[.C][OPTS][,F[.C][OPTS]], as in -k2,2n")
        };
        let mut key = Key::whole(Modifiers::default());
        let mut rest = text;
        let number = |rest: &mut &[u8], what: &str| number(rest).ok_or_else(|| bad(what));
        let from_one = |number: usize, what: &str| number.checked_sub(1).ok_or_else(|| bad(what));
        key.start_fields =
            from_one(number(&mut rest, "invalid number at field start")?, "field number is zero")?;
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            key.start_chars =
                from_one(number(&mut rest, "invalid number after '.'")?, "character offset is zero")?;
        }
        letters(&mut rest, &mut key.modifiers, true)?;
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after;
            let fields = from_one(number(&mut rest, "invalid number after ','")?, "field number is zero")?;
            let mut end = End { fields, chars: 0 };
            if let Some(after) = rest.strip_prefix(b".") {
                rest = after;
                end.chars = number(&mut rest, "invalid number after '.'")?;
            }
            key.end = Some(end);
            letters(&mut rest, &mut key.modifiers, false)?;
        }
        if rest.is_empty() { Ok(key) } else { Err(bad("stray characters at its end")) }
    }

    /// Takes the global options if it has none of its own.
    pub(crate) fn inherit(&mut self, global: &Modifiers) {
        if self.modifiers == Modifiers::default() {
            self.modifiers = *global;
        }
    }
}

/// Digits at the start of `rest`, which is moved behind them; too large a number is as good as any. Blanks and a plus
/// may come first, as in GNU sort.
pub(crate) fn number(rest: &mut &[u8]) -> Option<usize> {
    let text = rest.trim_ascii_start();
    *rest = text.strip_prefix(b"+").unwrap_or(text);
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = rest.split_at(len);
    *rest = after;
    let digit = |number: usize, byte: &u8| number.saturating_mul(10).saturating_add(usize::from(byte - b'0'));
    (len > 0).then(|| digits.iter().fold(0, digit))
}

fn letters(rest: &mut &[u8], modifiers: &mut Modifiers, start: bool) -> Result<()> {
    while let [letter, after @ ..] = rest {
        if !letter.is_ascii_alphabetic() {
            break;
        }
        modifiers.add(*letter, start, !start)?;
        *rest = after;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::modifiers::Order;
    use super::*;

    #[test]
    fn positions_and_letters() {
        let key = Key::parse(b"2.3nr,4.0b").unwrap();
        assert_eq!((key.start_fields, key.start_chars), (1, 2));
        assert_eq!(key.end, Some(End { fields: 3, chars: 0 }));
        assert!(key.modifiers.order() == Order::Numeric && key.modifiers.reverse);
        assert!(key.modifiers.skip_end_blanks && !key.modifiers.skip_start_blanks);
        assert_eq!(Key::parse(b"1").unwrap(), Key::whole(Modifiers::default()));
    }

    #[test]
    fn refuses_by_name() {
        for bad in ["", "0", "1.0", "1,", "1,0", "1x", "1,2,3", "a", "1.", "2m", "1,1N"] {
            assert!(Key::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn keys_without_letters_inherit() {
        let mut global = Modifiers::reversed();
        global.add(b'n', true, true).unwrap();
        let (mut bare, mut own) = (Key::parse(b"2").unwrap(), Key::parse(b"2r").unwrap());
        bare.inherit(&global);
        own.inherit(&global);
        assert_eq!((bare.modifiers.order(), own.modifiers.order()), (Order::Numeric, Order::Text));
    }
}
