//! `cargo xtask tidy`. Each rule is a function from the tree to findings. This file collects and prints them.

mod headers;
mod measuring;
mod mentions;
mod ratchet;
mod source;
mod walls;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use source::Source;

/// Documents that must exist.
const DOCUMENTS: [&str; 5] =
    ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "README.md"];

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// File or crate, with the line where there is one.
    pub place: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Checks the tree. With `update`, rewrites the ratchet to the present lengths.
pub fn run(root: &Path, update: bool) -> ExitCode {
    match check(root, update) {
        Ok(findings) if findings.is_empty() => {
            println!("tidy");
            ExitCode::SUCCESS
        }
        Ok(findings) => {
            findings.iter().for_each(|finding| println!("{finding}"));
            println!("{} findings", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: {error}");
            ExitCode::from(2)
        }
    }
}

fn check(root: &Path, update: bool) -> Result<Vec<Finding>, String> {
    let sources = source::all(root)?;
    if update {
        ratchet::update(root, &sources)?;
    }
    let members = walls::crates(root)?;
    let mut findings = walls::check(&members);
    findings.extend(measuring::check(&members, &sources));
    findings.extend(documents(&sources));
    findings.extend(sources.iter().flat_map(headers::check));
    let engines = mentions::engines(&sources);
    findings.extend(sources.iter().flat_map(|source| mentions::check(source, &engines)));
    findings.extend(ratchet::check(root, &sources)?);
    findings.sort();
    Ok(findings)
}

fn documents(sources: &[Source]) -> Vec<Finding> {
    let missing = |name: &&&str| !sources.iter().any(|source| source.path == **name);
    DOCUMENTS.iter().filter(missing).map(|name| Finding::new(*name, "is missing")).collect()
}
