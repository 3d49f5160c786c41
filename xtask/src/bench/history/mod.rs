//! `cargo xtask bench history SOURCES REPOSITORY [BAD [SEED [TURNS]]]`: a git repository made from sources of PostgreSQL, for a
//! proof of `humdrum bisect` on real code: of its commits one makes statements slower, and which one is known.
//!
//! ```text
//!   0  the sources as they are, tag `first`
//!   1  a remark in a comment, a function that nothing calls, another message …    one file each, nothing measurable
//!   …
//!  32  does not compile; 33 repairs it                                            and two more of this kind by the seed
//!   …
//! BAD  a loop in `standard_ExecutorRun`, which every statement passes once
//!   …
//!  64  tag `last`
//! ```
//!
//! TURNS is how often that loop runs. What it takes of a statement depends on the host: 400 turns were 2 % of the time of a
//! `point-query` on a Zen 4, and less than 1 % on a host whose system calls are slow.
//!
//! The same sources, BAD, SEED and TURNS give the same commits, with the same ids.

mod changes;
mod repository;

use std::path::{Path, PathBuf};

use humdrum_contract::Random;

use super::verbs;

use changes::{Change, Files};
use repository::Repository;

/// Commits after the sources themselves.
const COMMITS: usize = 64;
/// Turns of the bad commit's loop, where none are asked for.
const TURNS: u32 = 400;

/// Makes the repository and tells what is where.
pub fn main(args: &[&str]) -> Result<(), String> {
    let [sources, repository, rest @ ..] = args else { return Err(wanted()) };
    let bad = rest.first().map_or(Ok(None), |text| bad(text))?;
    let seed = rest.get(1).map_or(Ok(1), |text| text.parse().map_err(|_| wanted()))?;
    let turns = rest.get(2).map_or(Ok(TURNS), |text| text.parse().map_err(|_| wanted()))?;
    let files = Files::below(Path::new(sources))?;
    let changes = order(&files, bad, seed, turns)?;
    let repository = Repository::of(Path::new(sources), PathBuf::from(repository))?;
    println!("0\t{}\tthe sources, tag first", repository.tag("first")?);
    for (number, change) in (1..).zip(&changes) {
        repository.change(change.file(), |text| change.apply(text, number))?;
        let id = repository.commit(&change.subject(number), number)?;
        let remark = match change {
            Change::Slow(_) => ", the bad one",
            Change::Broken(_) => ", does not compile",
            _ => "",
        };
        println!("{number}\t{id}\t{}{remark}", change.subject(number));
    }
    repository.tag("last").map(drop)
}

/// What to type.
fn wanted() -> String {
    format!("{}; BAD is a number from 1 to {COMMITS}, or `none`", verbs::wanted("history"))
}

/// The number of the bad commit.
fn bad(text: &str) -> Result<Option<usize>, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(None),
        (_, Ok(number)) if (1..=COMMITS).contains(&number) => Ok(Some(number)),
        _ => Err(wanted()),
    }
}

/// What every commit changes.
fn order(files: &Files, bad: Option<usize>, seed: u64, turns: u32) -> Result<Vec<Change>, String> {
    let mut random = Random::new(seed);
    let mut changes: Vec<Change> = (0..COMMITS).map(|_| files.harmless(&mut random)).collect();
    let broken = broken(bad, &mut random);
    for number in broken {
        let file = files.source(&mut random);
        changes[number - 1] = Change::Broken(file.clone());
        changes[number] = Change::Repaired(file);
    }
    if let Some(bad) = bad {
        changes[bad - 1] = files.slow(turns)?;
    }
    Ok(changes)
}

