//! The settings of a running server, given to both sides of its upgrade.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Setting, Subject, UpgradeSource};

use super::source::Source;
use crate::lab::Lab;

/// Finds out which of the chosen settings both releases take, and notes the others.
///
/// # Errors
/// A server that does not start for another reason than a setting.
pub(super) fn give(
    lab: &Lab,
    source: &Source,
    chosen: &[(String, String)],
    found: &mut UpgradeSource,
) -> Result<(), Fault> {
    let (mut left, odd): (Vec<_>, Vec<_>) =
        chosen.iter().cloned().partition(|(_, value)| can_be_typed(value));
    found.others.extend(odd.into_iter().map(|(name, _)| name));
    if left.is_empty() {
        return Ok(());
    }
    lab.console.update(Update::Step(&format!("trying the {} settings that were chosen there", left.len())));
    for (label, subject) in source.sides() {
        while let Err(fault) = start(lab, subject, &left) {
            if fault.kind != FaultKind::Usage {
                return Err(fault.at(label.to_owned()));
            }
            // The server names one setting; where it does not, each is tried by itself.
            let named = left.iter().position(|(name, _)| names(&fault.what, name));
            let refused = named.or_else(|| {
                left.iter().position(|one| start(lab, subject, std::slice::from_ref(one)).is_err())
            });
            let Some(refused) = refused else { return Err(fault.at(label.to_owned())) };
            let (name, _) = left.remove(refused);
            found.refused.push((name, format!("{label}: {}", fault.what)));
        }
    }
    found.given = left;
    Ok(())
}

/// A `+` before a letter would begin another setting.
fn can_be_typed(value: &str) -> bool {
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '+' && letters.peek().is_some_and(|next| next.is_ascii_alphabetic() || *next == '_') {
            return false;
        }
    }
    !value.contains(['\n', '\0'])
}

fn names(what: &str, setting: &str) -> bool {
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    what.split(|letter: char| !word(letter)).any(|one| one == setting)
}

fn start(lab: &Lab, subject: &Subject, settings: &[(String, String)]) -> Result<(), Fault> {
    let mut subject = subject.clone();
    let given = settings.iter().map(|(key, value)| Setting::Value { key: key.clone(), value: value.clone() });
    subject.settings.extend(given);
    humdrum_run::try_start(lab.catalogue.engine(&subject)?, &subject, &lab.dirs, &lab.console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_named_by_a_whole_word() {
        assert!(names("unrecognized configuration parameter \"work_mem\"", "work_mem"));
        assert!(!names("unrecognized configuration parameter \"hash_work_mem\"", "work_mem"));
    }

    #[test]
    fn values_that_would_begin_another_setting_are_not_given() {
        assert!(can_be_typed("64MB") && can_be_typed("a + b") && can_be_typed("1+2"));
        assert!(!can_be_typed("a+b") && !can_be_typed("a\nb"));
    }
}
