//! The grammar of a subject: `[LABEL=]ENGINE@WHERE[+SETTING]...`.
//!
//! WHERE is a version (`17.7`), a folder (anything with a `/`, or that starts with `.` or `~`), sources
//! (`src:PATH` or `src:PATH#REVISION`) or a URL. Folders, URLs and values may contain `=` and `+`. So a `+` starts a
//! setting only before a letter or `_`, and `++` before a letter means one plain `+`: `/opt/pg++debug` is the folder
//! `/opt/pg+debug`. Any other `+` means itself, as in `/opt/c++/pg`.

use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::{AFTER_LOAD, Fault, Place, Setting, Subject};

const SHAPE: &str = "a subject is [LABEL=]ENGINE@WHERE[+SETTING]..., for example postgres@17.7, \
                     new=postgres@/opt/pgsql-17 or postgres@17.7+x10b+work_mem=8MB";

/// Longest label, because labels become headings of tables.
const LABEL_CHARS_MAX: usize = 60;

/// Parses a subject as typed. Its label defaults to `text`. Relative folders become absolute, so that a plan can be
/// resumed from another folder.
///
/// # Errors
/// Usage, naming what is malformed.
pub fn parse_subject(text: &str) -> Outcome<Subject> {
    parse(text).map_err(|fault| {
        let hint = fault.hint.clone().unwrap_or_else(|| SHAPE.to_owned());
        fault.hint(hint).at(format!("subject `{text}`"))
    })
}

fn parse(text: &str) -> Outcome<Subject> {
    if text.trim() != text || text.is_empty() {
        return Err(Fault::usage("is empty or begins or ends with a blank"));
    }
    let (head, tail) = text.split_once('@').ok_or_else(|| no_at(text))?;
    let (label, engine) = match head.split_once('=') {
        Some((label, engine)) => (Some(checked_label(label)?), engine),
        None => (None, head),
    };
    let mut parts = split_settings(tail).into_iter();
    let place = parse_place(&parts.next().unwrap_or_default())?;
    let settings = parts.map(|part| parse_setting(&part)).collect::<Outcome<_>>()?;
    let subject = Subject { label: text.to_owned(), engine: checked_engine(engine)?, place, settings };
    let label = label.unwrap_or_else(|| match subject.place {
        // A label is in every table and file, so that it must not contain a password.
        Place::External(_) => subject.without_password().to_string(),
        _ => text.to_owned(),
    });
    Ok(Subject { label, ..subject })
}

fn no_at(text: &str) -> Fault {
    let fault = Fault::usage("says no version, folder or URL after an `@`");
    match text.split_once('=').map_or(text, |(_, rest)| rest) {
        engine if is_engine_name(engine) => {
            fault.hint(format!("type {engine}@VERSION; `humdrum versions {engine}` lists them"))
        }
        _ => fault,
    }
}

fn checked_label(label: &str) -> Outcome<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if label.is_empty() {
        return Err(Fault::usage("has an empty label before `=`"));
    }
    if !label.chars().all(plain) || label.starts_with(['-', '.']) {
        return Err(Fault::usage(format!("has a label `{label}` that cannot be used"))
            .hint("a label holds letters, digits, `-`, `_` and `.`, and begins with neither `-` nor `.`"));
    }
    if label.chars().count() > LABEL_CHARS_MAX {
        return Err(Fault::usage(format!("has a label of more than {LABEL_CHARS_MAX} characters")));
    }
    Ok(label.to_owned())
}

fn checked_engine(engine: &str) -> Outcome<String> {
    if engine.is_empty() {
        return Err(Fault::usage("names no engine before the `@`"));
    }
    if is_engine_name(engine) {
        return Ok(engine.to_owned());
    }
    let fault = Fault::usage(format!("has an engine `{engine}` that is no engine's name"));
    let lower = engine.to_lowercase();
    Err(if is_engine_name(&lower) {
        fault.hint(format!("engines are lower case: type {lower}@…"))
    } else {
        fault
    })
}

fn is_engine_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn parse_place(text: &str) -> Outcome<Place> {
    if text.is_empty() {
        return Err(Fault::usage("says nothing after the `@`"));
    }
    if let Some(source) = text.strip_prefix("src:") {
        return parse_source(source);
    }
    if text.contains("://") {
        return parse_url(text);
    }
    if text.contains('/') || text.starts_with(['.', '~']) {
        return Ok(Place::Folder(absolute(text)?));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !text.chars().all(plain) || text.ends_with('.') {
        return Err(Fault::usage(format!("has a version `{text}` that is not spelled like one"))
            .hint("type a version like 17.7 or 17; a folder needs a `/` in it, as in ./build"));
    }
    Ok(Place::Version(text.to_owned()))
}

fn parse_source(text: &str) -> Outcome<Place> {
    let (path, revision) = match text.rsplit_once('#') {
        Some((_, "")) => return Err(Fault::usage("says no revision after the `#`")),
        Some((path, revision)) => (path, Some(revision.to_owned())),
        None => (text, None),
    };
    if path.is_empty() {
        return Err(Fault::usage("says no folder after `src:`"));
    }
    // A bare word names sources that the engine finds by itself. A folder of that name is `./crate`.
    let path = if ["crate", "package"].contains(&path) { path.into() } else { absolute(path)? };
    Ok(Place::Source { path, revision })
}

fn parse_url(text: &str) -> Outcome<Place> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(Fault::usage(format!("has a URL `{text}` without a scheme")));
    }
    if rest.is_empty() {
        return Err(Fault::usage(format!("has a URL `{text}` without a host")));
    }
    Ok(Place::External(text.to_owned()))
}

