//! Options whose values are words, which may be abbreviated.

use super::args::Args;
use super::complete::{Progress, Stats};
use crate::fault::{Fault, Result};
use crate::keys::modifiers::ORDERS;

/// The only one of `words` that starts as what was given.
fn word(option: &str, given: &str, words: &[&'static str]) -> Result<&'static str> {
    let mut like = words.iter().filter(|word| word.starts_with(given));
    match (like.next(), like.next()) {
        (Some(only), None) => Ok(only),
        (first, _) => {
            let what = if first.is_some() { "ambiguous" } else { "not known" };
            Err(Fault::new(format!("--{option}={given} is {what}"))
                .hint(format!("use one of {}", words.join(", "))))
        }
    }
}

/// The letters of the orders that are given by their names.
pub(super) fn orders(sort: &[String]) -> Result<Vec<u8>> {
    let names = ORDERS.map(|(name, ..)| name);
    let mut letters = Vec::new();
    for given in sort {
        let name = word("sort", given, &names)?;
        letters.extend(ORDERS.iter().filter(|(known, ..)| *known == name).map(|(_, letter, _)| *letter));
    }
    Ok(letters)
}

/// Whether to check and, if so, aloud.
pub(super) fn check(args: &Args) -> Result<Option<bool>> {
    let words = ["diagnose-first", "quiet", "silent"];
    let long = args.check.iter().map(|given| Ok(word("check", given, &words)? == "diagnose-first"));
    let aloud = long.collect::<Result<Vec<bool>>>()?;
    let short = [(args.check_aloud, true), (args.check_silently, false)];
    let mut all =
        aloud.into_iter().chain(short.into_iter().filter_map(|(given, aloud)| given.then_some(aloud)));
    let first = all.next();
    if all.any(|other| Some(other) != first) {
        return Err(Fault::new("options '-cC' are incompatible").hint("-c says what it finds, -C does not"));
    }
    Ok(first)
}

pub(super) fn progress(given: Option<&str>) -> Result<Progress> {
    let Some(given) = given else { return Ok(Progress::Auto) };
    Ok(match word("progress", given, &["auto", "always", "never"])? {
        "auto" => Progress::Auto,
        "always" => Progress::Always,
        _ => Progress::Never,
    })
}

pub(super) fn stats(given: Option<&str>) -> Result<Option<Stats>> {
    let Some(given) = given else { return Ok(None) };
    Ok(Some(if word("stats", given, &["text", "json"])? == "json" { Stats::Json } else { Stats::Text }))
}
