//! `cargo xtask licences`: every dependency has a licence that deny.toml allows, and comes from where it allows. The same file
//! is that of cargo-deny, which also looks for advisories; it takes long to install, so these two checks do not wait for it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, ParseMode};

/// What is read of deny.toml.
#[derive(Debug, Deserialize)]
struct Deny {
    licenses: Licences,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
struct Licences {
    /// Short names of SPDX.
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_git: Vec<String>,
}

/// Checks the workspace.
pub fn run(root: &Path) -> ExitCode {
    match complaints(root) {
        Ok(complaints) if complaints.is_empty() => ExitCode::SUCCESS,
        Ok(complaints) => {
            complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
            ExitCode::FAILURE
        }
        Err(complaint) => {
            eprintln!("licences: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn complaints(root: &Path) -> Result<Vec<String>, String> {
    let file = root.join("deny.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("deny.toml: {error}"))?;
    let deny: Deny = toml::from_str(&text).map_err(|error| format!("deny.toml: {error}"))?;
    let metadata = MetadataCommand::new().current_dir(root).other_options(["--locked".to_owned()]).exec();
    Ok(of(&metadata.map_err(|error| error.to_string())?, &deny))
}

/// A line for each package that is not as deny.toml wants it, and for each licence that nothing needs any more.
fn of(metadata: &Metadata, deny: &Deny) -> Vec<String> {
    let foreign = metadata.packages.iter().filter(|package| package.source.is_some());
    let mut needed = BTreeSet::new();
    let mut found: Vec<String> = foreign
        .filter_map(|package| {
            let what = licence(package, &deny.licenses.allow, &mut needed)
                .or_else(|| source(package, &deny.sources))?;
            Some(format!("{} {}: {what}", package.name, package.version))
        })
        .collect();
    let unused = deny.licenses.allow.iter().filter(|licence| !needed.contains(licence.as_str()));
    found.extend(unused.map(|licence| format!("deny.toml: no dependency has the licence {licence}")));
    found
}

/// What is wrong with a package's licence.
fn licence<'a>(package: &Package, allowed: &'a [String], needed: &mut BTreeSet<&'a str>) -> Option<String> {
    let Some(text) = &package.license else { return Some("no licence in its Cargo.toml".into()) };
    let expression = match Expression::parse_mode(text, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => return Some(format!("`{text}` is no licence: {}", error.reason)),
    };
    let fits = expression.evaluate(|wanted| {
        let wanted = wanted.to_string();
        let found = allowed.iter().find(|licence| **licence == wanted);
        needed.extend(found.map(String::as_str));
        found.is_some()
    });
    (!fits).then(|| format!("the licence {text} is not in deny.toml"))
}

/// What is wrong with the place that a package comes from: a repository that is not listed.
fn source(package: &Package, sources: &Sources) -> Option<String> {
    let source = package.source.as_ref()?;
    let git = source.repr.strip_prefix("git+")?;
    let listed = sources.allow_git.iter().any(|allowed| git.starts_with(allowed.as_str()));
    (!listed).then(|| format!("comes from {git}, which deny.toml does not allow"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deny(allow: &[&str]) -> Deny {
        let licenses = Licences { allow: allow.iter().map(|licence| (*licence).to_owned()).collect() };
        Deny { licenses, sources: Sources { allow_git: Vec::new() } }
    }

    fn here() -> Metadata {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        MetadataCommand::new().current_dir(root).exec().unwrap()
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_named_with_its_package() {
        let found = of(&here(), &deny(&["MIT"]));
        assert!(found.iter().any(|line| line.contains("is not in deny.toml")), "{found:?}");
        assert!(!found.iter().any(|line| line.starts_with("serde ")), "{found:?}");
    }

    #[test]
    fn a_licence_that_nothing_needs_is_named() {
        let found = of(&here(), &deny(&["MIT", "GPL-3.0-only"]));
        assert_eq!(
            found.last().map(String::as_str),
            Some("deny.toml: no dependency has the licence GPL-3.0-only")
        );
    }
}
