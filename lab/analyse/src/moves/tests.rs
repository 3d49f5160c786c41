//! Rows with known places of change, judged.

use humdrum_model::{Incomplete, Stage, Timings};

use super::*;
use crate::summarise;
use crate::testkit::{Bench, Rng};

/// Eight releases; `effects` are their ln ratios to the first for each test, each session with `luck` of its own.
fn bench(tests: &[(&str, [f64; 8])], sessions: u32, luck: f64, seed: u64) -> Bench {
    let names: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
    let mut bench = Bench::new(&names, 8, 0, sessions);
    for (number, subject) in bench.results.plan.subjects.iter_mut().enumerate() {
        subject.place = Place::Version(format!("{number}.0"));
        subject.label = format!("{number}.0");
    }
    bench.block_noise = 0.004;
    bench.reseed(seed);
    let mut rng = Rng::new(seed);
    for _ in 0..sessions {
        bench.session(
            Stage::Confirmation,
            |_| true,
            12,
            |test, subject| {
                let (_, effects) = tests.iter().find(|(name, _)| *name == test).expect("a test");
                effects[subject] + luck * rng.normal()
            },
        );
    }
    bench
}

fn moved(bench: &Bench) -> Vec<(String, String, f64, Verdict)> {
    let series = summarise(&bench.results).series.expect("a series");
    let of = |test: SeriesTest| {
        test.moves.into_iter().map(move |one| (test.test.clone(), one.at, one.ratio, one.verdict))
    };
    series.tests.into_iter().flat_map(of).collect()
}

const STILL: [f64; 8] = [0.0; 8];

#[test]
fn says_at_which_release_each_test_moved_and_by_how_much() {
    let loses = [0.0, 0.0, 0.0, -0.05, -0.05, -0.05, -0.05, -0.05];
    let back = [0.0, 0.04, 0.04, 0.04, 0.04, -0.04, -0.04, -0.04];
    let found = moved(&bench(&[("loses", loses), ("still", STILL), ("back", back)], 12, 0.003, 3));
    let told: Vec<(&str, &str, Verdict)> = found.iter().map(|one| (&*one.0, &*one.1, one.3)).collect();
    assert_eq!(
        told,
        [
            ("loses", "3.0", Verdict::Regression),
            ("back", "1.0", Verdict::Improvement),
            ("back", "5.0", Verdict::Regression),
        ]
    );
    assert!((found[0].2 - 0.951).abs() < 0.004 && (found[2].2 - 0.923).abs() < 0.004, "{found:?}");
}

#[test]
fn one_release_that_stands_out_is_two_moves() {
    let dent = [0.0, 0.0, 0.0, 0.0, -0.06, 0.0, 0.0, 0.0];
    let found = moved(&bench(&[("dent", dent)], 12, 0.003, 5));
    let told: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
    assert_eq!(told, ["4.0", "5.0"]);
}

/// What the first release had of luck moves all others alike, and is no move of any of them.
#[test]
fn steps_are_against_the_release_before() {
    let slope = [0.0, -0.02, -0.04, -0.06, -0.08, -0.10, -0.12, -0.14];
    let series = summarise(&bench(&[("slope", slope)], 12, 0.002, 7).results).series.expect("a series");
    let points = &series.tests[0].points;
    assert!(points[0].step.is_none() && points[0].rqps == Some(1.0));
    for (number, point) in points.iter().enumerate().skip(1) {
        let step = point.step.as_ref().expect("a step");
        assert_eq!(step.against, format!("{}.0", number - 1));
        assert!((step.ratio - 0.98).abs() < 0.006 && step.verdict == Verdict::Regression, "{step:?}");
    }
}

#[test]
fn rows_without_a_change_have_no_moves() {
    let alarms: usize =
        (0..60).map(|seed| moved(&bench(&[("a", STILL), ("b", STILL)], 10, 0.01, 100 + seed)).len()).sum();
    assert!(alarms <= 3, "{alarms} of 120 rows");
}

