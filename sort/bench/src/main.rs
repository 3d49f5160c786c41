//! Patterns x rivals: every sort on every set, interleaved, timed and checked.

mod args;
mod measure;
mod processor;
mod report;
mod stats;

use std::process::ExitCode;

fn main() -> ExitCode {
    let plan = match args::parse(std::env::args().skip(1)) {
        Ok(args::Request::Run(plan)) => plan,
        Ok(args::Request::Say(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(complaint) => {
            eprintln!("skipsort-bench: {complaint}\nTry --help.");
            return ExitCode::from(2);
        }
    };
    report::head(&plan);
    let mut records = Vec::new();
    for set in &plan.sets {
        match measure::set(set, &plan) {
            Ok(record) => {
                report::set(&record, &plan);
                records.push(record);
            }
            Err(complaint) => {
                eprintln!("skipsort-bench: {complaint}");
                return ExitCode::FAILURE;
            }
        }
    }
    report::summary(&records, &plan);
    ExitCode::SUCCESS
}
