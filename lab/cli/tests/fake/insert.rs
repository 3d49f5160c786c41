//! The insert suite end to end, on the fake engine: all steps in milliseconds, in both modes, and the drills.

use crate::common::{Humdrum, field, text_of};
use humdrum_model::{Block, Results, TestStatus};
use humdrum_record::Store;
use serde_json::Value;

const STEPS: &str = "l.i0 l.x l.i1 l.i2 qr100 qp100 qr500 qp500 qr1000 qp1000";

/// Exit code, summary and what was said on standard error.
fn run(lab: &Humdrum, out: &str, base: &str, subject: &str, more: &[&str]) -> (i32, Value, String) {
    let mut args = vec![base, subject, "--suite", "insert"];
    for (option, usual) in [("--scale", "tiny"), ("--sessions", "1")] {
        if !more.contains(&option) {
            args.extend([option, usual]);
        }
    }
    lab.compare(out, &[&args, more].concat())
}

fn statuses(summary: &Value) -> Vec<String> {
    field(summary, "status").into_iter().map(|(_, status)| status.as_str().unwrap_or("").to_owned()).collect()
}

/// One step of one subject, by place.
fn step<'a>(summary: &'a Value, subject: &str, test: &str) -> &'a Value {
    let rows = summary["steps"].as_array().expect("steps");
    let found = rows.iter().find(|row| row["subject"] == subject && row["test"] == test);
    found.unwrap_or_else(|| panic!("no {test} of {subject} in {rows:#?}"))
}

#[test]
fn all_ten_steps_together_with_every_number() {
    let lab = Humdrum::new();
    let (code, summary, complaint) = run(&lab, "out", "fake@1.0", "fake@1.1", &["--sessions", "3"]);
    assert_eq!(code, 0, "{complaint}");
    let tests: Vec<String> = field(&summary, "test").into_iter().map(|(test, _)| test).collect();
    assert_eq!(tests.join(" "), STEPS);
    assert!(statuses(&summary).iter().all(|status| status == "ok"), "{summary:#}");
    assert_eq!(summary["mode"], "interleaved");
    let load = step(&summary, "fake@1.0", "l.i0");
    assert_eq!((&load["counts"], &load["streams"]["insert"]["rows"]), (&"rows".into(), &12_000.into()));
    let churn = step(&summary, "fake@1.1", "l.i2");
    assert_eq!(churn["streams"]["delete"]["rows"], 1200);
    let queries = step(&summary, "fake@1.1", "qp1000");
    // Two seconds of 1000 rows, in each of three sessions.
    assert_eq!(queries["streams"]["insert"]["rows"], 6000);
    assert!(queries["streams"]["query"]["statements"].as_u64() > Some(1000), "{queries:#}");
    assert!((queries["background"]["rate"].as_f64().expect("a rate") - 1000.0).abs() < 20.0, "{queries:#}");
    assert!(queries["columns"]["cpupq"].as_f64() > Some(0.0), "{queries:#}");
    for name in ["report.html", "summary.md", "steps.tsv"] {
        let text = std::fs::read_to_string(lab.path("out").join(name)).expect(name);
        assert!(text.contains("qr1000"), "{name}");
    }
}

#[test]
fn four_clients_apart_on_tables_of_their_own_and_on_one() {
    let lab = Humdrum::new();
    for (out, scale) in [("own", "tiny,clients=4"), ("one", "tiny,clients=4,tables=1")] {
        let more = ["--mode", "sequential", "--sessions", "2", "--scale", scale];
        let (code, summary, complaint) = run(&lab, out, "fake@1.0", "fake@1.1", &more);
        assert_eq!(code, 0, "{complaint}");
        let status = statuses(&summary);
        assert!(
            status.iter().all(|status| status == "ok"),
            "{scale}: {status:?} {:?}",
            field(&summary, "notes")
        );
        assert_eq!(summary["mode"], "sequential");
        let rows = if out == "own" { 4 * 4000 } else { 4000 };
        assert_eq!(step(&summary, "fake@1.1", "l.i0")["streams"]["insert"]["rows"], 2 * rows);
        // Each client keeps its own pace: 4 x 500 rows a second for two seconds, twice.
        assert_eq!(step(&summary, "fake@1.0", "qr500")["streams"]["insert"]["rows"], 8000);
    }
}

