//! skipsort beside GNU sort: same files, same `-S`, same disk, taking turns; wall time of whole processes, and memory.
//!
//! ```sh
//! cargo bench -p skipsort-cli --bench against_gnu -- --size 1G --rounds 5 --dir /var/tmp
//! ```
//!
//! Every output is compared byte for byte in a first round that is not counted. The ratio is GNU sort's time divided by
//! skipsort's, or that of `cat` where nothing is to be sorted, or of skipsort with one thread. Bars are those of 1 GiB; smaller sets tell where it is going.
//! Takes twelve times the size on disk and up to five times in memory.

mod cases;
mod data;
mod own;
mod process;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use cases::{Case, GROUPS, Paths};

const HELP: &str = "\
Usage: against_gnu [--size 1G] [--rounds 3] [--dir DIR] [--parallel N] [--cases PART,...] [--keep]

  --size N      bytes of each data set: K, M and G are understood; default 64M
  --rounds N    runs of each program on each case, alternating, after one that is not counted; default 3
  --dir DIR     where data, temporary files and outputs go; default the system's temporary folder
  --parallel N  threads of both; default 2
  --cases LIST  only cases whose names contain one of these words
  --keep        leave the data sets for the next time

SKIPSORT names another program to measure than the one that was just built.
";

struct Plan {
    size: u64,
    rounds: usize,
    dir: PathBuf,
    parallel: usize,
    cases: Vec<String>,
    keep: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [make, set, size, seed, path] = &args[..]
        && make == data::MAKE
    {
        return match data::make(set, size, seed, path.as_ref()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("against_gnu: {path}: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let plan = match parse(args.into_iter()) {
        Ok(Some(plan)) => plan,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(complaint) => {
            eprintln!("against_gnu: {complaint}\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(&plan) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("against_gnu: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Plan>, String> {
    let mut plan = Plan {
        size: 64 << 20,
        rounds: 3,
        dir: std::env::temp_dir().join("skipsort-against-gnu"),
        parallel: 2,
        cases: Vec::new(),
        keep: false,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" => return Ok(None),
            // Given by `cargo bench`.
            "--bench" => {}
            "--size" => plan.size = size(&value()?)?,
            "--rounds" => plan.rounds = size(&value()?)? as usize,
            "--dir" => plan.dir = PathBuf::from(value()?).join("skipsort-against-gnu"),
            "--parallel" => plan.parallel = size(&value()?)? as usize,
            "--cases" => plan.cases = value()?.split(',').map(str::to_owned).collect(),
            "--keep" => plan.keep = true,
            other => return Err(format!("unknown argument {other:?}")),
        }
    }
    Ok(Some(plan))
}

fn size(text: &str) -> Result<u64, String> {
    let shift = match text.chars().last() {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    digits.parse::<u64>().map(|number| number << shift).map_err(|_| format!("{text:?} is not a size"))
}

/// Runs all cases; false if a bar was missed or an output differed.
fn run(plan: &Plan) -> std::io::Result<bool> {
    fs::create_dir_all(&plan.dir)?;
    let paths = Paths { dir: plan.dir.clone(), parallel: plan.parallel };
    println!("| case | -S MiB | GNU s | skipsort s | ratio | bar | GNU MiB | skipsort MiB | most MiB | |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut good = true;
    let mut ratios: Vec<(String, f64)> = Vec::new();
    for case in cases::all(plan.size) {
        if plan.cases.is_empty() || plan.cases.iter().any(|word| case.name.contains(word)) {
            let (ratio, passed) = measure(&case, &paths, plan.rounds)?;
            good &= passed;
            ratios.push((case.name, ratio));
        }
    }
    for (group, bar) in GROUPS {
        let logs: Vec<f64> =
            ratios.iter().filter(|(name, _)| name.ends_with(group)).map(|(_, ratio)| ratio.ln()).collect();
        if !logs.is_empty() {
            let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
            let passed = bar.is_none_or(|bar| mean >= bar);
            let beside = bar.map_or(String::new(), |bar| format!(", bar {bar:.2}, {}", word(passed)));
            println!("geometric mean of {}, {group}: {mean:.2}{beside}", logs.len());
            good &= passed;
        }
    }
    if !plan.keep {
        fs::remove_dir_all(&plan.dir)?;
    }
    Ok(good)
}

fn word(passed: bool) -> &'static str {
    if passed { "pass" } else { "FAIL" }
}

/// The ratio of one case, and whether time, memory and output are what they should be.
fn measure(case: &Case, paths: &Paths, rounds: usize) -> std::io::Result<(f64, bool)> {
    case.prepare(paths)?;
    let (mut gnu, mut ours) = (Vec::new(), Vec::new());
    let mut same = true;
    // The first round compares outputs and is not counted: files and memory are new to whoever comes first.
    for round in 0..=rounds.max(1) {
        for turn in 0..2 {
            // Who goes first alternates.
            let theirs = (turn + round) % 2 == 0;
            let (who, mut command) =
                if theirs { ("gnu", case.gnu(paths)) } else { ("ours", case.ours(paths)) };
            let output = paths.output(who);
            let cost = process::run(&mut command, case.times, &output)?;
            if round > 0 {
                if theirs { &mut gnu } else { &mut ours }.push(cost);
                // The next one should not run while this is being written to the disk.
                process::remove(&output)?;
            }
        }
        if round == 0 {
            same = !case.comparable || process::same(&paths.output("gnu"), &paths.output("ours"))?;
            process::remove(&paths.output("gnu"))?;
            process::remove(&paths.output("ours"))?;
        }
    }
    let (gnu, ours) = (process::median(&gnu), process::median(&ours));
    let ratio = gnu.seconds / ours.seconds;
    let passed = same && ratio >= case.bar && ours.resident <= case.bound();
    println!(
        "| {} | {} | {:.3} | {:.3} | {ratio:.2} | {:.2} | {} | {} | {} | {}{} |",
        case.name,
        case.memory >> 20,
        gnu.seconds,
        ours.seconds,
        case.bar,
        gnu.resident >> 20,
        ours.resident >> 20,
        case.bound() >> 20,
        word(passed),
        if same { "" } else { ": OUTPUT DIFFERS" },
    );
    Ok((ratio, passed))
}
