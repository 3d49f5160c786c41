//! What may not be meant, in GNU sort's words.

use crate::keys::modifiers::{Modifiers, Order};
use crate::keys::spec::Key;

/// The keys of a sort, as they are given.
pub(crate) struct Given<'g> {
    /// With the global options where they have none; the whole line is one if there are only global options.
    pub(crate) keys: &'g [Key],
    pub(crate) global: Modifiers,
    /// There is no `-k`.
    pub(crate) only_global: bool,
    /// `-t`.
    pub(crate) separator: Option<u8>,
    /// `--locale`.
    pub(crate) locale: Option<&'g str>,
    /// `-s` or `-u`: no last resort.
    pub(crate) by_input: bool,
}

impl Given<'_> {
    /// All warnings, in GNU sort's order.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let text = match self.locale {
            Some(locale) => format!("'{locale}' sorting rules"),
            None => "simple byte comparison".to_owned(),
        };
        let mut said = vec![format!("text ordering performed using {text}")];
        for (key, number) in self.keys.iter().zip(1..) {
            self.about_key(key, number, &mut said);
        }
        self.about_numbers(&mut said);
        self.about_global(&mut said);
        said
    }

    fn about_key(&self, key: &Key, number: usize, said: &mut Vec<String>) {
        let empty = has_no_width(key);
        if empty {
            said.push(format!("key {number} has zero width and will be ignored"));
        }
        if !empty && !self.only_global && self.separator.is_none() && blanks_count(key) {
            said.push(format!(
                "leading blanks are significant in key {number}; consider also specifying 'b'"
            ));
        }
        if self.spans_fields(key) {
            said.push(format!("key {number} is numeric and spans multiple fields"));
        }
    }

    /// A number that reaches over separators: they may be parts of it.
    fn spans_fields(&self, key: &Key) -> bool {
        let one_field = key.end.is_some_and(|end| end.fields <= key.start_fields);
        !self.only_global && is_number(key) && !one_field
    }

    fn about_numbers(&self, said: &mut Vec<String>) {
        let spanning = || self.keys.iter().filter(|key| self.spans_fields(key));
        let general = || spanning().any(|key| key.modifiers.order() == Order::GeneralNumeric);
        let part = match self.separator {
            _ if spanning().next().is_none() => None,
            Some(b'.') => Some("decimal point"),
            Some(b'-') => Some("minus sign"),
            Some(b'+') if general() => Some("plus sign"),
            _ => None,
        };
        if let (Some(part), Some(separator)) = (part, self.separator) {
            let separator = char::from(separator);
            said.push(format!("field separator '{separator}' is treated as a {part} in numbers"));
        }
        if self.keys.iter().any(is_number) && part != Some("decimal point") {
            let note = if self.separator == Some(b'.') { "" } else { "note " };
            said.push(format!("{note}numbers use '.' as a decimal point in this locale"));
        }
    }

    /// Global options that no key has taken.
    fn about_global(&self, said: &mut Vec<String>) {
        let mut left = self.keys.iter().fold(self.global, |left, key| left.without(&key.modifiers));
        let last_resort = left.reverse && !self.by_input && !self.keys.is_empty();
        let ignored = left.reverse && self.by_input && !self.keys.is_empty();
        left.reverse = ignored;
        let letters = left.letters();
        match letters.len() {
            0 => {}
            1 => said.push(format!("option '-{letters}' is ignored")),
            _ => said.push(format!("options '-{letters}' are ignored")),
        }
        if last_resort {
            said.push("option '-r' only applies to last-resort comparison".to_owned());
        }
    }
}

fn has_no_width(key: &Key) -> bool {
    let starts_later = key.start_fields > 0 || key.start_chars > 0;
    starts_later && key.end.is_some_and(|end| end.fields < key.start_fields)
}

fn blanks_count(key: &Key) -> bool {
    let Modifiers { skip_start_blanks, skip_end_blanks, .. } = key.modifiers;
    let end_chars = key.end.map_or(0, |end| end.chars);
    let at_the_lines_start = key.end.is_some_and(|end| end.fields == 0 && end.chars > 0);
    let skipped_anyway = is_number(key) || key.modifiers.order() == Order::Month;
    let at_start = !skip_start_blanks && (!skipped_anyway || key.start_chars > 0);
    !at_the_lines_start && (at_start || (!skip_end_blanks && end_chars > 0))
}

fn is_number(key: &Key) -> bool {
    matches!(key.modifiers.order(), Order::Numeric | Order::GeneralNumeric | Order::HumanNumeric)
}
