//! What writes owe, on the fake engine as a store: paid beside a test's time, within it, or as the reference does it.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Humdrum, field, words};
use serde_json::Value;

const SUITE: &str = "--suite kv --scale rows=2000 --budget 100s";

fn compare(lab: &Humdrum, subjects: &[&str], options: &str) -> (i32, Value) {
    let (code, summary, complaint) = lab.compare("r", &[subjects, &words(SUITE), &words(options)].concat());
    assert!(!summary.is_null(), "{complaint}");
    (code, summary)
}

fn of(summary: &Value, name: &str) -> BTreeMap<String, Value> {
    field(summary, name).into_iter().collect()
}

/// A put owes a tenth of its time, or half of it.
#[test]
fn the_wait_is_beside_one_test_and_within_another() {
    let lab = Humdrum::new();
    let subjects = ["a=fake-kv@1.0+debt=10%", "b=fake-kv@1.0+debt=50%"];
    let (code, summary) = compare(&lab, &subjects, "--tests overwrite,overwritewait");
    assert_eq!(code, 1, "{summary:#}");
    let verdicts = of(&summary, "verdict");
    assert_eq!(
        (&verdicts["overwrite"], &verdicts["overwritewait"]),
        (&"boring".into(), &"regression".into())
    );
    let (rqps, base, own) = (of(&summary, "rqps"), of(&summary, "base_qps"), of(&summary, "qps"));
    let number = |value: &Value| value.as_f64().expect("a number");
    let found = number(&rqps["overwritewait"]);
    assert!((found - 1.1 / 1.5).abs() < 0.01, "{found}");
    let rates = number(&own["overwritewait"]) / number(&base["overwritewait"]);
    assert!((rates - found).abs() < 0.01, "{rates} is what the rates say, and the ratio is {found}");
    let debts = of(&summary, "debt");
    for test in ["overwrite", "overwritewait"] {
        let debt = &debts[test]["debt_us"];
        assert!((number(&debt["subject"]) / number(&debt["base"]) - 5.0).abs() < 0.1, "{test}: {debt:#}");
    }
}

/// The reference waits after steps that put, and not after those that read beside a writer.
#[test]
fn as_the_reference_does_it_steps_that_put_have_debts_of_their_own() {
    let lab = Humdrum::new();
    let tests = "--tests fillseq,readww,overwrite,overwritewait --compat";
    let (code, summary) = compare(&lab, &["a=fake-kv@1.0", "b=fake-kv@1.1"], tests);
    assert_eq!(code, 0, "{summary:#}");
    let results = lab.results("r");
    assert!(results.plan.compat);
    let paid: BTreeSet<&str> = results.debts.iter().map(|debt| debt.test.as_str()).collect();
    assert_eq!(paid, BTreeSet::from(["fillseq", "overwrite", "overwritewait"]));
    let told = of(&summary, "operation");
    let says =
        |test: &str| told[test].as_str().is_some_and(|text| text.contains("left to the tests after it"));
    assert_eq!(["readww", "overwrite"].map(says), [true, false], "{told:#?}");
}

/// A rate that is missed is no reason for the reference to leave a step out.
#[test]
fn as_the_reference_does_it_a_missed_rate_is_compared() {
    let lab = Humdrum::new();
    let subjects = ["a=fake-kv@1.0", "b=fake-kv@1.1+writer_keeps=50%"];
    let (_, summary) = compare(&lab, &subjects, "--tests readww --compat");
    assert_eq!(of(&summary, "status")["readww"], "ok");
    assert!(of(&summary, "rqps")["readww"].is_number());
    let notes = of(&summary, "notes")["readww"].to_string();
    assert!(notes.contains("the background writer kept "), "{notes}");
}
