//! The columns and sentences of a made-up run.

use humdrum_model::{Reach, Verdict};

use super::*;
use crate::fixture;

#[test]
fn runs_that_were_judged_together_stand_side_by_side() {
    let mut found = judged();
    let run = |hour: &str, rqps| RunRatio {
        layout: None,
        started: hour.into(),
        rqps: Some(rqps),
        ci95: None,
        verdict: Some(Verdict::Improvement),
        host: None,
    };
    found.tests[0].runs = vec![run("03:00", 2.02), run("15:00", 2.04)];
    let columns = columns(&found.tests);
    let headings: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
    assert_eq!(headings, ["run 1", "run 2", "another run here", "server CPU"]);
    assert_eq!(
        (columns[1].cell(&found.tests[0]).as_str(), columns[1].cell(&found.tests[1]).as_str()),
        ("2.040 ▲", NONE)
    );
    assert!(sentences(&found)[0].starts_with("2 runs, begun at 03:00, 15:00, are judged together"));
}

#[test]
fn hosts_that_were_judged_together_are_named_by_their_processors() {
    let mut found = judged();
    for (test, generation) in found.tests.iter_mut().zip(["AMD Zen 3"; 3]) {
        let run = RunRatio {
            layout: None,
            started: "03:00".into(),
            rqps: test.rqps,
            ci95: None,
            verdict: None,
            host: Some(generation.into()),
        };
        test.runs = vec![run.clone(), run];
        test.reach.as_mut().unwrap().over_hosts = true;
    }
    let columns = columns(&found.tests);
    let headings: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
    assert_eq!(headings, ["host 1, AMD Zen 3", "host 2, AMD Zen 3", "another host", "server CPU"]);
    let told = sentences(&found).join("\n");
    assert!(told.starts_with("2 hosts are judged together (2 with AMD Zen 3)"), "{told}");
    assert!(told.contains("about these hosts. In 2 of 3 tests another host could"), "{told}");
}

#[test]
fn each_kind_of_hosts_has_a_column_for_another_one() {
    let (mut summary, ..) = fixture::run();
    fixture::on_hosts(&mut summary);
    let tests = &summary.comparisons[0].tests;
    let columns: Vec<Column> = columns(tests)
        .into_iter()
        .filter(|column| !matches!(column, Column::Run(..) | Column::Quantity(..)))
        .collect();
    let headings: Vec<&str> = columns.iter().map(Column::heading).collect();
    assert_eq!(headings, ["another host, AMD Zen 3", "another host, AMD Zen 4", "another host"]);
    let test = tests.iter().find(|test| test.reach.is_some()).unwrap();
    let of_kind = kinds::another(test, "AMD Zen 3");
    assert!(of_kind.is_some() && columns[0].cell(test) == interval(of_kind));
    let told = legend(&columns, tests).unwrap();
    assert!(told.contains("; another host, AMD Zen 4: where") && told.contains("any of these"), "{told}");

    // One of two kinds has no interval, and that of all hosts is not the other's.
    for test in &mut summary.comparisons[0].tests {
        let kinds = test.reach.as_mut().and_then(|reach| reach.kinds.as_mut());
        kinds.into_iter().for_each(|kinds| drop(kinds.kinds.remove(1)));
    }
    let found = super::columns(&summary.comparisons[0].tests);
    assert!(found.iter().any(|column| column.heading() == "another host, AMD Zen 3"));
}

fn judged() -> Comparison {
    let (mut summary, ..) = fixture::run();
    for (place, ratio, verdict) in
        [(0, 0.5, Verdict::Improvement), (1, 1.031, Verdict::Regression), (2, 1.0, Verdict::Boring)]
    {
        let test = &mut summary.comparisons[0].tests[place];
        let ci95 = [ratio - 0.004, ratio + 0.004];
        let found = Judgement { ratio, ci95, p_adjusted: Some(0.01), delta: 0.01, verdict };
        test.judged.insert("cpu".into(), found);
        let basis = "a record".to_owned();
        let (another_run, bears_out) = ([0.99, 1.02], place == 0);
        test.reach = Some(Reach { another_run, basis, bears_out, over_hosts: false, kinds: None });
    }
    summary.comparisons.remove(0)
}

#[test]
fn columns_are_those_that_have_something_to_show() {
    let (summary, ..) = fixture::run();
    assert!(columns(&summary.comparisons[0].tests).is_empty());
    let found = judged();
    let columns = columns(&found.tests);
    let cells: Vec<String> = columns.iter().map(|column| column.cell(&found.tests[1])).collect();
    assert_eq!(cells, ["[0.990, 1.020]", "1.031 [1.027, 1.035] ▼"]);
    let legend = legend(&columns, &found.tests).unwrap();
    assert!(legend.ends_with("server CPU of an operation, more is worse, ±δ 1 %"), "{legend}");
}

#[test]
fn sentences_say_what_moved_and_what_may_not_hold() {
    let found = judged();
    let names = [&found.tests[0].test, &found.tests[1].test];
    let expected = format!(
        "server CPU: 1 regression: {} 1.031x; boring: 1 of 3 tests; 1 improvement: {} 0.50x",
        names[1], names[0]
    );
    let [cpu, open] = sentences(&found).try_into().unwrap();
    assert_eq!(cpu, expected);
    assert!(open.contains("In 2 of 3 tests") && open.ends_with(&found.tests[2].test), "{open}");
}
