//! A plan's numbers of rows and clients in words, for dry runs, and what each number of rows costs.

use std::fmt::Write;

use humdrum_model::{Dimension, Plan, Scale, count_text};

use crate::design::session_overhead_seconds;
use crate::dry_run::clock;

/// `1, 4, 16`.
pub(crate) fn listed(plan: &Plan, dimension: Dimension) -> String {
    plan.numbers(dimension).iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Rows and tables, or the sizes of a workload that has others.
pub(crate) fn size(plan: &Plan) -> String {
    let Scale { tables, more, .. } = &plan.scale;
    if plan.suite_sha256.is_none() {
        return format!("{} rows x {tables} tables", listed(plan, Dimension::Rows));
    }
    more.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// `, each at 3 numbers of rows and 2 numbers of clients`; empty where there is one of each.
pub(crate) fn times(plan: &Plan) -> String {
    let several = |dimension: Dimension| {
        let count = plan.numbers(dimension).len();
        (count > 1).then(|| format!("{count} numbers of {}", dimension.word()))
    };
    let all: Vec<String> = Dimension::ALL.into_iter().filter_map(several).collect();
    if all.is_empty() { String::new() } else { format!(", each at {}", all.join(" and ")) }
}

/// What each number of rows costs: it has sessions of its own, and data that are made before each of them.
pub(crate) fn write_data_sets(text: &mut String, plan: &Plan, sets: &[Scale]) -> std::fmt::Result {
    if sets.len() < 2 {
        return Ok(());
    }
    let each = plan.design.sessions_max();
    let made = if plan.design.copy { "copied" } else { "loaded" };
    writeln!(text, "data sets             {}, each {made} anew for {each} sessions of its own:", sets.len())?;
    sets.iter().try_for_each(|data| {
        let seconds = session_overhead_seconds(&plan.design, data);
        let (rows, all) = (count_text(data.rows), seconds * f64::from(each));
        writeln!(
            text,
            "                      {rows} rows: {seconds:.1} s before a session, {} in all",
            clock(all)
        )
    })
}
