//! The table of benchmarks: what each takes and measures. `--help`, the list of all benchmarks and refusals of arguments
//! are made from it.

use super::{
    bisect, builds, capture, client, cross, history, import, insert, io_bound, kv, ledger, luck, merge,
    parity, round_trip, runs, worker,
};

type Run = fn(&[&str]) -> Result<(), String>;

/// A benchmark, or a process that benchmarks start.
#[derive(Clone, Copy)]
pub struct Verb {
    name: &'static str,
    /// Its arguments; brackets are around those that can be left out.
    takes: &'static str,
    /// What it measures, in lines of a terminal.
    about: &'static str,
    /// The arguments with a dash that it knows beside `--help`.
    options: &'static [&'static str],
    /// Whether it measures code of this program, which then must be a release build.
    pub release: bool,
    /// Runs it with the arguments behind its name.
    pub run: Run,
}

/// All of them by name.
static ALL: [Verb; 18] = [
    Verb::new(
        "bisect",
        "[BISECTS]",
        "how often a bisect ends at the right commit, and how many builds it takes, beside `git bisect run`;\n\
         simulated, so many times for each kind of history",
        bisect::main,
    )
    .in_release(),
    Verb::new(
        "builds",
        "[--cc COMPILER,...] SUBJECT...",
        "which subjects the compilers of this host build from sources, in what time, and whether their servers start",
        builds::main,
    )
    .with(&["--cc"]),
    Verb::new(
        "capture",
        "[MB]",
        "MB a second and memory of `humdrum capture`, for each format of a log",
        capture::main,
    ),
    Verb::new(
        "client",
        "[SUBJECT [SECONDS [ROUNDS [TEST]]]]",
        "client CPU per operation beside sysbench's and pgbench's (those that are in PATH), and user mode by a clock\n\
         that is read around system calls; TEST is point-select, or select-only of pgbench",
        client::main,
    )
    .in_release(),
    Verb::new(
        "client-worker",
        "URL TEST ROWS CONNECTIONS SECONDS",
        "the client of `bench client` and `bench parity`, which start it",
        worker::main,
    ),
    Verb::new(
        "cross",
        "BASE SUBJECT [SECONDS [ROUNDS [TESTS]]]",
        "the ratio of two releases by sysbench itself, one server at a time, beside that of `humdrum compare`;\n\
         commas separate TESTS",
        cross::main,
    )
    .in_release(),
    Verb::new(
        "echo",
        "BYTES WORK_US",
        "the server end of the round trips of `bench insert`, which starts it",
        round_trip::echo,
    ),
    Verb::new(
        "history",
        "SOURCES REPOSITORY [BAD [SEED [TURNS]]]",
        "a git repository of 64 commits from sources of PostgreSQL, of which commit BAD (a number, or none) makes\n\
         statements slower, by a loop of TURNS, and two do not compile: a proof for `humdrum bisect`",
        history::main,
    ),
    Verb::new(
        "import",
        "[MB]",
        "MB a second and memory of `humdrum import`, for each tool whose output grows with the time of a run",
        import::main,
    ),
    Verb::new(
        "insert",
        "[SUBJECT [ROWS [ROUNDS]]]",
        "client CPU per inserted row beside a plain Python client's (PYTHON names the interpreter, which needs psycopg\n\
         or mysqlclient) and the server's",
        insert::main,
    ),
    Verb::new(
        "io-bound",
        "[PLAN]",
        "reads of the Insert Benchmark's queries beyond memory, beside the kernel's counts",
        io_bound::main,
    ),
    Verb::new(
        "kv",
        "[KEYS [ROUNDS]]",
        "the kv client beside Debian's db_bench, over a library that does nothing, and the device beside the library",
        kv::main,
    )
    .in_release(),
    Verb::new("kv-device", "[KEYS]", "the last part of `bench kv` alone", kv::device),
    Verb::new("ledger", "FOLDER...", "the selftests in these folders as one table, and their sum", ledger::main),
    Verb::new(
        "luck",
        "RESULTS",
        "how much the sessions of a run on record differ, the connections of a session and the pairs of blocks of a\n\
         connection: first subject against second",
        luck::main,
    ),
    Verb::new(
        "merge",
        "[SHARDS [BLOCKS [HOSTS [only]]]]",
        "seconds and memory of `humdrum merge` over synthetic shards of so many blocks, and of `humdrum report` on the\n\
         result; with `only` there is no merge with verdicts",
        merge::main,
    ),
    Verb::new(
        "parity",
        "[SUBJECT [SECONDS [ROUNDS [TESTS]]]]",
        "operations per second of ten tests beside sysbench's; commas separate TESTS",
        parity::main,
    )
    .in_release(),
    Verb::new(
        "runs",
        "RESULTS [RESULTS-OF-ONE-BUILD]",
        "how much the runs of extended results differ by test, and how many of them lie where the others say; with runs\n\
         of `--builds N` and of one build, how much of the spread is that of the builds",
        runs::main,
    ),
];

