//! `humdrum selftest` on the fake engine: what is counted, kept, quoted by reports and removed.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const NOISY: &str = "fake@1.0+noise=5%+session_noise=0.3%";
const POINT: [&str; 4] = ["--tests", "hot-points,point-query", "--scale", "tiny"];

/// A selftest in `out`, which must have this exit code; what it found, and what it printed.
fn selftest(humdrum: &Humdrum, code: i32, out: &str, args: &[&str]) -> (Value, String) {
    let output = humdrum.exits(code, &[&["selftest", "--out", out, "--quiet"], &POINT[..], args].concat());
    (found(humdrum, out), text_of(&output.stdout))
}

fn found(humdrum: &Humdrum, out: &str) -> Value {
    let text = std::fs::read_to_string(humdrum.path(out).join("selftest.json")).expect("a selftest");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn equal_subjects_raise_no_alarm_and_losses_are_called() {
    let humdrum = Humdrum::new();
    let (found, told) = selftest(&humdrum, 0, "s", &[NOISY, "--runs", "2", "--inject", "5%"]);
    assert_eq!((&found["runs"], &found["runs_planned"]), (&4.into(), &4.into()));
    let certificate = &found["found"][0];
    assert_eq!((&certificate["engine"], &certificate["class"]), (&"fake".into(), &"point".into()));
    let rate = |rate: &Value| (rate["count"].as_u64(), rate["of"].as_u64());
    assert_eq!(rate(&certificate["false_alarms"]), (Some(0), Some(4)));
    assert_eq!(rate(&certificate["losses"][0]["called"]), (Some(4), Some(4)));
    assert_eq!(found["found"], found["certificates"], "it is the first");
    assert!(told.contains("0 of 4, upper bound 53 %") && told.contains("4 of 4, lower bound 47 %"), "{told}");
    for (number, name) in [(1, "aa"), (2, "inject-5"), (3, "aa"), (4, "inject-5")] {
        assert_eq!(humdrum.results(&format!("s/{number}-{name}")).plan.seed, number);
    }
}

#[test]
fn reports_quote_what_all_selftests_found() {
    let humdrum = Humdrum::new();
    let compare = ["fake@1.0", "fake@1.1", "--tests", "hot-points", "--scale", "tiny"];
    let output = humdrum.exits(0, &[&["compare", "--out", "c", "--quiet"], &compare[..]].concat());
    let told = text_of(&output.stdout);
    let missing = "no selftest was made here of these tests: humdrum selftest fake@1.1";
    assert!(told.contains(missing), "{told}");
    assert!(humdrum.summary("c")["certificates"].is_null());

    selftest(&humdrum, 0, "one", &[NOISY, "--runs", "1", "--inject", "none"]);
    let (two, _) = selftest(&humdrum, 0, "two", &[NOISY, "--runs", "1", "--inject", "5%", "--seed", "9"]);
    assert_eq!((&two["found"][0]["runs"], &two["certificates"][0]["runs"]), (&2.into(), &3.into()));
    let quoted =
        "0 of 4 A/A verdicts wrong, upper bound 53 %; losses of 5 % called in 2 of 2, lower bound 22 %";
    for format in ["terminal", "markdown", "html"] {
        let told = text_of(&humdrum.exits(0, &["report", "c", "--format", format]).stdout);
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "");
        assert!(told.contains(quoted) && !told.contains(missing), "{format}: {told}");
    }
    let json = text_of(&humdrum.exits(0, &["report", "c", "--format", "json"]).stdout);
    let summary: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(summary["certificates"], two["certificates"]);

    let doctor = text_of(&humdrum.exits(0, &["doctor"]).stdout);
    assert!(doctor.contains("0 of 8 A/A verdicts wrong"), "{doctor}");
    humdrum.exits(0, &["clean", "--history"]);
    assert!(text_of(&humdrum.exits(0, &["report", "c"]).stdout).contains(missing));
}

/// Other clients are another scope.
#[test]
fn a_certificate_holds_for_its_scope_alone() {
    let humdrum = Humdrum::new();
    selftest(&humdrum, 0, "s", &[NOISY, "--runs", "1", "--inject", "none"]);
    let compare = ["fake@1.0", "fake@1.1", "--tests", "hot-points", "--scale", "rows=20k,clients=2"];
    let (_, summary, _) = humdrum.compare("c", &compare);
    assert!(summary["certificates"].is_null(), "{summary}");
}

/// The luck of the hour differs between the two, by more than any session shows.
#[test]
fn too_many_false_alarms_are_told_by_the_exit_code() {
    let humdrum = Humdrum::new();
    let lucky = "fake@1.0+hour_drift=20%";
    let args = ["--tests", "point", "--scale", "tiny", "--runs", "2", "--inject", "none"];
    let output = humdrum.exits(1, &[&["selftest", lucky, "--out", "s", "--quiet"], &args[..]].concat());
    assert!(text_of(&output.stdout).contains("A/A"));
}

#[test]
fn losses_of_whole_steps_are_called_too() {
    let humdrum = Humdrum::new();
    let args =
        "selftest fake@1.0 --suite insert --scale tiny --runs 1 --budget 60m --inject 5% --out s --quiet";
    humdrum.exits(0, &args.split(' ').collect::<Vec<_>>());
    let found = found(&humdrum, "s");
    assert_eq!((&found["found"][0]["class"], &found["runs"]), (&"load".into(), &2.into()), "{found}");
    let called = &found["found"][0]["losses"][0]["called"];
    assert_eq!((&called["count"], &called["of"]), (&4.into(), &4.into()), "{found}");
}

#[test]
fn runs_before_an_interruption_count() {
    let humdrum = Humdrum::new();
    let args = ["selftest", NOISY, "--out", "s", "--quiet", "--runs", "1000", "--inject", "none"];
    let mut command = humdrum.private(&[&args[..], &POINT[..]].concat());
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let until = Instant::now() + Duration::from_secs(60);
    while !humdrum.path("s/2-aa/results.sqlite").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().is_ok_and(|status| status.success()));
    assert_eq!(running.wait().expect("ends").code(), Some(130));
    let found = found(&humdrum, "s");
    let runs = found["runs"].as_u64().expect("runs");
    assert!((1..1000).contains(&runs), "{found}");
    assert_eq!(found["found"][0]["runs"], runs);
}