/// Numbers of commits that do not compile. A search begins in the middle, so that it meets the one that is there, unless
/// the bad one has the place.
fn broken(bad: Option<usize>, random: &mut Random) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut asked = COMMITS / 2;
    while found.len() < 2 {
        let pair = asked..=asked + 1;
        let taken = |number: usize| pair.contains(&number) || pair.contains(&(number + 1));
        if !found.iter().any(|one| taken(*one)) && !bad.is_some_and(|bad| pair.contains(&bad)) {
            found.push(asked);
        }
        asked = 1 + random.below(COMMITS as u64 - 2) as usize;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A few files such as the sources have.
    fn sources() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |below: &str, text: &str| {
            let path = folder.path().join(below);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        };
        let body = "#include \"postgres.h\"\nvoid f(void) { ereport(ERROR, (errmsg(\"no\"))); }\n";
        write("src/backend/access/heap/heapam.c", body);
        write("src/backend/commands/copy.c", body);
        write("src/backend/parser/gram.c", "generated");
        write(
            "src/backend/executor/execMain.c",
            "void\nstandard_ExecutorRun(QueryDesc *queryDesc)\n{\n\tEState *estate;\n\n\testate = queryDesc->estate;\n}\n",
        );
        write("src/include/tsearch/ts_utils.h", "#endif\n");
        write("doc/src/sgml/intro.sgml", "<p/>\n");
        write(".gitignore", "gram.c\n");
        folder
    }

    fn git(repository: &Path, args: &[&str]) -> String {
        let output = std::process::Command::new("git").arg("-C").arg(repository).args(args).output();
        String::from_utf8(output.expect("git").stdout).expect("text")
    }

    fn made(folder: &Path, name: &str, bad: &str) -> PathBuf {
        let repository = folder.join(name);
        let sources = sources();
        let paths = [sources.path(), &repository].map(|path| path.display().to_string());
        main(&[&paths[0], &paths[1], bad, "3"]).expect("made");
        repository
    }

    #[test]
    fn one_commit_is_slow_and_the_same_arguments_give_the_same_commits() {
        let folder = tempfile::tempdir().expect("a folder");
        let repository = made(folder.path(), "a", "40");
        let log = git(&repository, &["log", "--format=%s", "--reverse", "first..last"]);
        let subjects: Vec<&str> = log.lines().collect();
        assert_eq!(subjects.len(), COMMITS);
        let slow = git(&repository, &["log", "--format=%s", "-S", "fingerprint", "first..last"]);
        assert_eq!(slow.lines().collect::<Vec<_>>(), [subjects[39]]);
        assert_eq!(git(&repository, &["show", "first:src/backend/parser/gram.c"]), "generated");
        assert!(git(&repository, &["show", "last"]).contains("diff --git"), "every commit changes something");
        let again = made(folder.path(), "b", "40");
        assert_eq!(git(&again, &["rev-parse", "last"]), git(&repository, &["rev-parse", "last"]));
        let none = made(folder.path(), "c", "none");
        assert!(!git(&none, &["grep", "fingerprint", "last"]).contains("fingerprint"));
        let there = main(&["/nowhere", &repository.display().to_string()]).expect_err("no sources");
        assert!(there.contains("/nowhere"), "{there}");
    }

    #[test]
    fn two_commits_do_not_compile_and_are_repaired() {
        let folder = sources();
        let files = Files::below(folder.path()).expect("files");
        for (bad, seed) in [(Some(32), 1), (Some(33), 2), (None, 3), (Some(1), 4)] {
            let changes = order(&files, bad, seed, TURNS).expect("ordered");
            let broken: Vec<usize> =
                (0..COMMITS).filter(|one| matches!(changes[*one], Change::Broken(_))).collect();
            assert_eq!(broken.len(), 2, "{bad:?}");
            for one in broken {
                let Change::Repaired(file) = &changes[one + 1] else { panic!("{one} is repaired") };
                assert_eq!(file, changes[one].file());
            }
            let slow = changes.iter().position(|change| *change == Change::Slow(TURNS));
            assert_eq!(slow.map(|place| place + 1), bad);
        }
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        assert!(main(&["a"]).expect_err("arguments").contains("BAD is a number"));
        assert!(main(&["a", "b", "1", "2", "many"]).expect_err("arguments").contains("TURNS"));
        assert!(main(&["a", "b", "65"]).expect_err("arguments").contains("BAD is a number"));
        let (sources, there) = (sources(), tempfile::tempdir().expect("a folder"));
        let path = |folder: &tempfile::TempDir| folder.path().display().to_string();
        fs::write(there.path().join("mine"), "").expect("written");
        assert!(main(&[&path(&sources), &path(&there)]).expect_err("not empty").contains("is there"));
        let empty = tempfile::tempdir().expect("a folder");
        let told = main(&[&path(&empty), &path(&there)]).expect_err("no sources");
        assert!(told.contains("no sources of PostgreSQL"), "{told}");
    }
}
