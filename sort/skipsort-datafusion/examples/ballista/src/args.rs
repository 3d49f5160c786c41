//! Arguments as pairs of a name and a value.

use std::collections::HashMap;
use std::str::FromStr;

use crate::Result;

/// What was given, by name.
pub struct Args(HashMap<String, String>);

impl Args {
    /// The pairs, each with one of these names.
    pub fn parse(given: &[String], names: &[&str]) -> Result<Self> {
        let mut args = HashMap::new();
        for pair in given.chunks(2) {
            let [name, value] = pair else {
                return Err(format!("{} has no value", pair[0]).into());
            };
            let known = name.strip_prefix("--").filter(|name| names.contains(name));
            let Some(name) = known else {
                return Err(format!("{name} is none of --{}", names.join(", --")).into());
            };
            args.insert(name.to_owned(), value.clone());
        }
        Ok(Args(args))
    }

    /// The text of a name that must be there.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.optional(name).ok_or_else(|| format!("--{name} is missing").into())
    }

    /// The text of a name that may be there.
    pub fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether a name has the second of two words; the first stands for a name that is not there.
    pub fn is_second(&self, name: &str, words: [&str; 2]) -> Result<bool> {
        match self.optional(name) {
            Some(word) if word == words[1] => Ok(true),
            Some(word) if word != words[0] => {
                Err(format!("--{name} is {} or {}, not {word}", words[0], words[1]).into())
            }
            _ => Ok(false),
        }
    }

    /// A number, or what stands for it where it is not there.
    pub fn number<T: FromStr>(&self, name: &str, absent: T) -> Result<T> {
        match self.optional(name) {
            Some(text) => text.parse().map_err(|_| format!("--{name} is no number: {text}").into()),
            None => Ok(absent),
        }
    }

    /// Bytes, which may end with K, M or G, or what stands for them where they are not there.
    pub fn bytes(&self, name: &str, absent: &str) -> Result<u64> {
        let text = self.optional(name).unwrap_or(absent);
        let (digits, shift) = match text.as_bytes().last() {
            Some(b'K') => (&text[..text.len() - 1], 10),
            Some(b'M') => (&text[..text.len() - 1], 20),
            Some(b'G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let number: Option<u64> = digits.parse().ok();
        let bytes = number.and_then(|number| number.checked_mul(1 << shift));
        bytes.ok_or_else(|| format!("--{name} is no number of bytes: {text}").into())
    }
}