/// Two of the seven other releases in each session, which has base luck of its own.
fn incomplete(effects: [f64; 8], sessions: u32, seed: u64) -> Bench {
    let mut bench = bench(&[("a", effects)], 0, 0.0, seed);
    bench.results.plan.design.confirmation_sessions = sessions * 2 / 7;
    bench.results.plan.design.incomplete = Some(Incomplete { subjects: 3, of: 8, timings: Timings::NONE });
    let mut rng = Rng::new(seed);
    for number in 0..sessions as usize {
        let base = 0.01 * rng.normal();
        let effect = |_: &str, subject: usize| effects[subject] + base + 0.005 * rng.normal();
        bench.session(Stage::Confirmation, |_| true, 12, effect);
        let subjects = vec![0, 1 + 2 * number % 7, 1 + (2 * number + 1) % 7];
        let blocks = &mut bench.results.blocks;
        blocks.iter_mut().filter(|block| block.session as usize == number).for_each(|block| {
            block.slices.retain(|slice| subjects.contains(&slice.subject));
        });
        bench.results.sessions[number].subjects = subjects;
    }
    bench.results.finished = true;
    bench
}

#[test]
fn releases_that_share_few_sessions_are_compared_by_the_base() {
    let loses = [0.0, 0.0, 0.0, -0.05, -0.05, -0.05, -0.05, -0.05];
    let bench = incomplete(loses, 42, 3);
    let found = moved(&bench);
    let told: Vec<(&str, Verdict)> = found.iter().map(|one| (&*one.1, one.3)).collect();
    assert_eq!(told, [("3.0", Verdict::Regression)]);
    assert!((found[0].2 - 0.951).abs() < 0.01, "{found:?}");
    let series = summarise(&bench.results).series.expect("a series");
    let step = series.tests[0].points[3].step.as_ref().expect("a step");
    assert_eq!((step.against.as_str(), step.verdict), ("2.0", Verdict::Regression));
    assert!(step.ci95[0] < 0.951 && step.ci95[1] > 0.951, "{step:?}");
}

#[test]
fn incomplete_rows_without_a_change_have_no_moves() {
    let alarms: usize = (0..60).map(|seed| moved(&incomplete(STILL, 42, 200 + seed)).len()).sum();
    assert!(alarms <= 3, "{alarms} of 60 rows");
}

#[test]
fn who_failed_is_left_out_of_the_row() {
    let mut bench = bench(&[("loses", [0.0, 0.0, 0.0, -0.05, -0.05, -0.05, -0.05, -0.05])], 8, 0.002, 9);
    bench.results.events.push(humdrum_model::Event {
        subject: Some(3),
        test: Some("loses".into()),
        session: Some(2),
        status: TestStatus::Failed,
        what: "crashed".into(),
        log_tail: None,
    });
    let series = summarise(&bench.results).series.expect("a series");
    let test = &series.tests[0];
    assert!(test.points[3].rqps.is_none() && test.points[3].step.is_none());
    assert_eq!(test.points[4].step.as_ref().map(|step| step.against.as_str()), Some("2.0"));
    assert_eq!(
        (test.moves.len(), test.moves[0].at.as_str(), test.moves[0].after.as_str()),
        (1, "4.0", "2.0")
    );
}

#[test]
fn settings_of_one_release_and_two_releases_are_no_row() {
    assert!(summarise(&Bench::new(&["a"], 3, 0, 4).results).series.is_none());
    let mut two = Bench::new(&["a"], 2, 0, 4);
    two.results.plan.subjects[1].place = Place::Version("2".into());
    assert!(summarise(&two.results).series.is_none());
    // Nothing measured yet.
    let empty = bench(&[("a", STILL)], 0, 0.0, 1);
    assert!(summarise(&empty.results).series.is_some_and(|series| series.tests[0].moves.is_empty()));
}

#[test]
fn levels_are_the_fewest_that_explain_the_row() {
    assert!(levels_of(&[0.0, 0.1, -0.1, 0.05], 0.01).is_empty());
    assert_eq!(levels_of(&[0.0, 0.0, 1.0, 1.1, 3.0], 0.01), [2, 4]);
    assert_eq!(levels_of(&[5.0], 0.01), Vec::<usize>::new());
}
