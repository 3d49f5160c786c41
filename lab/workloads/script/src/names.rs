//! The variables of a script. A name becomes a number when the script is read, so that no operation looks names up.

use humdrum_model::Fault;

use crate::source::{Source, meant};

/// Variables that every script has, in the order of their numbers.
pub(crate) const AUTOMATIC: [&str; 4] = ["client_id", "scale", "default_seed", "random_seed"];

/// Names of variables; a variable is known by its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    all: Vec<String>,
    /// Prefixes of names that columns of answers give, as far as the script is read.
    answered: Vec<String>,
}

impl Default for Names {
    fn default() -> Self {
        Self { all: AUTOMATIC.iter().map(|name| (*name).to_owned()).collect(), answered: Vec::new() }
    }
}

impl Names {
    /// All names in order.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// The variable of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|known| known == name)
    }

    /// The variable of a name that the script assigns.
    pub(crate) fn assign(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.all.push(name.to_owned());
            self.all.len() - 1
        })
    }

    /// From here on, columns of an answer give variables whose names begin with this prefix. Which they are is known when
    /// the answer is there.
    pub(crate) fn answer(&mut self, prefix: &str) {
        self.answered.push(prefix.to_owned());
    }

    /// The variable of a name that the script reads, or a fault at its place.
    pub(crate) fn read(&mut self, name: &str, source: &Source<'_>, offset: usize) -> Result<usize, Fault> {
        if self.answered.iter().any(|prefix| name.starts_with(prefix.as_str())) {
            return Ok(self.assign(name));
        }
        self.find(name).ok_or_else(|| {
            let fault = source.fault(offset, format!("no variable `{name}` is set before this place"));
            match meant(name, self.all.iter().map(String::as_str)) {
                Some(near) => fault.hint(format!("did you mean `:{near}`?")),
                None => fault.hint(format!("set it first: \\set {name} random(1, 100)")),
            }
        })
    }
}

/// Whether a byte can be part of a variable's name: letters, digits, `_` and everything beyond ASCII.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The name at the start of a text; empty if there is none.
pub(crate) fn leading_name(text: &str) -> &str {
    &text[..text.bytes().take_while(|byte| is_name_byte(*byte)).count()]
}