/// What was typed behind `cargo xtask bench`.
pub enum Asked<'a> {
    /// A text to print.
    Help(String),
    /// A benchmark to run with these arguments.
    Run(&'static Verb, &'a [&'a str]),
}

/// Reads what was typed. `--help` wins wherever it stands.
///
/// # Errors
/// If there is no such benchmark, or it does not know an argument that begins with a dash. The error says what to type.
pub fn asked<'a>(args: &'a [&'a str]) -> Result<Asked<'a>, String> {
    let [name, rest @ ..] = args else { return Err(format!("no benchmark is named; {}", known())) };
    if is_help(name) {
        return Ok(Asked::Help(list()));
    }
    let Some(verb) = find(name) else { return Err(format!("there is no benchmark `{name}`; {}", known())) };
    if rest.iter().any(is_help) {
        return Ok(Asked::Help(verb.help()));
    }
    match rest.iter().find(|arg| arg.starts_with('-') && !verb.options.contains(arg)) {
        Some(unknown) => Err(format!("bench {name} takes no `{unknown}`; {}", verb.wanted())),
        None => Ok(Asked::Run(verb, rest)),
    }
}

/// What to type for a benchmark of the table, for its own refusals.
pub fn wanted(name: &str) -> String {
    find(name).expect("a benchmark of the table").wanted()
}

fn find(name: &str) -> Option<&'static Verb> {
    ALL.iter().find(|verb| verb.name == name)
}

fn is_help(arg: &&str) -> bool {
    matches!(*arg, "--help" | "-h")
}

/// Every benchmark with its text.
fn list() -> String {
    let mut text = "usage: cargo xtask bench NAME [ARGS]\n\n".to_owned();
    for verb in &ALL {
        text += &format!("  {} {}\n", verb.name, verb.takes);
        verb.about.lines().for_each(|line| text += &format!("      {line}\n"));
    }
    text
}

fn known() -> String {
    let names: Vec<&str> = ALL.iter().map(|verb| verb.name).collect();
    format!("type one of {} behind `cargo xtask bench`, or --help", names.join(", "))
}

impl Verb {
    const fn new(name: &'static str, takes: &'static str, about: &'static str, run: Run) -> Self {
        Self { name, takes, about, options: &[], release: false, run }
    }

    const fn with(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    const fn in_release(self) -> Self {
        Self { release: true, ..self }
    }

    fn line(&self) -> String {
        format!("cargo xtask bench {} {}", self.name, self.takes)
    }

    fn help(&self) -> String {
        format!("usage: {}\n\n{}\n", self.line(), self.about)
    }

    fn wanted(&self) -> String {
        format!("type {}", self.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of arguments, as text.
    fn told(args: &[&str]) -> String {
        match asked(args) {
            Ok(Asked::Help(text)) => text,
            Ok(Asked::Run(verb, rest)) => format!("runs {} with {}", verb.name, rest.join(" ")),
            Err(what) => what,
        }
    }

    #[test]
    fn every_benchmark_says_what_it_takes() {
        for Verb { name, takes, about, .. } in &ALL {
            let text = format!("usage: cargo xtask bench {name} {takes}\n\n{about}\n");
            for args in [&[*name, "--help"][..], &[*name, "-h"], &[*name, "some", "--cc", "--help"]] {
                assert_eq!(told(args), text);
            }
            assert_eq!(told(&[*name]), format!("runs {name} with "));
            assert!(told(&["--help"]).contains(&format!("\n  {name} {takes}\n")), "{name}");
            assert!(about.lines().all(|line| line.chars().count() <= 114), "{name}");
        }
        assert!(ALL.iter().map(|verb| verb.name).is_sorted());
        assert_eq!(told(&["-h"]), told(&["--help"]));
    }

    #[test]
    fn an_unknown_argument_with_a_dash_is_refused() {
        let line = "type cargo xtask bench builds [--cc COMPILER,...] SUBJECT...";
        for unknown in ["--jobs", "-j4", "--cc=gcc", "-", "--"] {
            assert_eq!(
                told(&["builds", "fake@1.0", unknown]),
                format!("bench builds takes no `{unknown}`; {line}")
            );
        }
        assert_eq!(told(&["kv", "-5"]), "bench kv takes no `-5`; type cargo xtask bench kv [KEYS [ROUNDS]]");
        assert_eq!(
            told(&["kv", "--cc"]),
            "bench kv takes no `--cc`; type cargo xtask bench kv [KEYS [ROUNDS]]"
        );
        assert_eq!(told(&["builds", "--cc", "gcc", "fake@1.0"]), "runs builds with --cc gcc fake@1.0");
        assert_eq!(wanted("builds"), line);
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_are_known() {
        assert!(
            told(&["bulids"]).starts_with("there is no benchmark `bulids`; type one of bisect, builds, ")
        );
        assert!(told(&[]).ends_with("runs behind `cargo xtask bench`, or --help"));
    }
}
