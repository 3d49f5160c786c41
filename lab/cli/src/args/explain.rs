//! Options of `humdrum explain`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainOptions {
    /// A results folder, or the results.sqlite in it
    pub results: PathBuf,
    /// The test or step [default: all that moved]
    pub test: Option<String>,
    /// Only this subject, by its label
    #[arg(long)]
    pub subject: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Run tests that were not examined for a moment on fresh servers: counters, waits and threads, which are kept with the results
    #[arg(long)]
    pub examine: bool,
    /// Measure what each setting that differs carries, in fresh blocks with the setting put back
    #[arg(long, requires = "test")]
    pub prove: bool,
    /// Sample fresh servers while they run the test, or the chunks of a step, with perf what runs and with eu-stack or gdb what
    /// waits: functions whose time changed, stacks that sessions wait in, and flame graphs in the report
    #[arg(long, requires = "test")]
    pub profile: bool,
    /// Settings to prove, comma-separated [default: four that both sides have, the likeliest]
    #[arg(long, value_delimiter = ',', requires = "prove")]
    pub settings: Vec<String>,
    /// Time to spend on each setting: 30s, 2m [default: 30s; 4m where the test writes; more where
    /// the servers need it]
    #[arg(long, requires = "prove")]
    pub budget: Option<String>,
    /// Allow subjects that are servers already running
    #[arg(long)]
    pub allow_external: bool,
}

impl ExplainOptions {
    /// The option with which it measures; without one it reads alone.
    pub fn measures(&self) -> Option<&'static str> {
        [(self.examine, "--examine"), (self.prove, "--prove"), (self.profile, "--profile")]
            .into_iter()
            .find_map(|(typed, option)| typed.then_some(option))
    }
}
