//! Another locale than C is asked for by the environment: lines are sorted by bytes nevertheless, and this is said.

use std::ffi::OsString;

/// Variables that choose the order of text, the first that is set and not empty, as POSIX has it.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_COLLATE", "LANG"];
/// Locales whose order is that of bytes.
const BYTES: [&str; 4] = ["C", "POSIX", "C.UTF-8", "C.utf8"];

/// What to say, if the environment asks for more than bytes.
pub(super) fn notice(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(|value| (name, value));
    let (name, value) = VARIABLES.into_iter().find_map(set)?;
    let other = BYTES.iter().all(|bytes| value != **bytes);
    other.then(|| {
        let value = value.display();
        format!(
            "lines are sorted by bytes, not as {name}={value} says; with LC_ALL=C there is nothing to say"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(set: &[(&str, &str)]) -> Option<String> {
        notice(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
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
