//! skipsort beside GNU sort: same files, same `-S`, same disk, taking turns; wall time of whole processes, and memory.
//!
//! ```sh
//! cargo bench -p skipsort-cli --bench against_gnu -- --size 1G --rounds 5 --dir /var/tmp
//! ```
//!
//! Every output is compared byte for byte in the first round. The ratio is GNU sort's time divided by skipsort's.

mod cases;
mod data;
mod process;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use cases::{Case, Paths};

const HELP: &str = "\
Usage: against_gnu [--size 1G] [--rounds 3] [--dir DIR] [--parallel N] [--cases PART,...] [--keep]

  --size N      bytes of each data set: K, M and G are understood; default 64M
  --rounds N    runs of each program on each case, alternating; default 3
  --dir DIR     where data, temporary files and outputs go; default the system's temporary folder
  --parallel N  threads of both; default 2
  --cases LIST  only cases whose names contain one of these words
  --keep        leave the data sets for the next time
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
    let plan = match parse(std::env::args().skip(1)) {
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

/// Runs all cases; false if an output differed.
fn run(plan: &Plan) -> std::io::Result<bool> {
    fs::create_dir_all(&plan.dir)?;
    let paths = Paths { dir: plan.dir.clone(), parallel: plan.parallel };
    println!("| case | -S MiB | GNU s | skipsort s | ratio | GNU MiB | skipsort MiB | within bound |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut good = true;
    let mut ratios: Vec<(String, f64)> = Vec::new();
    for case in cases::all(plan.size) {
        if plan.cases.is_empty() || plan.cases.iter().any(|word| case.name.contains(word)) {
            let ratio = measure(&case, &paths, plan.rounds)?;
            good &= ratio.is_some();
            ratios.push((case.name, ratio.unwrap_or(f64::NAN)));
        }
    }
    for group in ["in memory", "spilling"] {
        let group_ratios: Vec<f64> =
            ratios.iter().filter(|(name, _)| name.ends_with(group)).map(|(_, ratio)| ratio.ln()).collect();
        if !group_ratios.is_empty() {
            let mean = (group_ratios.iter().sum::<f64>() / group_ratios.len() as f64).exp();
            println!("geometric mean, {group}: {mean:.2}");
        }
    }
    if !plan.keep {
        fs::remove_dir_all(&plan.dir)?;
    }
    Ok(good)
}

fn measure(case: &Case, paths: &Paths, rounds: usize) -> std::io::Result<Option<f64>> {
    case.prepare(paths)?;
    let (mut gnu, mut ours) = (Vec::new(), Vec::new());
    let mut same = true;
    for round in 0..rounds.max(1) {
        for turn in 0..2 {
            // Who goes first alternates.
            if (turn + round) % 2 == 0 {
                gnu.push(process::run(&mut case.gnu(paths), &paths.output("gnu"))?);
            } else {
                ours.push(process::run(&mut case.ours(paths), &paths.output("ours"))?);
            }
        }
        if round == 0 && case.comparable {
            same = process::same(&paths.output("gnu"), &paths.output("ours"))?;
        }
    }
    let (gnu, ours) = (process::median(&gnu), process::median(&ours));
    let bound = case.memory + case.memory / 10 + (16 << 20);
    println!(
        "| {} | {} | {:.2} | {:.2} | {:.2} | {} | {} | {} |{}",
        case.name,
        case.memory >> 20,
        gnu.seconds,
        ours.seconds,
        gnu.seconds / ours.seconds,
        gnu.resident >> 20,
        ours.resident >> 20,
        if ours.resident <= bound { "yes" } else { "NO" },
        if same { "" } else { " OUTPUT DIFFERS" },
    );
    Ok(same.then_some(gnu.seconds / ours.seconds))
}
