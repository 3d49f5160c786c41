//! What a user asked for, before it is checked. The command line and a TOML plan both become this type. Values stay
//! text here, because only `check` knows what they may be.

use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;
use crate::for_host::ForHost;
use crate::matrix::Matrix;
use crate::suggest::did_you_mean;

/// The suite of a request that names none.
pub const SUITE_DEFAULT: &str = "sysbench";

/// A request. Empty lists and `None` mean "not said". The keys of a plan file are the fields' names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// The workload's name.
    pub suite: Option<String>,
    /// Names of tests and groups; a name may itself be a list with commas.
    #[serde(deserialize_with = "names")]
    pub tests: Vec<String>,
    /// Subjects as typed, base first.
    pub subjects: Vec<String>,
    /// `source`: releases are built on this host.
    pub from: Option<String>,
    /// Files that change the sources of every subject that is built here.
    pub patch: Vec<String>,
    /// A named scale, or `rows=…,tables=…,clients=…`.
    pub scale: Option<String>,
    /// What the plan asks; for `humdrum experiments` only.
    pub experiment: Option<Experiment>,
    /// The host that it was sized for; for `--dry-run` only.
    pub host: Option<ForHost>,
    /// Lists of values, each of which every test has.
    pub matrix: Matrix,
    /// How long measuring may take (`5m`).
    pub budget: Option<String>,
    /// So many builds of each subject from the same sources, a run for each.
    pub builds: Option<u32>,
    /// `interleaved`, or `sequential`: one subject has the host at a time.
    pub mode: Option<String>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// Smallest change that matters, as `1%` or `0.01`.
    #[serde(deserialize_with = "text_or_number")]
    pub delta: Option<String>,
    /// Memory of each server, page cache included (`1G`).
    pub memory: Option<String>,
    /// How long each call of a server that syncs a file is held back (`500us`).
    pub fsync_delay: Option<String>,
    /// Length of a slice, milliseconds.
    pub slice_ms: Option<f64>,
    /// Sessions in all, screening included.
    pub sessions: Option<u32>,
    /// Restart the servers before every session.
    pub restart: Option<bool>,
    /// Load the data anew before every session.
    pub reload: Option<bool>,
    /// Bring fresh data back from a copy where that is faster than a load; `false` on a disk that holds one set of data.
    pub copy: Option<bool>,
    /// How long an operation may take before it counts as hung (`30s`).
    pub timeout: Option<String>,
    /// Folder for the results.
    pub out: Option<PathBuf>,
    /// Quantities whose verdicts count; a name may itself be a list with commas.
    #[serde(deserialize_with = "names")]
    pub judge: Vec<String>,
    /// Correct for the number of tests as in a gate.
    pub gate: bool,
    /// Exit with 4 when a test stays undecided.
    pub strict: bool,
    /// Work like the reference, even where that is known to mislead.
    pub compat: bool,
    /// Raises a budget that is too small for the least number of sessions, instead of refusing it. For runs
    /// that the program plans itself; not a key of plan files.
    #[serde(skip)]
    pub budget_grows: bool,
    /// Every session has all subjects, however many they are. For runs whose sessions are compared one by one; no key of a
    /// plan file.
    #[serde(skip)]
    pub side_by_side: bool,
}

impl Request {
    /// Reads a plan file.
    ///
    /// # Errors
    /// Usage, as `plan.toml:12: unknown key `bugdet``, with the name that was probably meant.
    pub fn from_toml(path: &Path) -> Outcome<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        Self::parse_toml(&text, &path.display().to_string())
    }

    /// Reads a plan's text; messages call it `name`.
    ///
    /// # Errors
    /// As `from_toml`.
    pub fn parse_toml(text: &str, name: &str) -> Outcome<Self> {
        parsed(text, name, "compare with the plans in `experiments/`; every key is optional but `subjects`")
    }

    /// This request with every value that `over` gives: the command line takes precedence over the file.
    #[must_use]
    pub fn merge(self, over: Self) -> Self {
        Self {
            suite: over.suite.or(self.suite),
            tests: if over.tests.is_empty() { self.tests } else { over.tests },
            subjects: if over.subjects.is_empty() { self.subjects } else { over.subjects },
            from: over.from.or(self.from),
            patch: if over.patch.is_empty() { self.patch } else { over.patch },
            // Numbers on the command line replace the file's lists of them.
            matrix: self.matrix.replaced_by(over.scale.as_deref()),
            scale: over.scale.or(self.scale),
            budget: over.budget.or(self.budget),
            experiment: over.experiment.or(self.experiment),
            host: over.host.or(self.host),
            builds: over.builds.or(self.builds),
            mode: over.mode.or(self.mode),
            seed: over.seed.or(self.seed),
            delta: over.delta.or(self.delta),
            memory: over.memory.or(self.memory),
            fsync_delay: over.fsync_delay.or(self.fsync_delay),
            slice_ms: over.slice_ms.or(self.slice_ms),
            sessions: over.sessions.or(self.sessions),
            restart: over.restart.or(self.restart),
            reload: over.reload.or(self.reload),
            copy: over.copy.or(self.copy),
            timeout: over.timeout.or(self.timeout),
            out: over.out.or(self.out),
            judge: if over.judge.is_empty() { self.judge } else { over.judge },
            gate: over.gate || self.gate,
            strict: over.strict || self.strict,
            compat: over.compat || self.compat,
            budget_grows: over.budget_grows || self.budget_grows,
            side_by_side: over.side_by_side || self.side_by_side,
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    let fault = Fault::usage(format!("cannot read the plan {}: {error}", path.display()));
    if path.is_dir() {
        return fault.hint("name the plan's file, not its folder");
    }
    fault.hint("give the path of a TOML file; `experiments/` holds examples")
}

/// Reads TOML; a mistake is told with the line in `name`, and with `hint` if there is no better advice.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str, name: &str, hint: &str) -> Outcome<T> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        explain(error.message(), hint).at(format!("{name}:{line}"))
    })
}

