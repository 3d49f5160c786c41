//! The named scales, the checks of a scale, and the times that follow from it.

use std::collections::BTreeMap;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Scale};

use crate::sizes::Sizes;
use crate::table::{Kind, Step};

/// Length of a read-write step in the reference's scripts.
const REFERENCE_SECONDS: u64 = 1800;

/// Rows per second of a small server in a bulk step, with 100, 50 and 5 rows a statement, where data fit into memory. For plans
/// only: two thirds of what Postgres 12 and 18 did (`records/2026-11-30-epyc-zen5-vm-2-cores`).
const BULK_ROWS_PER_SECOND: f64 = 140_000.0;
const CHURN_ROWS_PER_SECOND: [(u64, f64); 2] = [(50, 40_000.0), (5, 12_000.0)];

/// Named scales, smallest first. `large` is the blog's cached one.
pub(crate) fn scales() -> Vec<Scale> {
    let scale = |name: &str, rows, y, z, seconds| Scale {
        name: name.into(),
        rows,
        tables: 1,
        clients: 1,
        more: BTreeMap::from([("y".into(), y), ("z".into(), z), ("seconds".into(), seconds)]),
    };
    vec![
        scale("tiny", 4_000, 2_000, 400, 2),
        scale("small", 300_000, 40_000, 10_000, 15),
        scale("medium", 3_000_000, 400_000, 100_000, 60),
        scale("large", 30_000_000, 40_000_000, 10_000_000, REFERENCE_SECONDS),
    ]
}

/// Checks a scale: there is one table for each client or one for all, and statements divide the sizes. The number of
/// tables is that of clients unless `said`, the values that the user gave, has it.
pub(crate) fn fit(scale: &mut Scale, said: &[&str]) -> Outcome<()> {
    if !said.contains(&"tables") {
        scale.tables = scale.clients;
    }
    if scale.tables != 1 && scale.tables != scale.clients {
        let what = format!("{} tables for {} clients", scale.tables, scale.clients);
        return Err(Fault::usage(what).hint(format!("give tables={} (one each) or tables=1", scale.clients)));
    }
    let sizes = Sizes::of(scale);
    for (name, value, per_statement) in [("rows", sizes.x, 100), ("y", sizes.y, 50), ("z", sizes.z, 5)] {
        let unit = per_statement * sizes.sharing;
        if !value.is_multiple_of(unit) {
            let what = format!("{name}={value} is not a multiple of {unit}, a statement of each client");
            return Err(Fault::usage(what).hint(format!("type {name}={}", value.next_multiple_of(unit))));
        }
    }
    Ok(())
}

/// So many rows in each table, and the writes that the reference has where data are larger than memory: 800, 4 and 1.
pub(crate) fn resize(scale: &mut Scale, rows: u64) {
    let sharing = Sizes::of(scale).sharing;
    scale.rows = rows.next_multiple_of(100 * sharing);
    for (key, part, per_statement) in [("y", 200, 50), ("z", 800, 5)] {
        scale.more.insert(key.to_owned(), (rows / part).max(1).next_multiple_of(per_statement * sharing));
    }
}

/// The reference's wait S, shortened in proportion to its read-write steps.
pub(crate) fn wait_seconds(scale: &Scale) -> f64 {
    let rows = (scale.rows * u64::from(scale.tables)) as f64;
    let reference = (60.0 + rows / 1e6).floor().min(1200.0);
    reference * (Sizes::of(scale).seconds as f64 / REFERENCE_SECONDS as f64).min(1.0)
}

/// Roughly how many seconds these steps take for one subject.
pub(crate) fn seconds(steps: &[&Step], scale: &Scale) -> f64 {
    let tables = f64::from(scale.tables);
    let each = |step: &&Step| {
        let rows = step.rows(scale, false) as f64 * tables;
        match step.kind {
            Kind::Fill => rows / BULK_ROWS_PER_SECOND,
            Kind::Index => scale.rows as f64 * tables / BULK_ROWS_PER_SECOND / 2.0,
            Kind::Churn => {
                let known = CHURN_ROWS_PER_SECOND.iter().find(|(size, _)| *size == step.rows_per_statement);
                rows / known.map_or(BULK_ROWS_PER_SECOND, |(_, rate)| *rate) + wait_seconds(scale) / 2.0
            }
            Kind::Ranges | Kind::Points => Sizes::of(scale).seconds as f64,
        }
    };
    steps.iter().map(each).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_for_each_client_unless_said_otherwise() {
        let mut scale = Scale { clients: 4, ..scales().remove(1) };
        fit(&mut scale, &["clients"]).expect("fits");
        assert_eq!((scale.tables, Sizes::of(&scale).sharing), (4, 1));
        scale.tables = 1;
        fit(&mut scale, &["clients", "tables"]).expect("fits");
        assert_eq!(Sizes::of(&scale).sharing, 4);
        scale.tables = 3;
        assert_eq!(fit(&mut scale, &["tables"]).expect_err("refused").exit_code(), 2);
        let mut odd = Scale { rows: 4_050, ..scales().remove(0) };
        let fault = fit(&mut odd, &["rows"]).expect_err("refused");
        assert_eq!(fault.hint.as_deref(), Some("type rows=4100"));
    }

    #[test]
    fn any_number_of_rows_fits() {
        for (clients, tables) in [(1, 1), (4, 4), (3, 1)] {
            let mut scale = Scale { clients, tables, ..scales().remove(1) };
            resize(&mut scale, 1_234_567);
            fit(&mut scale, &["rows", "tables"]).expect("fits");
            let Sizes { x, y, z, .. } = Sizes::of(&scale);
            assert!(
                (1_234_567..1_235_000).contains(&x) && (6_150..6_330).contains(&y) && z >= 1_540,
                "{x} {y} {z}"
            );
        }
    }

    #[test]
    fn the_wait_is_the_references() {
        let large = |rows, tables| Scale { rows, tables, clients: tables, ..scales().remove(3) };
        assert!((wait_seconds(&large(10_000_000, 20)) - 260.0).abs() < 1e-9);
        assert!((wait_seconds(&large(2_000_000_000, 1)) - 1200.0).abs() < 1e-9);
        assert!((wait_seconds(&scales()[2]) - 2.1).abs() < 1e-9);
    }
}
