//! The JSON of Google Benchmark (`--benchmark_format=json`, `--benchmark_out`): each repetition counts, its aggregates do not.

use humdrum_model::Fault;
use serde::Deserialize;

use crate::Reader;
use crate::found::{Found, Options, Repetition};
use crate::lines::Lines;
use crate::number::ns;

/// Google Benchmark.
pub(crate) struct GoogleBenchmark;

#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    context: Context,
    benchmarks: Vec<Benchmark>,
}

#[derive(Default, Deserialize)]
struct Context {
    #[serde(default)]
    library_build_type: String,
}

#[derive(Deserialize)]
struct Benchmark {
    name: String,
    #[serde(default)]
    run_name: Option<String>,
    #[serde(default)]
    run_type: Option<String>,
    #[serde(default)]
    iterations: u64,
    #[serde(default)]
    real_time: Option<f64>,
    #[serde(default)]
    time_unit: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    #[serde(default)]
    error_message: Option<String>,
}

impl Benchmark {
    /// Time of all iterations.
    fn wall_ns(&self) -> Option<u64> {
        let unit = match self.time_unit.as_deref() {
            Some("ns") | None => 1e-9,
            Some("us") => 1e-6,
            Some("ms") => 1e-3,
            Some("s") => 1.0,
            Some(_) => return None,
        };
        ns(self.real_time? * unit * self.iterations as f64)
    }
}

impl Reader for GoogleBenchmark {
    fn name(&self) -> &'static str {
        "google-benchmark"
    }

    fn about(&self) -> &'static str {
        "the JSON of Google Benchmark, --benchmark_format=json"
    }

    fn fits(&self, head: &str) -> bool {
        let keys = ["\"context\"", "\"benchmarks\""];
        head.trim_start().starts_with('{') && keys.iter().all(|key| head.contains(key))
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let report: Report = super::json(&lines.whole()?)?;
        if report.context.library_build_type == "debug" {
            found.remark("the benchmark library was built without optimisation, as it says itself");
        }
        let aggregates_alone = report.benchmarks.iter().all(Benchmark::is_aggregate);
        if aggregates_alone && !report.benchmarks.is_empty() {
            let what = "has aggregates and no repetitions, so that nothing is known of how they differ";
            return Err(Fault::usage(what).hint("run it without --benchmark_report_aggregates_only"));
        }
        for one in report.benchmarks.into_iter().filter(|one| !one.is_aggregate()) {
            match one.wall_ns().filter(|_| one.iterations > 0 && !one.error_occurred) {
                Some(wall_ns) => found.add(one.repetition(wall_ns))?,
                None => {
                    let why = one.error_message.as_deref().unwrap_or("its time is missing");
                    found.remark(format!("`{}` has no result: {why}", one.name));
                }
            }
        }
        Ok(())
    }
}

impl Benchmark {
    fn is_aggregate(&self) -> bool {
        self.run_type.as_deref() == Some("aggregate")
    }

    fn repetition(self, wall_ns: u64) -> Repetition {
        Repetition {
            test: Some(self.run_name.unwrap_or(self.name)),
            operation: "one iteration",
            operations: self.iterations,
            wall_ns,
            ..Repetition::default()
        }
    }
}
