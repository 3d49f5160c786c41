//! Tests that write, on the `fake` engine: injected changes are found, equal subjects get no verdict, and
//! data after a failure is not measured.

use crate::common::{Humdrum, field};
use humdrum_model::Moment;

const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// Compares on `fake`; results are in `out`.
fn compare(lab: &Humdrum, subjects: &[&str], more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let (code, summary, _) = lab.compare("out", &[subjects, &["--scale", "tiny"], more].concat());
    (Some(code), summary)
}

#[test]
fn equal_servers_stay_quiet() {
    let lab = Humdrum::new();
    let (a, b) = (format!("a=fake@1.0{NOISE}"), format!("b=fake@1.0{NOISE}"));
    let (code, summary) = compare(&lab, &[&a, &b], &["--tests", "write"]);
    let verdicts = field(&summary, "verdict");
    assert_eq!((code, verdicts.len()), (Some(0), 10));
    let moved = verdicts.iter().filter(|(_, verdict)| verdict == "regression" || verdict == "improvement");
    assert_eq!(moved.count(), 0, "{verdicts:?}");
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
    assert!(field(&summary, "delta").iter().all(|(_, delta)| delta.as_f64() == Some(0.02)));
}

#[test]
fn writes_that_are_five_percent_slower_alarm() {
    let lab = Humdrum::new();
    let (a, slow) = (format!("a=fake@1.0{NOISE}"), format!("slow=fake@1.0{NOISE}+slowdown=5%"));
    let (code, summary) = compare(&lab, &[&a, &slow], &["--tests", "write"]);
    let verdicts = field(&summary, "verdict");
    assert_eq!(code, Some(1), "{verdicts:?}");
    assert!(verdicts.iter().all(|(_, verdict)| verdict == "regression"), "{verdicts:?}");
}

#[test]
fn all_47_run_in_their_phases_and_leave_equal_tables() {
    let lab = Humdrum::new();
    let args = ["--tests", "all", "--sessions", "4", "--budget", "180s"];
    let (code, summary) = compare(&lab, &["a=fake@1.0", "b=fake@1.0"], &args);
    assert_eq!((code, field(&summary, "status").len()), (Some(0), 47));
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
    let results = lab.results("out");
    let phase =
        |name: &String| results.plan.tests.iter().find(|test| test.name == *name).map(|test| test.phase);
    assert!(results.sessions.iter().all(|session| session.tests.is_sorted_by_key(phase) && session.reloaded));
    // Fingerprints around each test that writes, in each session, of both: before, after, and paid.
    let writes = results.sessions.iter().map(|session| {
        let recorded = session.tests.iter().filter(|name| !session.unrecorded.contains(name));
        recorded
            .filter(|name| results.plan.tests.iter().any(|test| test.writes && test.name == **name))
            .count()
    });
    let writes = writes.sum::<usize>();
    assert_eq!((results.states.len(), results.debts.len()), (writes * 2 * 3, writes * 2));
    let paid = results.states.iter().filter(|state| state.moment == Moment::Paid);
    assert!(paid.clone().all(|state| state.contents.is_some()));
    assert!(
        paid.clone()
            .all(|state| state.quantities.iter().any(|one| one.name == "owed_ns" && one.value == 0.0))
    );
    let grown =
        paid.filter(|state| state.test == "insert").map(|state| state.contents.as_ref().unwrap().rows);
    assert!(grown.min().unwrap() > 10_000, "half of the table is always there, and inserts come on top");
}

