//! What of a key is compared: of a number the number, of a month its letters.

use std::ops::Range;

use super::general::General;
use super::modifiers::Order;
use super::number::Decimal;
use super::spec::Key;
use super::{field, human, month};

/// Where it is in the line.
pub(crate) fn range(key: &Key, separator: Option<u8>, line: &[u8]) -> Range<usize> {
    let order = key.modifiers.order();
    let whole_start = key.start_fields == 0 && key.start_chars == 0;
    let blanks = key.modifiers.skip_start_blanks && whole_start;
    // Blanks at the start of the line are part of the key as far as it reaches.
    let mut key = *key;
    key.modifiers.skip_start_blanks &= !whole_start;
    let Range { mut start, end } = field::range(&key, separator, line);
    let number = matches!(order, Order::Numeric | Order::HumanNumeric | Order::GeneralNumeric);
    if blanks || number || order == Order::Month {
        // As in GNU sort, blanks are skipped behind the end if that is before the start.
        let end = if end < start { line.len() } else { end };
        start = end - field::skip_blanks(&line[start..end]).len();
    }
    let end = end.max(start);
    let part = &line[start..end];
    let len = match order {
        Order::GeneralNumeric => General::read(part).end,
        Order::Numeric => Decimal::read(part).end,
        Order::HumanNumeric => match Decimal::read(part).end {
            0 => 0,
            end => end + usize::from(human::unit(part.get(end)) > 0),
        },
        Order::Month if month::number(part) == 0 => 0,
        Order::Month => month::LETTERS,
        Order::Text | Order::Random | Order::Version => part.len(),
    };
    start..start + len
}
