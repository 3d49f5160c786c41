//! `--mode sequential` for suites of slices, on the fake engine: one subject has the host at a time.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Humdrum, field, text_of};
use humdrum_model::{Block, Moment, Results, Stage};

const NOISE: &str = "+noise=5%+session_noise=0.3%";
const TESTS: [&str; 4] = ["--tests", "point-query,update-index", "--scale", "tiny"];
const ALONE: [&str; 2] = ["--mode", "sequential"];

/// Compares one at a time; results are in `out`.
fn alone(lab: &Humdrum, subjects: &[&str], more: &[&str]) -> (i32, serde_json::Value, Results) {
    let (code, summary, complaint) = lab.compare("out", &[subjects, &ALONE, more].concat());
    assert!(!summary.is_null(), "{complaint}");
    (code, summary, lab.results("out"))
}

/// Who had the host in each session, in order; a subject that came back is named again.
fn turns(results: &Results) -> Vec<Vec<usize>> {
    let of = |session: u32| {
        let blocks = results.blocks.iter().filter(|block| block.session == session);
        let mut slices: Vec<(u64, usize)> =
            blocks.flat_map(|block| &block.slices).map(|slice| (slice.start_ns, slice.subject)).collect();
        slices.sort_unstable();
        let mut subjects: Vec<usize> = slices.into_iter().map(|(_, subject)| subject).collect();
        subjects.dedup();
        subjects
    };
    results.sessions.iter().map(|session| of(session.number)).collect()
}

fn ratios(summary: &serde_json::Value) -> BTreeMap<String, f64> {
    field(summary, "rqps").into_iter().map(|(test, ratio)| (test, ratio.as_f64().expect("a ratio"))).collect()
}

#[test]
fn it_finds_what_taking_turns_finds() {
    let lab = Humdrum::new();
    let (base, slow) = (format!("a=fake@1.0{NOISE}"), format!("b=fake@1.0{NOISE}+slowdown=5%"));
    let subjects = [base.as_str(), slow.as_str()];
    let (code, summary, results) = alone(&lab, &subjects, &TESTS);
    assert_eq!((code, &summary["mode"]), (1, &"sequential".into()), "{summary:#}");
    let (_, together, complaint) = lab.compare("together", &[&subjects[..], &TESTS].concat());
    let (together, found) = (ratios(&together), ratios(&summary));
    assert_eq!(found.len(), 2, "{complaint}");
    for (test, ratio) in found {
        let truth = 1.0 / 1.05;
        assert!((ratio - truth).abs() < 0.006 && (together[&test] - truth).abs() < 0.006, "{test}: {ratio}");
    }
    assert!(field(&summary, "verdict").iter().all(|(_, verdict)| verdict == "regression"));
    // One after the other, and who is first changes from session to session.
    let turns = turns(&results);
    assert!(turns.len() >= 4 && turns.iter().all(|turns| turns.len() == 2), "{turns:?}");
    assert!(turns.windows(2).all(|pair| pair[0][0] == pair[1][1]), "{turns:?}");
}

#[test]
fn all_do_equal_work_and_leave_equal_tables() {
    let lab = Humdrum::new();
    let (_, summary, results) =
        alone(&lab, &["a=fake@1.0", "b=fake@1.0+slowdown=40%"], &[&TESTS[..], &["--sessions", "4"]].concat());
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
    let mut work: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for block in &results.blocks {
        assert_eq!(block.slices.len(), 2, "{block:?}");
        let of = work.entry(&block.test).or_default();
        of.extend(block.slices.iter().map(|slice| slice.operations + slice.guard_operations));
    }
    assert!(work.len() == 2 && work.values().all(|of| of.len() == 1), "the pace is found once: {work:?}");
    // Uncounted operations are equal as well: those that found the pace would show in the tables.
    let debts = &results.debts;
    assert!(debts.len() == 8 && debts.iter().all(|debt| debt.test == "update-index"));
    for debt in debts {
        let same = |other: &&humdrum_model::Debt| other.session == debt.session;
        assert!(debts.iter().filter(same).all(|other| other.operations == debt.operations), "{debts:?}");
    }
    let sums: Vec<_> = results.states.iter().filter(|state| state.moment == Moment::Paid).collect();
    assert!(sums.len() == 8 && sums.iter().all(|state| state.contents.is_some()));
    assert!(results.sessions.iter().all(|session| session.stage == Stage::Confirmation));
}

