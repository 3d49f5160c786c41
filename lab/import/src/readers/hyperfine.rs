//! The JSON of `hyperfine --export-json`: every timed run of a command is a repetition.

use humdrum_model::Fault;
use serde::Deserialize;

use crate::Reader;
use crate::found::{Found, Options, Repetition};
use crate::lines::Lines;
use crate::number::ns;

/// hyperfine.
pub(crate) struct Hyperfine;

#[derive(Deserialize)]
struct Report {
    results: Vec<Command>,
}

#[derive(Deserialize)]
struct Command {
    command: String,
    #[serde(default)]
    times: Vec<f64>,
    #[serde(default)]
    exit_codes: Vec<Option<i64>>,
}

impl Reader for Hyperfine {
    fn name(&self) -> &'static str {
        "hyperfine"
    }

    fn about(&self) -> &'static str {
        "the JSON of hyperfine --export-json"
    }

    fn fits(&self, head: &str) -> bool {
        head.trim_start().starts_with('{')
            && ["\"results\"", "\"command\"", "\"mean\""].iter().all(|key| head.contains(key))
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let report: Report = super::json(&lines.whole()?)?;
        for command in report.results {
            let failed = command.exit_codes.iter().filter(|code| **code != Some(0)).count();
            if failed > 0 {
                let what = format!("`{}` failed in {failed} of its runs; all of them count", command.command);
                found.remark(what);
            }
            if command.times.is_empty() {
                found.remark(format!("`{}` has no times", command.command));
            }
            for wall_ns in command.times.iter().filter_map(|seconds| ns(*seconds)) {
                found.add(Repetition {
                    test: Some(command.command.clone()),
                    operation: "one run of the command",
                    operations: 1,
                    wall_ns,
                    ..Repetition::default()
                })?;
            }
        }
        Ok(())
    }
}
