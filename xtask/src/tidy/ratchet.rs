//! Files and functions do not grow beyond their present length without a reason.
//!
//! It is a ratchet, not a limit. All that is longer than usual is in `xtask/ratchet.toml` with its length and
//! its reason. It may always shrink. To let it grow, raise the number there and keep the reason true.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::Finding;
use super::source::Source;

const FILE_LINES: usize = 300;
const FUNCTION_LINES: usize = 60;
const LIST: &str = "xtask/ratchet.toml";

/// Something longer than usual.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Long {
    path: String,
    /// The function, or nothing for the whole file.
    #[serde(default)]
    function: String,
    lines: usize,
    #[serde(default)]
    why: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    long: Vec<Long>,
}

/// Everything that has grown, and every entry of the list without a reason or whose file or function is gone.
pub fn check(root: &Path, sources: &[Source]) -> Result<Vec<Finding>, String> {
    Ok(compare(&measure(sources), &read(root)?.long))
}

/// Rewrites the list with present lengths. Reasons are kept, and empty for new entries.
pub fn update(root: &Path, sources: &[Source]) -> Result<(), String> {
    let known = read(root)?.long;
    let mut text = String::from(
        "# What is longer than usual, and why. `cargo xtask tidy --update` rewrites the lengths.\n",
    );
    for now in measure(sources) {
        let why = known.iter().find(|long| same(long, &now)).map_or("", |long| &long.why);
        let function =
            if now.function.is_empty() { String::new() } else { format!("function = {:?}\n", now.function) };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n[[long]]\npath = {:?}\n{function}lines = {}\nwhy = {why:?}\n",
            now.path, now.lines
        );
    }
    std::fs::write(root.join(LIST), text).map_err(|error| format!("{LIST}: {error}"))
}

fn read(root: &Path) -> Result<List, String> {
    match std::fs::read_to_string(root.join(LIST)) {
        Ok(text) => toml::from_str(&text).map_err(|error| format!("{LIST}: {error}")),
        Err(_) => Ok(List::default()),
    }
}

fn compare(now: &[Long], known: &[Long]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for long in now {
        let limit = known.iter().find(|known| same(known, long)).map(|known| known.lines);
        let usual = if long.function.is_empty() { FILE_LINES } else { FUNCTION_LINES };
        if long.lines > limit.unwrap_or(usual) {
            let (what, most) = (title(long), limit.unwrap_or(usual));
            let advice = format!("shorten it, or raise it in {LIST} with a reason");
            findings.push(Finding::new(
                &*long.path,
                format!("{what} has {} lines, {most} at most: {advice}", long.lines),
            ));
        }
    }
    for entry in known {
        if entry.why.trim().is_empty() {
            findings
                .push(Finding::new(LIST, format!("gives no reason for {} ({})", entry.path, title(entry))));
        }
        if !now.iter().any(|long| same(long, entry)) {
            findings.push(Finding::new(
                LIST,
                format!("{} ({}) is no longer long: drop it", entry.path, title(entry)),
            ));
        }
    }
    findings
}

fn same(left: &Long, right: &Long) -> bool {
    (&left.path, &left.function) == (&right.path, &right.function)
}

fn title(long: &Long) -> String {
    if long.function.is_empty() { "the file".to_owned() } else { format!("fn {}", long.function) }
}

fn measure(sources: &[Source]) -> Vec<Long> {
    let mut long: Vec<Long> =
        sources.iter().filter(|source| source.is_rust()).flat_map(measure_one).collect();
    long.sort();
    long
}

fn measure_one(source: &Source) -> Vec<Long> {
    let lines = source.text.lines().count();
    let whole = (lines > FILE_LINES).then(|| (String::new(), lines));
    let functions = functions(&source.text).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES);
    let entry = |(function, lines)| Long { path: source.path.clone(), function, lines, why: String::new() };
    whole.into_iter().chain(functions).map(entry).collect()
}

/// (name, lines) of every function. No parser is needed, because formatted code ends a function with a `}` at the
/// function's own indentation.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        // A declaration without a body, with each parameter on its own line.
        let declared = format!("{indent})");
        let signature = lines[start..].iter().find(|line| line.starts_with(&declared));
        let declared = line.ends_with('(') && signature.is_some_and(|line| line.ends_with(';'));
        if declared || line.ends_with('}') || line.ends_with(';') {
            continue;
        }
        if let Some(length) = lines[start..].iter().position(|line| *line == end) {
            found.push((name.to_owned(), length + 1));
        }
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let modifiers = ["async", "const", "default", "extern", "pub", "unsafe"];
    let is_modifier = |word: &str| {
        modifiers.contains(&word) || word.starts_with("pub(") || word.starts_with('"') || word.ends_with(')')
    };
    if !before.split_whitespace().all(is_modifier) {
        return None;
    }
    let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, body_lines: usize) -> Source {
        let text = format!(
            "//! Words.\n\nimpl A {{\n    pub(crate) fn long(&self) {{\n{}    }}\n}}\n",
            "        a();\n".repeat(body_lines)
        );
        Source { path: path.into(), text }
    }

    fn entry(lines: usize, why: &str) -> Long {
        Long { path: "a.rs".into(), function: "long".into(), lines, why: why.into() }
    }

    #[test]
    fn functions_are_measured_whole() {
        let text = "fn one() {}\n\nfn two(\n    a: u8,\n) {\n    a;\n}\n\nlet x = \"fn three() {\";\n";
        assert_eq!(functions(text), [("two".to_owned(), 5)]);
        let declared = "trait T {\n    fn one(\n        a: u8,\n    ) -> u8;\n    fn two() {\n    }\n}\n";
        assert_eq!(functions(declared), [("two".to_owned(), 2)]);
        assert_eq!(measure(&[source("a.rs", 70)]), [entry(72, "")]);
        assert_eq!(measure(&[source("a.rs", 58)]), []);
    }

    #[test]
    fn long_files_are_measured() {
        let found = measure(&[source("a.rs", 400)]);
        assert_eq!((found.len(), found[0].function.as_str(), found[0].lines), (2, "", 406));
        assert_eq!(measure(&[source("a.md", 400)]), []);
    }

    #[test]
    fn growth_is_found_and_shrinking_is_not() {
        let now = measure(&[source("a.rs", 70)]);
        assert_eq!(compare(&now, &[]).len(), 1);
        assert_eq!(compare(&now, &[entry(71, "one table")]).len(), 1);
        assert_eq!(compare(&now, &[entry(72, "one table")]), []);
        assert_eq!(compare(&now, &[entry(99, "one table")]), []);
    }

    #[test]
    fn entries_want_a_reason_and_an_object() {
        let now = measure(&[source("a.rs", 70)]);
        assert!(compare(&now, &[entry(72, " ")])[0].what.contains("no reason"));
        assert!(compare(&[], &[entry(72, "one table")])[0].what.contains("drop it"));
    }
}
