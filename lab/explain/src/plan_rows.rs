//! Which of several statements whose plans differ has the most work: the one whose steps had the most rows in a run of it.

use humdrum_model::{PlanChange, PlanRows};

/// How lines begin to tell what a run of the statement had.
const ACTUAL: &str = "(actual ";

/// The change whose plans have the most rows in all of their steps, on the side that has more, and whether runs told of rows. Of
/// equals it is the first.
pub(crate) fn with_most_rows(changes: &[PlanChange]) -> Option<(&PlanChange, bool)> {
    let of = |change: &PlanChange| {
        let base = rows(&change.base_told) + told(change.base_rows.as_ref());
        base.max(rows(&change.subject_told) + told(change.subject_rows.as_ref()))
    };
    let most = changes.iter().reduce(|most, change| if of(change) > of(most) { change } else { most })?;
    Some((most, of(most) > 0.0))
}

fn told(run: Option<&PlanRows>) -> f64 {
    match run {
        Some(PlanRows::Told(lines)) => rows(lines),
        Some(PlanRows::NotTold(_)) | None => 0.0,
    }
}

fn rows(lines: &[String]) -> f64 {
    lines.iter().filter_map(|line| rows_of(line)).sum()
}

/// 6 of `Index Scan …  (cost=0.3..8 rows=1 width=4) (actual time=0.01..0.02 rows=3.00 loops=2)`: rows are those of one loop.
fn rows_of(line: &str) -> Option<f64> {
    let (_, actual) = line.split_once(ACTUAL)?;
    let of = |name: &str| {
        let words = actual.split([' ', ')']);
        words.filter_map(|word| word.strip_prefix(name)).next()?.parse::<f64>().ok()
    };
    Some(of("rows=")? * of("loops=").unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(statement: &str, [base, subject]: [&str; 2], base_rows: Option<PlanRows>) -> PlanChange {
        let [base_told, subject_told] = [base, subject].map(|text| text.lines().map(str::to_owned).collect());
        PlanChange {
            statement: statement.into(),
            base_told,
            subject_told,
            base_rows,
            ..PlanChange::default()
        }
    }

    fn chosen(changes: &[PlanChange]) -> &str {
        with_most_rows(changes).map_or("", |(change, _)| &change.statement)
    }

    #[test]
    fn rows_of_all_loops_count() {
        let postgres = "Index Scan using k_1 on t  (cost=0.29..8 rows=9 width=4) (actual time=0.1..0.2 rows=3.00 loops=2)";
        assert_eq!(rows_of(postgres), Some(6.0));
        assert_eq!(rows_of("-> Table scan on t  (cost=0.7 rows=4) (actual rows=4 loops=1)"), Some(4.0));
        assert_eq!(rows_of("table=t access=range  (rows=100) (actual rows=98.00)"), Some(98.0));
        assert_eq!(rows_of("  Filter: (k = 5)  (rows=7)"), None);
    }

    #[test]
    fn the_statement_with_the_most_rows_is_chosen() {
        let point =
            change("point", ["-> Rows fetched before execution (actual rows=1 loops=1)", "-> Lookup"], None);
        let run = "-> Sort (actual rows=1000 loops=1)\n-> Scan (actual rows=1000 loops=1)";
        let range = change("range", ["table=t  (rows=1838)", run], None);
        assert_eq!(chosen(&[point.clone(), range.clone()]), "range");
        assert_eq!(chosen(&[range, point.clone()]), "range");
        let lines = run.lines().map(str::to_owned).collect();
        let told = change("told", ["table=t  (rows=1838)", "table=t"], Some(PlanRows::Told(lines)));
        let not_told = change("not told", ["A", "B"], Some(PlanRows::NotTold("too old".into())));
        assert_eq!(chosen(&[not_told.clone(), point.clone(), told]), "told");
        let unknown = [change("first", ["A", "B"], None), not_told];
        assert_eq!(chosen(&unknown), "first");
        assert_eq!(with_most_rows(&unknown).map(|(_, known)| known), Some(false));
        assert_eq!(chosen(&[]), "");
    }
}
