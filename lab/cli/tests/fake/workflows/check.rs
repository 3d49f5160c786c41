//! What checks of both forges are made of: maps with known keys, words with known values, and a list of what is wrong.

use serde_json::{Map, Value};

/// What is wrong with a file, each with its place.
#[derive(Default)]
pub(super) struct Check {
    pub(super) found: Vec<String>,
}

impl Check {
    pub(super) fn refuse(&mut self, at: &str, what: impl AsRef<str>) {
        let at = if at.is_empty() { "the file" } else { at };
        self.found.push(format!("{at}: {}", what.as_ref()));
    }

    /// The entries of a map, if it is one. Each key has to be known; `name!` among these has to be there.
    pub(super) fn map<'v>(
        &mut self,
        at: &str,
        value: &'v Value,
        known: &[&str],
    ) -> Vec<(&'v str, &'v Value)> {
        let entries = self.named(at, value);
        let names = || known.iter().map(|name| name.trim_end_matches('!'));
        for (key, _) in &entries {
            if !names().any(|name| name == *key) {
                let all: Vec<&str> = names().collect();
                self.refuse(at, format!("unknown key `{key}` (known: {})", all.join(", ")));
            }
        }
        for needed in known.iter().filter_map(|name| name.strip_suffix('!')) {
            if value.is_object() && value.get(needed).is_none_or(Value::is_null) {
                self.refuse(at, format!("`{needed}` is missing"));
            }
        }
        entries
    }

    /// The same with any keys.
    pub(super) fn named<'v>(&mut self, at: &str, value: &'v Value) -> Vec<(&'v str, &'v Value)> {
        match value {
            Value::Object(all) => entries(all),
            _ => {
                self.refuse(at, "is no map");
                Vec::new()
            }
        }
    }

    /// The elements of a list, with their places.
    pub(super) fn list<'v>(&mut self, at: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
        match value.as_array() {
            Some(all) if !all.is_empty() => {
                all.iter().enumerate().map(|(place, one)| (format!("{at}[{place}]"), one)).collect()
            }
            _ => {
                self.refuse(at, "is no list, or an empty one");
                Vec::new()
            }
        }
    }

    /// One text, or a list of texts. A line such as `echo "a: b"` is a map for YAML, and no text.
    pub(super) fn texts<'v>(&mut self, at: &str, value: &'v Value) -> Vec<&'v str> {
        match value {
            Value::String(text) => vec![text],
            _ => self.list(at, value).into_iter().filter_map(|(at, one)| self.text(&at, one)).collect(),
        }
    }

    pub(super) fn text<'v>(&mut self, at: &str, value: &'v Value) -> Option<&'v str> {
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            self.refuse(at, format!("`{value}` is no text"));
        }
        text
    }

    /// A text, number or truth value: what a variable may have.
    pub(super) fn scalar(&mut self, at: &str, value: &Value) {
        if !(value.is_string() || value.is_number() || value.is_boolean()) {
            self.refuse(at, format!("`{value}` is no single value"));
        }
    }

    pub(super) fn truth(&mut self, at: &str, value: &Value) {
        if !value.is_boolean() {
            self.refuse(at, format!("`{value}` is neither true nor false"));
        }
    }

    pub(super) fn minutes(&mut self, at: &str, value: &Value) {
        if value.as_u64().is_none_or(|minutes| minutes == 0) {
            self.refuse(at, format!("`{value}` is no number of minutes"));
        }
    }

    pub(super) fn word(&mut self, at: &str, value: &Value, known: &[&str]) {
        if !value.as_str().is_some_and(|word| known.contains(&word)) {
            self.refuse(at, format!("`{value}` is none of {}", known.join(", ")));
        }
    }
}

fn entries(all: &Map<String, Value>) -> Vec<(&str, &Value)> {
    all.iter().map(|(key, value)| (key.as_str(), value)).collect()
}

/// All texts of a value, with their places.
pub(super) fn texts_in<'v>(at: &str, value: &'v Value, found: &mut Vec<(String, &'v str)>) {
    match value {
        Value::String(text) => found.push((at.to_owned(), text)),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(place, one)| texts_in(&format!("{at}[{place}]"), one, found));
        }
        Value::Object(all) => {
            all.iter().for_each(|(key, one)| texts_in(&inside(at, key), one, found));
        }
        _ => {}
    }
}

/// `jobs.check` of `jobs` and `check`.
pub(super) fn inside(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}