#[test]
fn the_same_seed_does_the_same_and_another_does_not() {
    let lab = Humdrum::new();
    let of = |out: &str, seed: &str| {
        let more = ["--seed", seed, "--tests", "qp100"];
        let (code, _, complaint) = run(&lab, out, "fake@1.0+noise=5%", "a=fake@1.0+noise=5%", &more);
        assert_eq!(code, 0, "{complaint}");
        std::fs::read_to_string(lab.path(out).join("steps.tsv")).expect("steps.tsv")
    };
    let (first, second, other) = (of("a", "1"), of("b", "1"), of("c", "2"));
    assert_eq!(first, second);
    assert_ne!(first, other);
    // The loading steps come along.
    assert_eq!(first.lines().count(), 1 + 2 * 5);
}

#[test]
fn a_server_that_cannot_keep_the_pace_misses_and_is_compared_with_nobody() {
    let lab = Humdrum::new();
    let slow = "slow=fake@1.0+slowdown=9000%";
    let (_, summary, complaint) = run(&lab, "out", "fake@1.0", slow, &[]);
    let status = statuses(&summary);
    assert_eq!(status[4], "ok", "{complaint}");
    assert_eq!(status[8..], ["sla-missed", "sla-missed"], "{complaint}");
    for name in ["rqps", "verdict"] {
        assert!(field(&summary, name)[9].1.is_null(), "{name}");
    }
    let row = step(&summary, "slow", "qr1000");
    assert_eq!(row["status"], "sla-missed");
    assert!(row["background"]["rate"].as_f64() < Some(950.0), "{row:#}");
    assert_eq!(step(&summary, "fake@1.0", "qr1000")["status"], "ok");
    let text = std::fs::read_to_string(lab.path("out/summary.md")).expect("summary.md");
    assert!(text.contains("sla-missed"), "{text}");
}

#[test]
fn a_pause_of_three_seconds_is_a_response_of_three_seconds() {
    let lab = Humdrum::new();
    // In qr100, well after the 280 statements of the loading steps.
    let paused = "paused=fake@1.0+pauses_at=3000";
    let more = ["--tests", "qr100", "--mode", "sequential", "--scale", "tiny,seconds=20"];
    let (code, summary, complaint) = run(&lab, "out", "fake@1.0", paused, &more);
    assert_eq!(code, 0, "{complaint}");
    let longest = |subject: &str, stream: &str| {
        let row = step(&summary, subject, "qr100");
        row["streams"][stream]["response_us"]["max"].as_f64().expect("a time") / 1e6
    };
    assert!(longest("fake@1.0", "insert") < 0.1);
    // Whoever was due in the meantime waited almost as long: two statements a second.
    let found = longest("paused", "insert");
    assert!((2.4..3.1).contains(&found), "{found}");
    let background = &step(&summary, "paused", "qr100")["background"];
    assert!(background["rate"].as_f64() > Some(95.0), "it catches up: {background}");
}

/// What a run would have left that was interrupted in its last session's second subject, everything slower than it is.
fn interrupted(whole: &Results) -> Results {
    let mut cut = Results { finished: false, ..whole.clone() };
    let last = cut.sessions.last().expect("a session").number;
    cut.blocks.retain(|block| block.session != last);
    cut.events.retain(|event| event.session != Some(last));
    let of_last = |session: u32, subject: usize| session != last || subject == 1;
    cut.steps.retain(|facts| of_last(facts.session, facts.subject));
    cut.states.retain(|state| of_last(state.session, state.subject));
    cut.debts.retain(|debt| of_last(debt.session, debt.subject));
    for facts in cut.steps.iter_mut().filter(|facts| facts.session == last) {
        facts.wall_ns *= 3;
    }
    for debt in cut.debts.iter_mut().filter(|debt| debt.session == last) {
        debt.wall_ns *= 3;
    }
    cut.events.push(humdrum_model::Event {
        subject: Some(1),
        test: Some("qr1000".into()),
        session: Some(last),
        status: TestStatus::SlaMissed,
        what: "of the first attempt".into(),
        log_tail: None,
    });
    cut
}

