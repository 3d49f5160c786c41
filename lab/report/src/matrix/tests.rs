//! Tables by rows, by clients, and by both.

use super::*;
use crate::fixture;

#[test]
fn looks_like_this() {
    let (summary, ..) = fixture::by_clients();
    insta::assert_snapshot!(markdown(&summary));
}

#[test]
fn a_run_at_several_numbers_of_rows_has_a_column_for_each() {
    let (summary, ..) = fixture::by_rows();
    let told = markdown(&summary);
    assert!(told.starts_with("## By rows\n\nQPS of `postgres@17.7` relative to `postgres@16.11` by rows ("));
    for line in ["| test | `40k` | `160k` | `640k` |\n", "| point-query | 1.002 | 1.002 | 0.900▼ |\n"] {
        assert!(told.contains(line), "{told}");
    }
    assert!(!told.contains("Start and end"), "one client: {told}");
}

/// Two tests at three numbers of rows and two of clients.
#[test]
fn a_run_at_several_numbers_of_both_has_tables_by_each() {
    let (mut summary, ..) = fixture::by_rows();
    let tests = &mut summary.comparisons[0].tests;
    let both = tests.iter().flat_map(|test| {
        [1, 4].map(|clients| TestResult {
            test: format!("{}:c{clients}", test.test),
            clients: Some(clients),
            ..test.clone()
        })
    });
    *tests = both.collect();
    let all = Matrix::of_run(&summary);
    let shapes = all.iter().map(|matrix| (matrix.what, matrix.columns.len(), matrix.parts[0].rows.len()));
    assert_eq!(shapes.collect::<Vec<_>>(), [("rows", 3, 4), ("clients", 2, 6)]);
    let names = |at: usize| all[at].parts[0].rows.iter().map(|row| row.test.as_str()).collect::<Vec<_>>();
    assert_eq!(names(0)[..2], ["hot-points:c1", "hot-points:c4"]);
    assert_eq!(names(1)[..3], ["hot-points:r40k", "hot-points:r160k", "hot-points:r640k"]);
    assert!(
        all.iter().all(|one| one.parts[0].rows.iter().all(|row| row.results.iter().all(Option::is_some)))
    );
}

#[test]
fn a_run_at_one_number_of_clients_has_none() {
    let (mut summary, ..) = fixture::by_clients();
    let one = |test: &TestResult| test.clients == Some(4);
    summary.comparisons[0].tests.retain(one);
    assert!(Matrix::of_run(&summary).is_empty() && markdown(&fixture::run().0).is_empty());
}

#[test]
fn the_ends_of_slices_are_told_and_advice_is_given_above_five_percent() {
    let (mut summary, ..) = fixture::by_clients();
    let idle = |summary: &Summary| Matrix::of_run(summary)[0].idle();
    assert_eq!(idle(&summary).unwrap().matches("a note of the test").count(), 0);
    summary.comparisons[0].tests[1].cost.get_mut("idle_pct").unwrap().subject = 6.0;
    let told = idle(&summary).unwrap();
    assert!(told.contains("6.0 % at 4") && told.contains("a note of the test"), "{told}");
}
