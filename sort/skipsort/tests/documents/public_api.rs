//! `docs/api.txt` lists what is public: a change of it is a change of the interface, to be seen in review.
//!
//!     SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents public_api

use std::fs;
use std::path::{Path, PathBuf};

/// Items, of all features: what a user of the crate has to learn.
const MOST: usize = 25;

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

fn source(module: &str) -> String {
    fs::read_to_string(path("src").join(module).with_extension("rs")).expect("a source file")
}

/// What `lib.rs` hands on: a module and a name.
fn items() -> Vec<(String, String)> {
    let lib = source("lib");
    let uses = lib.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap_or_default());
    let mut items: Vec<(String, String)> = uses
        .flat_map(|line| {
            let (module, names) = line.split_once("::").expect("a module and names");
            let names = names.trim_matches(['{', '}', '\n', ' ']).split(',').map(str::trim);
            names.filter(|name| !name.is_empty()).map(|name| (module.to_owned(), name.to_owned()))
        })
        .collect();
    items.sort();
    items
}

/// Declarations that begin in these lines, without bodies, comments and attributes, each in one line.
fn declarations(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.split("#[cfg(test)]").next().unwrap_or_default().lines().collect();
    let mut found = Vec::new();
    let mut around = String::new();
    for (at, line) in code.iter().enumerate() {
        let code_at = line.trim();
        if ["impl", "unsafe impl", "pub trait"].iter().any(|word| line.starts_with(word)) {
            around = whole(&code[at..]);
        }
        let of_trait = around.starts_with("pub trait") && line.starts_with("    fn ");
        let public = code_at.starts_with("pub ") && !code_at.starts_with("pub use");
        if public && !line.starts_with("    ") {
            found.push(whole(&code[at..]));
        } else if of_trait || (public && around.starts_with("impl")) {
            found.push(format!("{around} :: {}", whole(&code[at..])));
        } else if line.starts_with("impl") && line.contains(" for ") {
            found.push(whole(&code[at..]));
        }
    }
    found
}

/// A declaration up to its body, in one line.
fn whole(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.trim();
        let end = line.ends_with(['{', ';', '}']);
        text.push_str(line.split(" {").next().unwrap_or(line).trim_end_matches(';'));
        if end {
            break;
        }
        text.push(' ');
    }
    text
}

fn interface() -> String {
    let items = items();
    let mut text = String::from("Items\n");
    items.iter().for_each(|(module, name)| text.push_str(&format!("  {module}::{name}\n")));
    let mut modules: Vec<&String> = items.iter().map(|(module, _)| module).collect();
    modules.dedup();
    for module in modules {
        text.push_str(&format!("\n{module}\n"));
        declarations(&source(module)).iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn the_interface_is_what_was_agreed() {
    let (file, interface) = (path("docs/api.txt"), interface());
    if std::env::var_os("SKIPSORT_UPDATE").is_some() {
        fs::write(&file, &interface).expect("docs/api.txt can be written");
    }
    let agreed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        agreed == interface,
        "docs/api.txt differs: SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents public_api"
    );
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn there_is_not_too_much_to_learn() {
    let items = items();
    assert!((10..=MOST).contains(&items.len()), "{} items", items.len());
}

/// Each item, but those that an example of another shows, has an example of its own.
#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn each_item_has_an_example() {
    for (module, name) in items() {
        let source = source(&module);
        let declared = ["struct", "enum", "trait", "fn"]
            .iter()
            .find_map(|kind| source.find(&format!("pub {kind} {name}")))
            .unwrap_or_else(|| panic!("{module}::{name} is declared"));
        let comment = source[..declared].rsplit("\n\n").next().unwrap_or_default();
        assert!(comment.contains("```"), "{module}::{name} has no example");
    }
}
