//! How a key is compared: what its letters, or the global options, say.

use crate::fault::{Fault, Result};

/// Bytes that a key does not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ignore {
    #[default]
    Nothing,
    /// `d`: all but blanks, letters and digits.
    NonDictionary,
    /// `i`: all but printable ASCII.
    NonPrinting,
}

/// What the bytes of a key are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Text,
    GeneralNumeric,
    HumanNumeric,
    Month,
    Numeric,
    Random,
    Version,
}

/// Letters of orders and what they stand for, by the words of `--sort`. Random order is before version order, because
/// it decides where both are given.
pub(crate) const ORDERS: [(&str, u8, Order); 6] = [
    ("general-numeric", b'g', Order::GeneralNumeric),
    ("human-numeric", b'h', Order::HumanNumeric),
    ("month", b'M', Order::Month),
    ("numeric", b'n', Order::Numeric),
    ("random", b'R', Order::Random),
    ("version", b'V', Order::Version),
];

/// How a key is compared; also the global options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub(crate) skip_start_blanks: bool,
    pub(crate) skip_end_blanks: bool,
    pub(crate) ignore: Ignore,
    pub(crate) fold: bool,
    pub(crate) reverse: bool,
    /// Text is compared by the rules of `--locale`.
    pub(crate) collate: bool,
    /// Which of [`ORDERS`] are given, in their order.
    orders: [bool; ORDERS.len()],
}

impl Modifiers {
    /// The direction turned over, and nothing else.
    pub(crate) fn reversed() -> Self {
        Modifiers { reverse: true, ..Modifiers::default() }
    }

    /// True when nothing but the direction is set.
    pub(crate) fn plain(&self) -> bool {
        Modifiers { reverse: false, ..*self } == Modifiers::default()
    }

    /// What the key's bytes are taken for.
    pub(crate) fn order(&self) -> Order {
        let given = ORDERS.iter().zip(self.orders).find(|(_, given)| *given);
        given.map_or(Order::Text, |((_, _, order), _)| *order)
    }

    /// Adds one letter. `start` and `end` say to which end of the key a `b` belongs.
    pub(crate) fn add(&mut self, letter: u8, start: bool, end: bool) -> Result<()> {
        match letter {
            b'b' => {
                self.skip_start_blanks |= start;
                self.skip_end_blanks |= end;
            }
            b'd' => self.ignore = Ignore::NonDictionary,
            b'f' => self.fold = true,
            // The order of -d and -i shall not matter.
            b'i' if self.ignore == Ignore::Nothing => self.ignore = Ignore::NonPrinting,
            b'i' => {}
            b'r' => self.reverse = true,
            other => match ORDERS.iter().position(|(_, letter, _)| *letter == other) {
                Some(order) => self.orders[order] = true,
                None => {
                    return Err(Fault::new(format!("invalid key option {:?}", char::from(other)))
                        .hint("a key takes b, d, f, g, h, i, M, n, r, R and V, as in -k2,2nr"));
                }
            },
        }
        Ok(())
    }

    /// What of these is not set in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let ignore = if self.ignore == other.ignore { Ignore::Nothing } else { self.ignore };
        Modifiers {
            skip_start_blanks: self.skip_start_blanks && !other.skip_start_blanks,
            skip_end_blanks: self.skip_end_blanks && !other.skip_end_blanks,
            ignore,
            fold: self.fold && !other.fold,
            reverse: self.reverse && !other.reverse,
            collate: false,
            orders: std::array::from_fn(|order| self.orders[order] && !other.orders[order]),
        }
    }

    /// The letters that are set, in GNU sort's order.
    pub(crate) fn letters(&self) -> String {
        let order =
            |letter: u8| ORDERS.iter().zip(self.orders).any(|(known, given)| given && known.1 == letter);
        let set = |letter: &u8| match *letter {
            b'b' => self.skip_start_blanks || self.skip_end_blanks,
            b'd' => self.ignore == Ignore::NonDictionary,
            b'f' => self.fold,
            b'i' => self.ignore == Ignore::NonPrinting,
            b'r' => self.reverse,
            letter => order(letter),
        };
        b"bdfghiMnRrV".iter().filter(|letter| set(letter)).map(|letter| char::from(*letter)).collect()
    }

    /// Refuses what GNU sort refuses: two kinds of number, or a number with bytes to ignore.
    pub(crate) fn check(&self) -> Result<()> {
        let texts = |order: Order| matches!(order, Order::Random | Order::Version);
        let given =
            || ORDERS.iter().zip(self.orders).filter(|(_, given)| *given).map(|((_, _, order), _)| *order);
        let numbers = given().filter(|order| !texts(*order)).count();
        let text = self.ignore != Ignore::Nothing || given().any(texts);
        if numbers + usize::from(text) < 2 {
            return Ok(());
        }
        let letters = Modifiers { skip_start_blanks: false, skip_end_blanks: false, reverse: false, ..*self };
        Err(Fault::new(format!("options '-{}' are incompatible", letters.letters()))
            .hint("a key has one order; leave all but one of them out"))
    }
}