#[test]
fn what_is_owed_is_shown_per_operation() {
    let lab = Humdrum::new();
    let subjects = ["a=fake@1.0", "b=fake@1.0+debt=20%"];
    let (_, summary) = compare(&lab, &subjects, &["--tests", "update-index", "--sessions", "4"]);
    let debt = &field(&summary, "debt")[0].1["debt_us"];
    let ratio = debt["ratio"].as_f64().expect("a ratio");
    // A tenth of a write's time by default; two servers' virtual chores are on top of both.
    assert!((1.8..=2.02).contains(&ratio), "{debt:#}");
    assert!(field(&summary, "state")[0].1["owed_ns"]["subject"].as_f64().expect("ns") > 0.0);
    let tsv = std::fs::read_to_string(lab.path("out/summary.tsv")).expect("tsv");
    assert!(tsv.lines().next().is_some_and(|header| header.contains("\tdebt_us\t")));
    let page = std::fs::read_to_string(lab.path("out/report.html")).expect("page");
    assert!(page.contains("Debt") && page.contains("owed ns"));
}

#[test]
fn a_lost_update_is_a_wrong_answer() {
    let lab = Humdrum::new();
    let (code, summary) = compare(
        &lab,
        &["fake@1.0", "loses=fake@1.0+loses_write_at=500"],
        &["--tests", "update-one,point-query", "--sessions", "4"],
    );
    assert_eq!(code, Some(3));
    let update = &summary["comparisons"][0]["tests"][1];
    assert_eq!((&update["test"], &update["status"]), (&"update-one".into(), &"wrong-answer".into()));
    assert!(update["rqps"].is_null(), "a number from a wrong answer is void");
    assert!(update["notes"][0].as_str().is_some_and(|note| note.contains("the tables hold")), "{update:#}");
    // The reads after it, on tables that differ, are not measured in that session; later sessions have fresh ones.
    let results = lab.results("out");
    let session = results.events[0].session.expect("a session");
    let reads = results.blocks.iter().filter(|block| block.test == "point-query");
    let sessions: Vec<u32> = reads.map(|block| block.session).collect();
    assert!(!sessions.contains(&session) && !sessions.is_empty(), "{sessions:?}");
}

#[test]
fn a_server_that_dies_in_a_write_is_marked_and_comes_back_with_fresh_data() {
    let lab = Humdrum::new();
    let (code, summary) = compare(
        &lab,
        &["fake@1.0", "dies=fake@1.0+crash_after=1000"],
        &["--tests", "update-index,point-query", "--sessions", "4"],
    );
    assert_eq!(code, Some(3));
    let statuses = field(&summary, "status");
    assert!(statuses.contains(&("update-index".into(), "failed".into())), "{statuses:?}");
    assert!(statuses.contains(&("point-query".into(), "ok".into())), "{statuses:?}");
}

#[test]
fn the_references_way_is_an_option_and_says_so() {
    let lab = Humdrum::new();
    let args = ["--tests", "update-index,update-one,scan,delete", "--sessions", "4", "--compat"];
    let (code, summary) = compare(&lab, &["a=fake@1.0", "b=fake@1.0"], &args);
    assert_eq!(code, Some(0), "{summary:#}");
    let results = lab.results("out");
    assert!(results.plan.compat);
    // One payment per session, for all writes before the reads, is no test's own debt.
    assert!(results.debts.is_empty() && !results.states.is_empty());
    let delete = field(&summary, "operation").into_iter().find(|(test, _)| test == "delete");
    assert!(
        delete
            .is_some_and(|(_, operation)| operation.as_str().is_some_and(|text| text.contains("random ids")))
    );
    let plan = "subjects = ['a=fake@1.0', 'b=fake@1.0']\ntests = 'delete'\ncompat = true\nbudget = '60s'\n";
    std::fs::write(lab.path("plan.toml"), plan).expect("written");
    let told = lab.run(&["run", "plan.toml", "--dry-run"]);
    assert!(crate::common::text_of(&told.stdout).contains("as the reference does it"));
}

#[test]
fn frozen_servers_do_not_make_a_run_hang() {
    let lab = Humdrum::new();
    let (code, summary) = compare(
        &lab,
        &["fake@1.0", "hangs=fake@1.0+hang_at=3000"],
        &["--tests", "update-nonindex", "--sessions", "4"],
    );
    assert_eq!(code, Some(3));
    assert_eq!(field(&summary, "status")[0].1, "failed");
}