#[test]
fn three_subjects_have_each_place_once_in_three_sessions() {
    let lab = Humdrum::new();
    let subjects = ["a=fake@1.0", "b=fake@1.0", "c=fake@1.0+slowdown=10%"];
    let (_, summary, results) = alone(&lab, &subjects, &[&TESTS[..2], &["--scale", "tiny"]].concat());
    let turns = turns(&results);
    for place in 0..3 {
        let mut column: Vec<usize> = turns[..3].iter().map(|turns| turns[place]).collect();
        column.sort_unstable();
        assert_eq!(column, [0, 1, 2], "{turns:?}");
    }
    let verdicts = |number: usize| {
        let tests = summary["comparisons"][number]["tests"].as_array().expect("tests").clone();
        tests.into_iter().map(|test| test["verdict"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(1), ["regression", "regression"]);
    assert!(verdicts(0).iter().all(|verdict| verdict == "boring" || verdict == "inconclusive"));
}

#[test]
fn answers_of_subjects_that_never_meet_are_compared() {
    let lab = Humdrum::new();
    let mut firsts = Vec::new();
    for seed in ["1", "2", "3", "4"] {
        let more = [&TESTS[..], &["--sessions", "4", "--seed", seed]].concat();
        let (code, summary, results) = alone(&lab, &["fake@1.0", "wrong=fake@1.0+wrong_at=1"], &more);
        assert_eq!(code, 3);
        let status = field(&summary, "status");
        assert!(status.iter().all(|(_, status)| status == "wrong-answer"), "seed {seed}: {status:?}");
        let told: Vec<_> = results.events.iter().filter(|event| event.subject == Some(1)).collect();
        assert!(told.iter().all(|event| event.what.contains("answers differ from the base's")));
        assert_eq!(told.len(), 2, "each test's once: {told:?}");
        firsts.push(humdrum_plan::turns(seed.parse().expect("a number"), 0, 2)[0]);
        std::fs::remove_dir_all(lab.path("out")).expect("removed");
    }
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts, [0, 1], "it is found whoever comes first");
}

#[test]
fn a_lost_write_is_found_and_what_comes_after_it_does_not_count() {
    let lab = Humdrum::new();
    for seed in ["1", "2", "3", "4"] {
        let more =
            ["--tests", "update-one,point-query", "--scale", "tiny", "--sessions", "4", "--seed", seed];
        let (code, summary, results) = alone(&lab, &["fake@1.0", "loses=fake@1.0+loses_write_at=500"], &more);
        assert_eq!(code, 3);
        let status = field(&summary, "status");
        assert!(status.contains(&("update-one".into(), "wrong-answer".into())), "seed {seed}: {status:?}");
        let [event] = &results.events[..] else { panic!("{:?}", results.events) };
        assert!(event.what.contains("after update-one the tables hold"), "{event:?}");
        let of_loser = |block: &&Block| block.slices.iter().any(|slice| slice.subject == 1);
        let reads = results.blocks.iter().filter(|block| block.test == "point-query").filter(of_loser);
        assert!(reads.clone().all(|block| Some(block.session) != event.session), "on other tables");
        std::fs::remove_dir_all(lab.path("out")).expect("removed");
    }
}

#[test]
fn a_crash_is_a_row_and_the_others_go_on() {
    let lab = Humdrum::new();
    let subjects = ["fake@1.0", "dies=fake@1.0+crash_after=300", "c=fake@1.0"];
    let more = ["--tests", "point-query,scan", "--scale", "tiny", "--sessions", "4"];
    let (code, summary, results) = alone(&lab, &subjects, &more);
    assert_eq!(code, 3);
    let statuses = |number: usize| {
        let tests = summary["comparisons"][number]["tests"].as_array().expect("tests").clone();
        tests.into_iter().map(|test| test["status"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert!(statuses(0).contains(&"failed".to_owned()), "{summary:#}");
    assert_eq!(statuses(1), ["ok", "ok"]);
    assert!(results.events.iter().all(|event| event.subject == Some(1)), "{:?}", results.events);
    let refused = ["fake@1.0", "b=fake@1.0+load_fails"];
    let (code, _, _) = lab.compare("refused", &[&refused[..], &ALONE, &more].concat());
    assert_eq!(code, 3);
    let events = lab.results("refused").events;
    assert!(events.iter().any(|event| event.subject == Some(1) && event.test.is_none()), "{events:?}");
}

/// What taking turns does to a server is in its ratio there, and not where it has the host to itself.
#[test]
fn nobody_is_stopped_in_place() {
    let lab = Humdrum::new();
    let subjects = ["a=fake@1.0", "b=fake@1.0+time_jump=20%"];
    let more = ["--tests", "update-index", "--scale", "tiny", "--sessions", "4"];
    let (_, summary, _) = alone(&lab, &subjects, &more);
    let (_, together, _) = lab.compare("together", &[&subjects[..], &more].concat());
    let [alone, together] = [summary, together].map(|summary| ratios(&summary)["update-index"]);
    assert!((alone - 1.0).abs() < 0.005 && together < 0.98, "{alone} and {together}");
    // Side by side, the report says so in one line.
    let report = text_of(&lab.exits(0, &["report", "out", "together"]).stdout);
    assert!(report.contains("difference") && report.contains("0 of 1 intervals hold 1"), "{report}");
    let data = text_of(&lab.exits(0, &["report", "out", "together", "--format", "json"]).stdout);
    let data: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    let found = data["differences"][0]["ratio"].as_f64().expect("a ratio");
    assert!((found - together / alone).abs() < 1e-6, "{found}");
}

#[test]
fn stores_of_keys_and_values_have_the_host_to_themselves_too() {
    let lab = Humdrum::new();
    let subjects = ["fake-kv@1.0", "b=fake-kv@1.0+slowdown=10%"];
    let more = ["--suite", "kv", "--tests", "readrandom,overwrite", "--scale", "tiny", "--budget", "3m"];
    let (code, summary, results) = alone(&lab, &subjects, &more);
    assert_eq!(code, 1, "{summary:#}");
    assert!(field(&summary, "verdict").iter().all(|(_, verdict)| verdict == "regression"), "{summary:#}");
    assert!(turns(&results).iter().all(|turns| turns.len() == 2));
}

#[test]
fn a_session_that_was_interrupted_begins_anew_with_the_pace_that_was_found() {
    let lab = Humdrum::new();
    let subjects = ["a=fake@1.0+noise=5%", "b=fake@1.0+noise=5%+slowdown=20%"];
    alone(&lab, &subjects, &[&TESTS[..], &["--sessions", "4"]].concat());
    let whole = lab.results("out");
    let mut cut = Results { finished: false, seconds: 1.0, ..whole.clone() };
    // The first session: its second subject was not reached.
    cut.sessions.truncate(1);
    cut.blocks.clear();
    cut.events.clear();
    cut.latencies.retain(|latency| (latency.session, latency.subject) == (0, 1));
    cut.states.retain(|state| (state.session, state.subject) == (0, 1));
    cut.debts.retain(|debt| (debt.session, debt.subject) == (0, 1));
    std::fs::create_dir(lab.path("cut")).expect("a folder");
    drop(humdrum_record::Store::create(&lab.path("cut/results.sqlite"), &cut).expect("a store"));
    lab.exits(1, &["resume", "cut", "--quiet"]);
    let resumed = lab.results("cut");
    assert_eq!((&resumed.calibrations, &resumed.events), (&whole.calibrations, &whole.events));
    // Later sessions are as long as the budget allows then; the first is on record as it was begun.
    let work = |results: &Results| -> Vec<(String, u32, usize, u64)> {
        let first = results.blocks.iter().filter(|block| block.session == 0);
        let of = |block: &Block| {
            let slices = block.slices.iter().map(|slice| (slice.subject, slice.operations));
            slices.map(|(who, done)| (block.test.clone(), block.index, who, done)).collect::<Vec<_>>()
        };
        first.flat_map(of).collect()
    };
    assert!(work(&resumed) == work(&whole) && !work(&whole).is_empty());
    assert_eq!((resumed.states.len(), resumed.sessions.len()), (whole.states.len(), 4));
    assert_eq!(resumed.latencies.len(), whole.latencies.len());
}

#[test]
fn a_dry_run_says_how_wide_the_interval_will_be() {
    let lab = Humdrum::new();
    let shown = |more: &[&str]| {
        let args = [&["compare", "fake@1.0", "fake@1.1", "--dry-run"], &TESTS[..], more].concat();
        text_of(&lab.exits(0, &args).stdout)
    };
    let width = |text: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with("interval")).expect("a line");
        let number = line.split(['±', '%']).nth(1).expect("a width");
        number.trim().parse().expect("a number")
    };
    let (alone, together) = (shown(&ALONE), shown(&[]));
    assert!(alone.contains("one subject at a time"), "{alone}");
    assert!(width(&alone) > 2.0 * width(&together), "{alone}\n{together}");
    // More of the budget is more sessions.
    assert!(width(&shown(&[&ALONE[..], &["--budget", "30m"]].concat())) < width(&alone));
    let steps =
        text_of(&lab.exits(0, &["compare", "fake@1.0", "fake@1.1", "--suite", "insert", "--dry-run"]).stdout);
    assert!(width(&steps) > 0.0, "{steps}");
}

/// Large data are loaded once. The servers of the others are stopped, and keep theirs.
#[test]
fn data_that_are_kept_are_loaded_once() {
    let lab = Humdrum::new();
    let plan = "subjects = [\"fake@1.0\", \"b=fake@1.0+slowdown=5%\"]\ntests = [\"point-query\", \"scan\"]\n\
                scale = \"tiny\"\nmode = \"sequential\"\nreload = false\nsessions = 4\n";
    std::fs::write(lab.path("plan.toml"), plan).expect("written");
    lab.exits(1, &["run", "plan.toml", "--out", "out", "--quiet"]);
    let results = lab.results("out");
    assert_eq!((results.loads.len(), results.sessions.len()), (2, 4));
    assert!(results.blocks.iter().all(|block| block.slices.len() == 2));
    assert!(field(&lab.summary("out"), "verdict").iter().all(|(_, verdict)| verdict == "regression"));
}

#[test]
fn a_workload_of_ones_own_runs_and_a_mistake_in_it_ends_the_run() {
    let lab = Humdrum::new();
    lab.exits(0, &["suite", "new", "shop"]);
    let subjects = ["fake@1.0", "fake@1.0+slowdown=5%"];
    let shop = |test| ["--suite", "./shop", "--budget", "3m", "--tests", test];
    let (code, _, results) = alone(&lab, &subjects, &shop("browse"));
    assert_eq!((code, results.plan.suite.as_str()), (1, "shop"));
    // The fake engine gives no row where this test wants one.
    let (code, _, complaint) = lab.compare("refused", &[&subjects[..], &ALONE, &shop("checkout")].concat());
    assert!(code == 2 && complaint.contains("./shop/checkout.sql:5:1"), "{complaint}");
}