/// The parser's message in our words. For an unknown key it says "unknown field `x`, expected one of `a`, `b`", for an unknown
/// word "unknown variant `x`, expected …". The names are read from it, so that the types are the only lists of them.
fn explain(message: &str, hint: &str) -> Fault {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let kinds = [("unknown field", "key"), ("unknown variant", "word")];
    let kind = kinds.iter().find(|(beginning, _)| message.starts_with(beginning));
    match (quoted.split_first(), kind) {
        (Some((unknown, known)), Some((_, kind))) => Fault::usage(format!("unknown {kind} `{unknown}`"))
            .hint(did_you_mean(unknown, known.iter().copied())),
        _ => Fault::usage(message.trim().replace('\n', ", ")).hint(hint),
    }
}

/// A list of names, or one text.
fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("names of tests, as \"a,b\" or [\"a\", \"b\"]")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = list.next_element()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    from.deserialize_any(Names)
}

/// `0.01` or `"1%"`, both of which users write.
fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    struct Either;
    impl Visitor<'_> for Either {
        type Value = Option<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a fraction, as 0.01 or \"1%\"")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(text.to_owned()))
        }

        fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
            Ok(Some(number.to_string()))
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
            Ok(Some(number.to_string()))
        }
    }
    from.deserialize_any(Either)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Fault {
        Request::parse_toml(text, "plan.toml").unwrap_err()
    }

    #[test]
    fn reads_every_key() {
        let text = r#"
            suite = "sysbench"
            tests = "point,scan"
            subjects = ["fake@1.0", "fake@2.0"]
            scale = "tiny"
            budget = "5m"
            mode = "interleaved"
            seed = 7
            delta = 0.01
            memory = "1G"
            fsync_delay = "500us"
            slice_ms = 10
            sessions = 12
            restart = true
            reload = false
            timeout = "30s"
            out = "here"
            judge = ["throughput", "p99"]
            gate = true
            strict = true
            compat = true
        "#;
        let request = Request::parse_toml(text, "plan.toml").unwrap();
        assert_eq!(request.tests, ["point,scan"]);
        assert_eq!(request.delta.as_deref(), Some("0.01"));
        assert_eq!((request.slice_ms, request.sessions), (Some(10.0), Some(12)));
        assert!(request.strict && request.compat && request.gate);
        assert_eq!(request.judge, ["throughput", "p99"]);
        assert_eq!([request.memory, request.fsync_delay].map(Option::unwrap), ["1G", "500us"]);
        let listed = Request::parse_toml("tests = ['a', 'b']\ndelta = '1%'", "plan.toml").unwrap();
        assert_eq!((listed.tests.len(), listed.delta.as_deref()), (2, Some("1%")));
    }

    #[test]
    fn a_typo_is_named_with_its_line() {
        let fault = refused("suite = \"sysbench\"\n\nbugdet = \"5m\"\n");
        assert_eq!(fault.to_string(), "plan.toml:3: unknown key `bugdet`");
        assert_eq!(fault.hint.as_deref(), Some("did you mean `budget`?"));
    }

    #[test]
    fn wrong_types_and_broken_syntax_are_named_with_their_line() {
        assert!(refused("seed = 1\nsessions = 'many'").to_string().starts_with("plan.toml:2: invalid type"));
        assert!(refused("seed = 1\nsubjects = [").to_string().starts_with("plan.toml:2: "));
        assert!(refused("tests = 3").to_string().contains("names of tests"));
        assert!(refused("seed = -1").to_string().starts_with("plan.toml:1: "));
    }

    #[test]
    fn a_missing_file_is_named() {
        let fault = Request::from_toml(Path::new("no/such.toml")).unwrap_err();
        assert!(fault.to_string().contains("no/such.toml"));
        assert_eq!(fault.exit_code(), 2);
    }

    #[test]
    fn the_command_line_wins() {
        let (budget, tests) = (Some("5m".into()), vec!["all".into()]);
        let file = Request { budget, seed: Some(1), tests, ..Request::default() };
        let typed = Request { seed: Some(2), strict: true, ..Request::default() };
        let merged = file.clone().merge(typed);
        assert_eq!((merged.seed, merged.budget, merged.strict), (Some(2), file.budget.clone(), true));
        assert_eq!(merged.tests, file.tests);
    }
}
