//! One file a format.

mod db_bench;
mod google_benchmark;
mod hammerdb;
mod hyperfine;
mod insert_benchmark;
mod insert_summary;
mod pgbench;
mod pgbench_log;
mod relative_qps;
mod sysbench;
mod sysbench_metrics;
mod tsv;

use humdrum_model::Fault;

use crate::Reader;

/// All readers, in alphabetical order of their names.
pub(crate) const TABLE: [&dyn Reader; 12] = [
    &db_bench::DbBench,
    &google_benchmark::GoogleBenchmark,
    &hammerdb::HammerDb,
    &hyperfine::Hyperfine,
    &insert_benchmark::InsertBenchmark,
    &insert_summary::InsertSummary,
    &pgbench::Pgbench,
    &pgbench_log::PgbenchLog,
    &relative_qps::RelativeQps,
    &sysbench::Sysbench,
    &sysbench_metrics::SysbenchMetrics,
    &tsv::Tsv,
];

/// Whether a line begins with one of these words.
fn begins(text: &str, with: &[&str]) -> bool {
    with.iter().any(|word| text.starts_with(word))
}

/// Operation of figures that are relative to a base.
const RELATIVE: &str = "the base's rate is 1";

/// One JSON value.
fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::usage(format!("is no JSON of this format: {error}")))
}

#[cfg(test)]
mod tests;
