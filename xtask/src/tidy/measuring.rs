//! Wall 3, which `cargo metadata` does not show whole: the measuring engine names no suite, no engine and no file format,
//! and the program touches no server.

use super::Finding;
use super::source::Source;
use super::walls::Member;

const ENGINE: &str = "lab/run/";
const PROGRAM: &str = "lab/cli/src/";
/// Crates that write formats.
const FORMATS: [&str; 2] = ["lab/report", "lab/charts"];
/// Names of formats, as words of code.
const FORMAT_WORDS: [&str; 7] = ["json", "toml", "html", "markdown", "tsv", "sqlite", "svg"];
/// What a program would need to touch a server.
const SERVER_WORDS: [&str; 5] = ["Server", "Installation", "SqlSession", "KvSession", "Connection"];

/// All breaches: of dependencies, and of words in code. `suites` are the folders of workloads.
pub fn check(members: &[Member], sources: &[Source]) -> Vec<Finding> {
    let suites = suites(sources);
    let words = sources.iter().flat_map(|source| {
        let (words, why) = match &source.path {
            path if path.starts_with(ENGINE) => (
                FORMAT_WORDS.map(str::to_owned).into_iter().chain(suites.clone()).collect(),
                "lab/run names no suite and no file format",
            ),
            path if path.starts_with(PROGRAM) => {
                (SERVER_WORDS.map(str::to_owned).to_vec(), "lab/cli touches no server: lab/run does")
            }
            _ => (Vec::new(), ""),
        };
        named(source, &words, why)
    });
    words.chain(dependencies(members)).collect()
}

/// Folders under `lab/workloads`.
fn suites(sources: &[Source]) -> Vec<String> {
    let folders =
        sources.iter().filter_map(|source| source.path.strip_prefix("lab/workloads/")?.split('/').next());
    let mut names: Vec<String> = folders.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

fn dependencies(members: &[Member]) -> Vec<Finding> {
    let folder = |name: &str| members.iter().find(|member| member.name == name).map(|member| &*member.folder);
    let engine = members.iter().filter(|member| ENGINE.trim_end_matches('/') == member.folder);
    let used = engine.flat_map(|member| &member.uses).filter_map(|(name, _)| folder(name));
    used.filter(|used| FORMATS.contains(used))
        .map(|used| {
            Finding::new(format!("{ENGINE}Cargo.toml"), format!("wall 3: lab/run must not depend on {used}"))
        })
        .collect()
}

/// Words in code: comments and tests may use them.
fn named(source: &Source, words: &[String], why: &str) -> Vec<Finding> {
    let code = (1..).zip(source.text.lines()).take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        let found = words.iter().filter(move |word| has_word(line, word));
        found.map(move |word| {
            Finding::new(format!("{}:{number}", source.path), format!("wall 3: `{word}`: {why}"))
        })
    })
    .collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    // `Vec::insert` and the like are methods; a suite is named by a string.
    let quoted = word.starts_with(char::is_lowercase);
    let word = if quoted { format!("\"{word}\"") } else { word.to_owned() };
    line.match_indices(&word)
        .any(|(at, _)| quoted || !line[..at].ends_with(joins) && !line[at + word.len()..].starts_with(joins))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn the_measuring_engine_names_no_suite_and_no_format() {
        let suite = source("lab/workloads/insert/src/lib.rs", "");
        let of = |text: &str| check(&[], &[suite.clone(), source("lab/run/src/a.rs", text)]).len();
        assert_eq!(of("if plan.suite == \"insert\" {"), 1);
        assert_eq!(of("out.join(\"json\")"), 1);
        assert_eq!(of("known.insert(name)"), 0);
        assert_eq!(of("// as \"insert\" does"), 0);
    }

    #[test]
    fn the_program_touches_no_server() {
        let of = |path: &str, text: &str| check(&[], &[source(path, text)]).len();
        assert_eq!(of("lab/cli/src/verbs/up.rs", "let server: Box<dyn Server> = x;"), 1);
        assert_eq!(of("lab/cli/src/verbs/up.rs", "let servers = 2;"), 0);
        assert_eq!(of("lab/run/src/roster.rs", "dyn Server"), 0);
    }

    #[test]
    fn the_measuring_engine_depends_on_no_format() {
        let member = |name: &str, folder: &str, uses: &[&str]| Member {
            name: name.into(),
            folder: folder.into(),
            uses: uses.iter().map(|used| ((*used).to_owned(), false)).collect(),
        };
        let members = [member("run", "lab/run", &["report"]), member("report", "lab/report", &[])];
        assert_eq!(check(&members, &[])[0].place, "lab/run/Cargo.toml");
    }
}
