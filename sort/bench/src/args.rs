//! The command line, parsed into a plan.

use skipsort_rivals::{RIVALS, Rival};
use skipsort_testkit::Keys;
use skipsort_testkit::patterns::{self, Pattern};

const HELP: &str = "\
Measures sorts of byte-string keys: every rival on every set, taking turns in one process.

Usage: skipsort-bench [--sets A,B] [--rivals A,B] [--rows N] [--rounds N] [--keys FILE] [--json]

  --sets LIST     sets by name, or: sets (default), ordered, adversaries, all; --list shows them
  --rivals LIST   sorts by name, the first is the one compared with; default: the single-threaded ones
  --rows N        keys per set, default 1000000; 10m and 100k are understood; sorts of few are timed in
                  batches, each sort with a draw of its own; a file is sorted as it is
  --rounds N      how often each sort runs on each set, default 7; each round starts with another one
  --seed N        another draw of the keys, default 1
  --keys FILE     newline-separated keys, in file order; may be given more than once, in place of --sets
  --wall          ratios of elapsed time; without it of the thread's CPU time, which a busy machine
                  disturbs less but which says nothing about parallel sorts
  --json          one JSON object per set on standard output
  --list          sets and rivals with a sentence each

Every answer is checked against the standard library's. Each set is shown with the bytes that tell a key
from all others, on average: no sort can look at fewer. Times are medians; [a b] is the interval
that holds the true median with at least 95 % probability, from order statistics. A ratio above 1
means that the first of --rivals is faster.

Examples:
  skipsort-bench --sets url,path --rivals skipsort,std_unstable
  find /usr > paths.txt; skipsort-bench --keys paths.txt --rivals skipsort,std_unstable
  skipsort-bench --wall --rivals skipsort_parallel,rayon_unstable,skipsort

Exit code: 0 done, 1 a sort was wrong or a measurement failed, 2 the command line was not understood.
";

/// What to measure.
pub(crate) struct Plan {
    pub(crate) sets: Vec<Set>,
    pub(crate) rivals: Vec<&'static Rival>,
    pub(crate) rows: usize,
    pub(crate) rounds: usize,
    pub(crate) seed: u64,
    pub(crate) wall: bool,
    pub(crate) json: bool,
}

/// Where keys come from.
pub(crate) enum Set {
    Pattern(&'static Pattern),
    File(String, Keys),
}

pub(crate) enum Request {
    Run(Plan),
    Say(String),
}

const DEFAULT_RIVALS: &str =
    "skipsort,std_unstable,std_stable,orasort,alphasort,multikey_cached,msd_cached_oracle";

pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut files = Vec::new();
    let mut plan = Plan {
        sets: Vec::new(),
        rivals: Vec::new(),
        rows: 1_000_000,
        rounds: 7,
        seed: 1,
        wall: false,
        json: false,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" | "-h" => return Ok(Request::Say(HELP.into())),
            "--list" => return Ok(Request::Say(list())),
            "--wall" => plan.wall = true,
            "--json" => plan.json = true,
            "--sets" => plan.sets = sets(&value()?)?,
            "--rivals" => plan.rivals = rivals(&value()?)?,
            "--rows" => plan.rows = number(&value()?)?.max(1),
            "--rounds" => plan.rounds = number(&value()?)?.max(1),
            "--seed" => plan.seed = number(&value()?)? as u64,
            "--keys" => files.push(file(value()?)?),
            other => return Err(format!("unknown argument {other:?}")),
        }
    }
    if !files.is_empty() {
        if !plan.sets.is_empty() {
            return Err("either --sets or --keys".into());
        }
        plan.sets = files;
    } else if plan.sets.is_empty() {
        plan.sets = sets("sets")?;
    }
    if plan.rivals.is_empty() {
        plan.rivals = rivals(DEFAULT_RIVALS)?;
    }
    Ok(Request::Run(plan))
}

fn number(text: &str) -> Result<usize, String> {
    let lower = text.to_lowercase();
    let (digits, unit) = match lower.strip_suffix(['k', 'm']) {
        Some(digits) => (digits, if lower.ends_with('k') { 1000 } else { 1_000_000 }),
        None => (&*lower, 1),
    };
    digits.parse::<usize>().map(|number| number * unit).map_err(|_| format!("{text:?} is not a number"))
}

fn sets(list: &str) -> Result<Vec<Set>, String> {
    let mut sets = Vec::new();
    for name in list.split(',') {
        let group: Vec<&'static Pattern> = match name {
            "sets" => patterns::SETS.iter().collect(),
            "ordered" => patterns::ORDERED.iter().collect(),
            "adversaries" => patterns::ADVERSARIES.iter().collect(),
            "all" => patterns::all().collect(),
            name => vec![patterns::find(name).ok_or(format!("no set {name:?}; --list shows them"))?],
        };
        sets.extend(group.into_iter().map(Set::Pattern));
    }
    Ok(sets)
}

fn rivals(list: &str) -> Result<Vec<&'static Rival>, String> {
    let find = |name| skipsort_rivals::find(name).ok_or(format!("no rival {name:?}; --list shows them"));
    list.split(',').map(find).collect()
}

fn file(path: String) -> Result<Set, String> {
    let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let keys = Keys::from_lines(bytes);
    if keys.is_empty() { Err(format!("{path}: no keys")) } else { Ok(Set::File(path, keys)) }
}

fn list() -> String {
    let mut text = String::from("Sets:\n");
    for pattern in patterns::all() {
        text += &format!("  {:24} {}\n", pattern.name, pattern.about);
    }
    text += "Rivals:\n";
    for rival in RIVALS {
        text += &format!("  {:24} {}\n", rival.name, rival.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = String> {
        line.split_whitespace().map(String::from).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn understands_numbers_and_names() {
        let Ok(Request::Run(plan)) = parse(words("--rows 10k --sets url,ordered --rivals std_unstable"))
        else {
            panic!("a good command line");
        };
        assert_eq!((plan.rows, plan.sets.len(), plan.rivals.len()), (10_000, 1 + patterns::ORDERED.len(), 1));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for line in ["--rows ten", "--sets nothing", "--rivals nobody", "--rows", "--what", "--keys /nowhere"]
        {
            assert!(parse(words(line)).is_err(), "{line}");
        }
        let both = parse(words("--sets url --keys Cargo.toml"));
        assert_eq!(both.err(), Some("either --sets or --keys".into()));
    }
}
