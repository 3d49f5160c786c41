//! Turns errors of the command line's parser into faults: what is wrong, and what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use humdrum_model::Fault;

/// The parser's complaint as a fault. `None` where it has none: help and version, which it prints itself.
pub fn refused(error: &clap::Error) -> Option<Fault> {
    if error.exit_code() == 0 || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let text = error.render().to_string();
    let head = text.split("\n\n").next().unwrap_or_default();
    let head = head.strip_prefix("error: ").unwrap_or(head);
    // What is possible is said in the hint.
    let lines = head.lines().map(str::trim).filter(|line| !line.starts_with('['));
    let what = lines.collect::<Vec<_>>().join(" ");
    Some(Fault::usage(what.trim_end()).hint(hint(error, &text)))
}

fn hint(error: &clap::Error, text: &str) -> String {
    let meant = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let meant: Vec<String> = meant.iter().flat_map(|kind| context(error, *kind)).collect();
    // The parser's own order is by letters in common: `conpare` would be `capture`.
    let typed = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg, ContextKind::InvalidValue];
    let typed = typed.iter().flat_map(|kind| context(error, *kind)).next().unwrap_or_default();
    let nearest = humdrum_plan::closest(&typed, meant.iter().map(String::as_str));
    if let Some(nearest) = nearest.or(meant.first().map(String::as_str)) {
        return format!("did you mean `{nearest}`?");
    }
    let option = context(error, ContextKind::InvalidArg).into_iter().next().unwrap_or_default();
    let option = option.split(' ').next().unwrap_or_default();
    if let Some(example) = example(option) {
        return format!("type it as {option} {example}");
    }
    let known = context(error, ContextKind::ValidValue);
    if !known.is_empty() {
        return format!("known: {}", known.join(", "));
    }
    match text.split_once("Usage: ").and_then(|(_, usage)| usage.lines().next()) {
        // The parser's own line has only what the user typed; the verb's help has it all.
        Some(usage) => format!("type {usage}; {} --help says what each is", verb(usage)),
        None => "humdrum --help lists all verbs and options".into(),
    }
}

/// A value that an option takes which the parser itself reads; `plan` gives its own for the others.
fn example(option: &str) -> Option<&'static str> {
    match option {
        "--seed" => Some("7, a whole number"),
        "--slice-ms" => Some("10, a number of milliseconds"),
        "--runs" => Some("3, a whole number from 1 to 1000"),
        "--sessions" => Some("12, a whole number"),
        _ => None,
    }
}

/// `humdrum compare` of `humdrum compare [OPTIONS] <BASE>`.
fn verb(usage: &str) -> String {
    let words =
        usage.split(' ').take_while(|word| word.starts_with(|first: char| first.is_ascii_lowercase()));
    words.collect::<Vec<_>>().join(" ")
}

fn context(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

// They type verbs that measure.
#[cfg(all(test, feature = "measure"))]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Arguments;

    fn told(typed: &str) -> (String, String) {
        let error = Arguments::try_parse_from(typed.split(' ')).expect_err("refused");
        let fault = refused(&error).expect("a fault");
        assert_eq!(fault.exit_code(), 2);
        (fault.what, fault.hint.expect("a hint"))
    }

    #[test]
    fn every_refusal_says_what_to_type() {
        for (typed, what, hint) in [
            ("humdrum compare a b --seed x", "invalid value 'x' for '--seed <SEED>'", "--seed 7"),
            ("humdrum compare a b --slice-ms x", "invalid value 'x'", "--slice-ms 10"),
            ("humdrum compare a b --sessions -", "invalid value '-'", "--sessions 12"),
            ("humdrum compare a b --color red", "invalid value 'red'", "known: auto, always, never"),
            ("humdrum compare a b --seeds 1", "unexpected argument '--seeds'", "did you mean `--seed`?"),
            ("humdrum compare a b --fast", "unexpected argument '--fast'", "humdrum compare --help"),
            ("humdrum compare a", "<SUBJECTS>...", "type humdrum compare <BASE> <SUBJECTS>..."),
            ("humdrum conpare a b", "unrecognized subcommand 'conpare'", "did you mean `compare`?"),
        ] {
            let (told_what, told_hint) = told(typed);
            assert!(told_what.contains(what) && !told_what.contains('\n'), "{typed}: {told_what}");
            assert!(told_hint.contains(hint), "{typed}: {told_hint}");
        }
        let help = Arguments::try_parse_from(["humdrum", "--help"]).expect_err("help");
        assert!(refused(&help).is_none());
    }
}
