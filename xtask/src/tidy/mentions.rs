//! Words that must not be in the tree: addresses of package registries, a developer's own folders, and an engine's name
//! in code that must treat all engines alike. This file spells the words in halves, so that it does not break its own
//! rule.

use super::Finding;
use super::source::Source;

/// Registries' names as parts of a host.
const REGISTRIES: [&str; 7] = ["maven", "pypi", "npmjs", "crates", "rubygems", "debian", "docker"];
/// Hosts of registries, in halves.
const HOSTS: [(&str, &str); 6] = [
    ("repo1.", "maven."),
    ("crates.", "io"),
    ("pypi.", "org"),
    ("npmjs.", "org"),
    ("npmjs.", "com"),
    ("deb.deb", "ian.org"),
];
/// A developer's folders, in halves.
const FOLDERS: [(&str, &str); 2] = [("/wo", "rk/"), ("/ro", "ot/")];
/// Files written by cargo, whose content we do not choose.
const GENERATED: [&str; 1] = ["Cargo.lock"];
/// Files of the lab that may name an engine, or folders of them, and why.
const MAY_NAME_ENGINES: [(&str, &str); 4] = [
    ("lab/capture/src/", "logs: each engine writes its own, whoever reads them"),
    ("lab/report/src/fixture.rs", "a made-up run, with names that readers know"),
    ("lab/report/src/fixture/releases.rs", "likewise"),
    ("lab/workloads/script/src/dump.rs", "the programs that write dumps, which are called after engines"),
];

/// Folders under `engines/` that are no engine: the table, what engines share, and `fake`, which is everybody's.
const NO_ENGINES: [&str; 7] = ["all", "fake", "kit", "orderby", "transport", "worker", "README.md"];

/// Names of the engines: folders under `engines/`.
pub fn engines(sources: &[Source]) -> Vec<String> {
    let folders = sources.iter().filter_map(|source| source.path.strip_prefix("engines/")?.split('/').next());
    let mut names: Vec<String> =
        folders.filter(|name| !NO_ENGINES.contains(name)).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// All findings in one file.
pub fn check(source: &Source, engines: &[String]) -> Vec<Finding> {
    if GENERATED.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let lines = (1..).zip(source.text.lines());
    let mut findings: Vec<Finding> = lines
        .filter_map(|(number, line)| Some((number, address(line).or_else(|| folder(line))?)))
        .map(|(number, what)| Finding::new(format!("{}:{number}", source.path), what))
        .collect();
    if treats_engines_alike(&source.path) {
        findings.extend(named_engines(source, engines));
    }
    findings
}

fn address(line: &str) -> Option<String> {
    let after_scheme = line.split("://").skip(1);
    let hosts =
        after_scheme.map(|rest| rest.split(['/', '"', ' ', ')', '>', '`']).next().unwrap_or_default());
    let by_name = hosts.into_iter().find(|host| REGISTRIES.iter().any(|name| host.contains(name)));
    let known = HOSTS.iter().map(|(left, right)| format!("{left}{right}")).find(|host| has_word(line, host));
    let host = by_name.map(str::to_owned).or(known)?;
    Some(format!("names the registry host `{host}`: addresses come from the user's own configuration"))
}

fn folder(line: &str) -> Option<String> {
    let folders = FOLDERS.iter().map(|(left, right)| format!("{left}{right}"));
    let found = folders.into_iter().find(|folder| {
        line.match_indices(folder.as_str()).any(|(at, _)| {
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '~' | '}'))
        })
    })?;
    Some(format!("names a folder `{found}` of one machine"))
}

/// Whether a line has `word`, not as part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let joins = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !line[..at].ends_with(joins) && (word.ends_with('.') || !line[at + word.len()..].starts_with(joins))
    })
}

/// Whether a file may know only traits. `cli` knows engines too.
fn treats_engines_alike(path: &str) -> bool {
    path.starts_with("lab/")
        && path.contains("/src/")
        && path.ends_with(".rs")
        && !path.starts_with("lab/cli/")
        && !MAY_NAME_ENGINES
            .iter()
            .any(|(allowed, _)| *allowed == path || (allowed.ends_with('/') && path.starts_with(allowed)))
}

/// Engines' names in code. Comments and tests may name engines. So may examples of what to type, which are written
/// `ENGINE@…` or as the scheme of a URL.
fn named_engines(source: &Source, engines: &[String]) -> Vec<Finding> {
    if source.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let code = (1..).zip(source.text.lines()).take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        let named = engines.iter().filter(move |engine| names(line, engine));
        named.map(move |engine| {
            let what = format!("treats `{engine}` apart: what is special belongs into engines/{engine}");
            Finding::new(format!("{}:{number}", source.path), what)
        })
    })
    .collect()
}

fn names(line: &str, engine: &str) -> bool {
    let code = line.split(" // ").next().unwrap_or_default();
    code.match_indices(engine).any(|(at, _)| !code[at + engine.len()..].starts_with(['@', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        check(&Source { path: path.into(), text: text.into() }, &["postgres".to_owned()])
    }

    #[test]
    fn addresses_are_found_and_cargos_own_are_not() {
        let host = ["repo1.", "maven.", "org"].concat();
        assert_eq!(findings("a.md", &format!("get it from https://{host}/x")).len(), 1);
        assert_eq!(findings("a.md", &format!("get it from {host}")).len(), 1);
        assert_eq!(findings("Cargo.lock", &format!("https://{host}/x")).len(), 0);
        assert_eq!(findings("a.md", "see https://example.org/maven/x and HUMDRUM_MAVEN_REPOSITORY").len(), 0);
        assert_eq!(findings("a.md", &["crates", ".io"].concat()).len(), 1);
    }

    #[test]
    fn developers_folders_are_found() {
        let folder = ["/wo", "rk/main"].concat();
        assert_eq!(findings("a.rs", &format!("let x = \"{folder}\";"))[0].place, "a.rs:1");
        assert_eq!(findings("a.rs", &format!("target{folder}")).len(), 0);
    }

    #[test]
    fn engines_stay_in_their_folders() {
        let code = "if engine == \"postgres\" {";
        assert_eq!(findings("lab/drive/src/a.rs", code).len(), 1);
        assert_eq!(findings("lab/cli/src/a.rs", code).len(), 0);
        assert_eq!(findings("engines/postgres/src/a.rs", code).len(), 0);
        assert_eq!(findings("lab/drive/src/a.rs", "// if postgres\n.hint(\"postgres@17\")").len(), 0);
        assert_eq!(findings("lab/drive/src/a.rs", &format!("#[cfg(test)]\n{code}")).len(), 0);
    }

    #[test]
    fn engines_are_the_folders() {
        let source = |path: &str| Source { path: path.into(), text: String::new() };
        let sources =
            ["engines/all/a", "engines/fake/a", "engines/b/x", "engines/a/y", "engines/b/z", "lab/c/d"];
        assert_eq!(engines(&sources.map(source)), ["a", "b"]);
    }
}