/// Makes a record in `cut`.
fn keep(lab: &Humdrum, results: &Results) {
    std::fs::create_dir(lab.path("cut")).expect("a folder");
    drop(Store::create(&lab.path("cut/results.sqlite"), results).expect("a store"));
}

#[test]
fn interrupted_apart_it_resumes_to_the_same_results() {
    let lab = Humdrum::new();
    let more = ["--mode", "sequential", "--sessions", "2", "--seed", "5"];
    let (code, _, complaint) = run(&lab, "whole", "fake@1.0", "b=fake@1.0+slowdown=20%", &more);
    assert_eq!(code, 1, "it is slower: {complaint}");
    let whole = lab.results("whole");
    keep(&lab, &interrupted(&whole));
    lab.exits(1, &["resume", "cut", "--quiet"]);
    let resumed = lab.results("cut");
    assert_eq!((&resumed.steps, &resumed.events), (&whole.steps, &whole.events));
    assert_eq!((&resumed.latencies, &resumed.debts), (&whole.latencies, &whole.debts));
    assert_eq!(resumed.states, whole.states);
    let table = |out: &str| std::fs::read_to_string(lab.path(out).join("steps.tsv")).expect("steps.tsv");
    assert_eq!(table("cut"), table("whole"));
}

/// A record that ends in the first session, before the blocks of its last step.
#[test]
fn what_is_left_of_an_interrupted_session_counts_when_another_is_paid_for() {
    let lab = Humdrum::new();
    let seconds = |out: &str| lab.results(out).seconds;
    run(&lab, "one", "fake@1.0", "fake@1.1", &[]);
    let budget = format!("{:.0}s", seconds("one") * 1.5);
    let (code, _, complaint) =
        run(&lab, "whole", "fake@1.0", "fake@1.1", &["--sessions", "3", "--budget", &budget]);
    let mut cut = Results { finished: false, seconds: 0.0, ..lab.results("whole") };
    assert_eq!((code, cut.sessions.len()), (0, 1), "{complaint}");
    cut.blocks.retain(|block| block.test != "qp1000");
    keep(&lab, &cut);
    lab.exits(0, &["resume", "cut", "--quiet"]);
    assert_eq!(lab.results("cut").sessions.len(), 1, "{budget} for {:.1} s", seconds("cut"));
    assert_eq!(lab.results("cut").blocks.len(), lab.results("whole").blocks.len());
}

/// The second subject of three loses a write early, and the record ends before the last step's blocks.
#[test]
fn a_failure_on_record_is_neither_measured_nor_recorded_again() {
    let lab = Humdrum::new();
    let lossy = ["lossy=fake@1.0+loses_write_at=50", "c=fake@1.0", "--suite", "insert"];
    let args = [&["fake@1.0"], &lossy[..], &["--scale", "tiny", "--sessions", "1"]].concat();
    let (code, _, complaint) = lab.compare("whole", &args);
    assert_eq!(code, 3, "{complaint}");
    let whole = lab.results("whole");
    let mut cut = Results { finished: false, ..whole.clone() };
    cut.blocks.retain(|block| block.test != "qp1000");
    keep(&lab, &cut);
    lab.exits(3, &["resume", "cut", "--quiet"]);
    let resumed = lab.results("cut");
    assert_eq!((&resumed.events, &resumed.steps), (&whole.events, &whole.steps));
    let who = |results: &Results| -> Vec<Vec<usize>> {
        let subjects = |block: &Block| block.slices.iter().map(|slice| slice.subject).collect();
        results.blocks.iter().map(subjects).collect()
    };
    assert_eq!(who(&resumed), who(&whole));
}

