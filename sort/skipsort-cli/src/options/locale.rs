//! The locale of the environment: if it is not C and there is no `--locale`, lines are sorted by bytes nevertheless, and
//! this is said.

use std::ffi::OsString;

use crate::fault::{Fault, Result};

/// Variables that choose the order of text, the first that is set and not empty, as POSIX has it.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_COLLATE", "LANG"];
/// Locales whose order is that of bytes.
const BYTES: [&str; 4] = ["C", "POSIX", "C.UTF-8", "C.utf8"];

/// The language of `--locale`: what is given, or else that of the environment.
pub(super) fn tag(given: &str) -> Result<String> {
    if !given.is_empty() {
        return Ok(given.to_owned());
    }
    let asked = asked(|name| std::env::var_os(name)).map(|(_, value)| language(&value.to_string_lossy()));
    asked.ok_or_else(|| {
        Fault::new("--locale: the environment names no language").hint("give a tag, as in --locale=sv")
    })
}

/// `sv_SE.UTF-8` as BCP 47 writes it.
fn language(value: &str) -> String {
    value.split(['.', '@']).next().unwrap_or_default().replace('_', "-")
}

/// What to say, if the environment asks for more than bytes.
pub(super) fn notice(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let (name, value) = asked(variable)?;
    let value = value.display();
    Some(format!(
        "lines are sorted by bytes, not as {name}={value} says; LC_ALL=C silences this, --locale sorts by language"
    ))
}

/// The variable that asks for more than bytes, and its value.
fn asked(variable: impl Fn(&str) -> Option<OsString>) -> Option<(&'static str, OsString)> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(|value| (name, value));
    let found = VARIABLES.into_iter().find_map(set)?;
    Some(found).filter(|(_, value)| BYTES.iter().all(|bytes| *value != **bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(set: &[(&str, &str)]) -> Option<String> {
        notice(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn languages() {
        assert_eq!(["sv_SE.UTF-8", "de_DE@euro", "fi"].map(language), ["sv-SE", "de-DE", "fi"]);
        assert_eq!(tag("de").unwrap(), "de");
    }

    #[test]
    fn the_first_that_is_set_decides() {
        for set in [
            &[][..],
            &[("LANG", "C.UTF-8")],
            &[("LC_ALL", "C"), ("LC_COLLATE", "sv_SE"), ("LANG", "sv_SE")],
            &[("LC_ALL", ""), ("LC_COLLATE", "POSIX"), ("LANG", "sv_SE")],
        ] {
            assert_eq!(said(set), None, "{set:?}");
        }
        assert!(
            said(&[("LC_COLLATE", "sv_SE.UTF-8"), ("LANG", "C")]).unwrap().contains("LC_COLLATE=sv_SE.UTF-8")
        );
        assert!(said(&[("LC_ALL", ""), ("LANG", "de_DE")]).unwrap().contains("LANG=de_DE"));
    }
}