fn absolute(text: &str) -> Outcome<PathBuf> {
    let home = |rest: &str| std::env::var_os("HOME").map(|home| Path::new(&home).join(rest));
    let path = match text.strip_prefix("~/") {
        Some(rest) => home(rest),
        None if text == "~" => home(""),
        None => None,
    };
    std::path::absolute(path.unwrap_or_else(|| PathBuf::from(text)))
        .map_err(|error| Fault::usage(format!("has a folder `{text}` that cannot be used: {error}")))
}

fn parse_setting(text: &str) -> Outcome<Setting> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (text, None),
    };
    // A dot belongs to the name: extensions' options are spelled `pg_stat_statements.track`.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !key.chars().all(plain) {
        return Err(Fault::usage(format!("has a setting `+{text}` that is neither +NAME nor +KEY=VALUE")));
    }
    Ok(match value {
        // A file: for builds from sources, or of statements.
        Some(file) if ["patch", AFTER_LOAD].contains(&key) => {
            Setting::Value { key: key.to_owned(), value: absolute(file)?.display().to_string() }
        }
        Some(value) => Setting::Value { key: key.to_owned(), value: value.to_owned() },
        None => Setting::Named(key.to_owned()),
    })
}

/// WHERE, then each setting. A run of n `+` before a letter splits when n is 1, else it means n-1 of them.
fn split_settings(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut run = usize::from(c == '+');
        while run > 0 && chars.next_if_eq(&'+').is_some() {
            run += 1;
        }
        let before_name = chars.peek().is_some_and(|next| next.is_ascii_alphabetic() || *next == '_');
        match (run, before_name) {
            (1, true) => parts.push(String::new()),
            _ => {
                let last = parts.last_mut().expect("one part at least");
                match run {
                    0 => last.push(c),
                    _ => last.extend(std::iter::repeat_n('+', run - usize::from(before_name))),
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    #[test]
    fn plain_and_labelled() {
        let subject = parse_subject("postgres@17.7").unwrap();
        assert_eq!((subject.label.as_str(), subject.engine.as_str()), ("postgres@17.7", "postgres"));
        assert_eq!(subject.place, Place::Version("17.7".into()));
        let subject = parse_subject("new=mysql@9.7+gtid_mode=ON+x10b+opt=a=b").unwrap();
        assert_eq!(subject.label, "new");
        assert_eq!(
            subject.settings,
            [value("gtid_mode", "ON"), Setting::Named("x10b".into()), value("opt", "a=b")]
        );
    }

    #[test]
    fn places() {
        let place = |text: &str| parse_subject(text).unwrap().place;
        assert_eq!(place("postgres@/opt/c++/pg-17"), Place::Folder("/opt/c++/pg-17".into()));
        assert_eq!(place("postgres@/opt/pg++debug"), Place::Folder("/opt/pg+debug".into()));
        assert_eq!(
            place("postgres@src:/src/pg#a1b2"),
            Place::Source { path: "/src/pg".into(), revision: Some("a1b2".into()) }
        );
        assert_eq!(
            place("postgres@postgres://u:p+1@host/db?x=y"),
            Place::External("postgres://u:p+1@host/db?x=y".into())
        );
        let patched = parse_subject("postgres@src:package#17.7+patch=a.patch").unwrap();
        assert_eq!(patched.place, Place::Source { path: "package".into(), revision: Some("17.7".into()) });
        assert!(matches!(&patched.settings[0], Setting::Value { value, .. } if value.starts_with('/')));
        assert!(matches!(place("postgres@./build"), Place::Folder(path) if path.is_absolute()));
    }

    #[test]
    fn a_label_may_stand_before_a_url_with_an_equals_sign() {
        let subject = parse_subject("mine=postgres@postgres://host/db?a=b+jit=off").unwrap();
        assert_eq!(subject.label, "mine");
        assert_eq!(subject.settings, [value("jit", "off")]);
    }

    #[test]
    fn malformed_ones_say_what_and_what_to_type() {
        for (text, what) in [
            ("", "is empty"),
            ("postgres", "says no version"),
            ("@17.7", "names no engine"),
            ("postgres@", "says nothing"),
            ("postgres@+x10b", "says nothing"),
            ("=postgres@17", "empty label"),
            ("a b=postgres@17", "label `a b`"),
            ("../x=postgres@17", "label `../x`"),
            ("Postgres@17", "engine `Postgres`"),
            ("post gres@17", "engine `post gres`"),
            ("postgres@17 .7", "version `17 .7`"),
            ("postgres@17.", "version `17.`"),
            ("postgres@src:", "no folder after `src:`"),
            ("postgres@src:/x#", "no revision"),
            ("postgres@://host", "without a scheme"),
            ("postgres@postgres://", "without a host"),
            ("postgres@17+a b", "setting `+a b`"),
        ] {
            let fault = parse_subject(text).unwrap_err();
            assert!(fault.to_string().contains(what), "{text}: {fault}");
            assert_eq!(fault.exit_code(), 2);
            assert!(fault.hint.is_some(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*") {
            let _ = parse_subject(&text).is_ok();
        }

        #[test]
        fn what_is_spelled_comes_back(
            engine in "[a-z][a-z0-9-]{0,8}", version in "[0-9]{1,2}(\\.[0-9]{1,2})?",
            keys in prop::collection::vec(("[a-z_][a-z0-9_.]{0,8}", "[A-Za-z0-9/=:.]{0,8}"), 0..4)
        ) {
            let settings: Vec<Setting> = keys.iter().map(|(k, v)| value(k, v)).collect();
            let subject =
                Subject { label: String::new(), engine, place: Place::Version(version), settings };
            let text = subject.to_string();
            prop_assert_eq!(parse_subject(&text).unwrap(), Subject { label: text, ..subject });
        }
    }
}