#[test]
fn a_lost_write_is_a_wrong_answer_and_ends_the_subjects_part() {
    let lab = Humdrum::new();
    let (code, summary, complaint) = run(&lab, "out", "fake@1.0", "lossy=fake@1.0+loses_write_at=50", &[]);
    assert_eq!(code, 3, "{complaint}");
    let status = statuses(&summary);
    assert!(status.contains(&"wrong-answer".to_owned()), "{status:?}");
    assert_eq!(status[9], "failed", "{status:?}");
}

#[test]
fn a_step_is_explained_by_counters_waits_and_plans() {
    let lab = Humdrum::new();
    let subject = "new=fake@1.1+lock_wait=20%+no_index";
    let more = ["--sessions", "3", "--tests", "qr100"];
    let (code, _, complaint) = run(&lab, "out", "old=fake@1.0", subject, &more);
    assert!(matches!(code, 0 | 1), "{complaint}");
    let results = lab.results("out");
    // Each session of each of the five steps is a round; the three queries are asked for once.
    assert_eq!(results.examinations.len(), 3 * 5 * 2);
    assert!(results.examinations.iter().all(|one| one.operations > 0 && one.round < 3));
    assert_eq!((results.query_plans.len(), results.plan_runs.len()), (3 * 2, 3 * 2));
    let told = lab.exits(0, &["explain", "out", "qr100", "--json", "--quiet"]).stdout;
    let told: Value = serde_json::from_slice(&told).expect("json");
    let found = &told["explanations"][0];
    let counters = found["counters"].as_array().expect("counters");
    assert!(counters.iter().any(|one| one["name"] == "lock_waits"), "{found:#}");
    assert!(found["waited"][0]["event"] == "row lock", "{found:#}");
    let plan = &found["plans"][0];
    assert!(plan["base"][0] == "Index Only Scan" && plan["subject"][0] == "Seq Scan", "{plan:#}");
    let rows = |side: &str| plan[side][0].as_str().is_some_and(|line| line.contains("(actual rows=10 "));
    assert!(rows("base_told") && rows("subject_told"), "{plan:#}");
    let refused = lab.exits(2, &["explain", "out", "qr100", "--profile", "--quiet"]);
    assert!(text_of(&refused.stderr).contains("only real servers can be profiled"));
    assert!(!lab.path("out/profile").exists());
}

#[test]
fn what_an_engine_does_not_count_or_explain_is_said_once() {
    let lab = Humdrum::new();
    let subject = "new=fake@1.1+counts_no_waits+no_explain";
    let more = ["--sessions", "2", "--tests", "qr100,qr500", "--mode", "sequential"];
    let (code, _, complaint) = run(&lab, "out", "old=fake@1.0", subject, &more);
    assert_eq!(code, 0, "{complaint}");
    let events = lab.results("out").events;
    let ours = |event: &&humdrum_model::Event, what: &str| {
        event.subject == Some(1) && !event.status.is_failure() && event.what.contains(what)
    };
    let told = |what: &str| events.iter().filter(|event| ours(event, what)).count();
    assert_eq!(told("does not count what its threads wait for"), 1, "{events:#?}");
    assert_eq!(told("has a statement that is not explained"), 2, "{events:#?}");
}

#[test]
fn sizes_that_statements_do_not_divide_are_refused_and_a_dry_run_says_how() {
    let lab = Humdrum::new();
    let plan = |more: &[&str]| {
        let args = ["compare", "fake@1.0", "fake@1.1", "--suite", "insert", "--dry-run"];
        lab.run(&[&args[..], more].concat())
    };
    let refused = plan(&["--scale", "tiny,rows=4050"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text_of(&refused.stderr).contains("rows=4100"), "{}", text_of(&refused.stderr));
    let shown = text_of(&plan(&["--scale", "tiny"]).stdout);
    assert!(shown.contains("take turns in chunks") && shown.contains("10: l.i0, l.x"), "{shown}");
}
