//! Costs of readings that are in no table, such as those of a new probe. They are shown under the reading's
//! own name, so a new metric needs no change here. A row of `KINDS` gives it another unit, another name, or a
//! sum with others.

use std::collections::BTreeMap;

use humdrum_model::{Cost, Metric, MetricKind};

use super::{Divisor, KINDS, Meter, Term};
use crate::run::KeptSession;

/// Readings that are shown elsewhere, or recorded only: for stores (`levels.rs`), whole steps (`steps.rs`), the pace of a
/// background writer (`sla.rs`) and explanations. Alphabetical.
const ELSEWHERE: [&str; 24] = [
    "background_system_ns",
    "background_user_ns",
    "block_cache_kib",
    "compaction_cpu_us",
    "compaction_read_bytes",
    "compaction_wall_us",
    "compaction_written_bytes",
    "compactions",
    "disk_wait_ns",
    "flush_written_bytes",
    "got_bytes",
    "host_cpu_ns",
    "host_switches",
    "level0_files",
    "levels",
    "lock_wait_ns",
    "put_bytes",
    "stall_ms",
    "stalls",
    "system_cpu_ms",
    "user_cpu_ms",
    "writer_due",
    "writer_response_us",
    "writer_writes",
];

/// All costs of readings that are in no table.
pub(super) fn costs(
    metrics: &[Metric],
    statements: f64,
    sessions: &[KeptSession<'_>],
    subject: usize,
) -> BTreeMap<String, Cost> {
    let others = (0..).zip(metrics).filter(|(_, metric)| !is_named(&metric.name));
    let rows = others.filter_map(|(place, metric)| {
        let cost = meter(place, metric, statements).cost(sessions, subject)?;
        Some((metric.name.clone(), cost))
    });
    rows.collect()
}

fn is_named(name: &str) -> bool {
    let mut terms = KINDS.iter().flat_map(|kind| kind.terms);
    ELSEWHERE.contains(&name) || terms.any(|term| matches!(term, Term::Reading(reading) if *reading == name))
}

fn meter(place: usize, metric: &Metric, statements: f64) -> Meter<'_> {
    let level = metric.kind == MetricKind::Gauge;
    let unit = match &*metric.unit {
        unit if level => unit.to_owned(),
        "count" => "1/op".to_owned(),
        unit => format!("{unit}/op"),
    };
    let description = &metric.description;
    let divisor = if level { Divisor::Slices } else { Divisor::Operations };
    Meter {
        unit,
        description,
        scale: 1.0,
        divisor,
        places: vec![place],
        client: false,
        idle: false,
        statements,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::counters;

    #[test]
    fn a_new_counter_is_told_per_operation_and_a_new_gauge_as_a_level() {
        let mut metrics = counters(&["page_faults", "heap_kib"]);
        metrics[0].unit = "count".into();
        metrics[1].kind = MetricKind::Gauge;
        let of = |place: usize| meter(place, &metrics[place], 1.0);
        assert_eq!((&*of(0).unit, matches!(of(0).divisor, Divisor::Slices)), ("1/op", false));
        assert_eq!((&*of(1).unit, matches!(of(1).divisor, Divisor::Slices)), ("x", true));
    }

    #[test]
    fn what_a_table_names_is_not_told_twice() {
        assert!(is_named("server_cpu_ns") && is_named("host_cpu_ns") && !is_named("page_faults"));
        assert!(ELSEWHERE.is_sorted());
    }
}
