//! Settings in an engine's own terms: `key=value`, of which the last of a key wins.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Setting};

/// The pairs among a subject's settings, sorted by key.
///
/// # Errors
/// Usage: a named configuration that is not among `named`, or a key that `refused` gives a reason for.
pub fn pairs(
    engine: &str,
    settings: &[Setting],
    named: &[&str],
    refused: impl Fn(&str) -> Option<String>,
) -> Outcome<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for setting in settings {
        match setting {
            Setting::Named(name) if named.contains(&name.as_str()) => {}
            Setting::Named(name) => return Err(no_such(engine, name, named)),
            Setting::Value { key, value } => {
                if let Some(why) = refused(key) {
                    let what = format!("`{key}` is not a setting of {engine} here: {why}");
                    return Err(Fault::usage(what).hint("leave it out"));
                }
                pairs.retain(|(known, _)| known != key);
                pairs.push((key.clone(), value.clone()));
            }
        }
    }
    pairs.sort();
    Ok(pairs)
}

fn no_such(engine: &str, name: &str, named: &[&str]) -> Fault {
    let fault = Fault::usage(format!("there is no configuration `{name}` of {engine}"));
    let known = if named.is_empty() { String::new() } else { format!("known are {}; ", named.join(", ")) };
    fault.hint(format!("{known}an option is given as key=value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    #[test]
    fn the_last_value_of_a_key_wins() {
        let settings =
            [value("threads", "2"), Setting::Named("fast".into()), value("a", "1"), value("threads", "3")];
        let found = pairs("it", &settings, &["fast"], |_| None).expect("settings");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(found, [pair("a", "1"), pair("threads", "3")]);
    }

    #[test]
    fn what_is_unknown_or_ours_is_refused() {
        let fault = pairs("it", &[Setting::Named("quick".into())], &["fast"], |_| None).expect_err("unknown");
        assert!(fault.exit_code() == 2 && fault.hint.is_some_and(|hint| hint.contains("fast")));
        let ours = |key: &str| (key == "folder").then(|| "the lab sets it".to_owned());
        let fault = pairs("it", &[value("folder", "/x")], &[], ours).expect_err("ours");
        assert!(fault.exit_code() == 2 && fault.what.contains("the lab sets it"), "{fault}");
    }
}
