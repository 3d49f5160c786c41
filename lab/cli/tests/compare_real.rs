//! End to end on real servers. The first run fetches two Postgres releases into the shared cache; later ones find
//! them there.

mod common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::processes::{descendants, is_alive, send, title};
use common::{Humdrum, alone, field, text_of, words};

const OLD: &str = "postgres@16.11";
const NEW: &str = "postgres@17.7";

fn compare(lab: &Humdrum, subjects: [&str; 2], more: &[&str]) -> (i32, serde_json::Value, String) {
    lab.compare("out", &[&subjects[..], &["--scale", "tiny"], more].concat())
}

#[test]
fn sees_that_hot_points_doubled_and_in_which_direction() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let args = ["--tests", "hot-points", "--budget", "15s"];
    let (code, summary, complaint) = compare(&lab, [OLD, NEW], &args);
    assert_eq!(code, 0, "{complaint}");
    assert_eq!(field(&summary, "verdict")[0].1, "improvement", "{summary:#}");
    let rqps = field(&summary, "rqps")[0].1.as_f64().expect("a ratio");
    assert!((1.5..2.8).contains(&rqps), "{rqps}");
    let cost = &field(&summary, "cost")[0].1;
    let us = |name: &str| cost[name]["base"].as_f64().expect("µs");
    let (user, system, all) = (us("server_user_us"), us("server_system_us"), us("server_cpu_us"));
    assert!(all > 1.0 && user > system, "{cost:#}");
    // Both are rounded to hundredths of a second, and a session has some tenths of it.
    assert!(((user + system) / all - 1.0).abs() < 0.3, "{cost:#}");
    assert!(cost["cs_o"]["base"].as_f64().expect("switches") > 0.1, "{cost:#}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn several_clients_over_several_tables() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more = "--scale rows=2000,tables=3,clients=3 --tests point-query,scan,read-only-sum --budget 24s";
    let (code, summary, complaint) = lab.compare("out", &[&[OLD, NEW], &words(more)[..]].concat());
    assert!(matches!(code, 0 | 1), "{complaint}");
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn writes_of_several_clients_leave_equal_tables_and_debts() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more =
        "--scale rows=3000,tables=2,clients=3 --sessions 4 --tests read-write_range=10,delete --budget 25s";
    let (code, summary, complaint) = lab.compare("out", &[&[OLD, NEW], &words(more)[..]].concat());
    assert!(matches!(code, 0 | 1), "{complaint}");
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
    for (test, debt) in field(&summary, "debt") {
        assert!(debt["debt_us"]["base"].as_f64().is_some_and(|us| us > 0.0), "{test}: {debt:#}");
    }
    for (test, state) in field(&summary, "state") {
        let rows = &state["rows"];
        assert!(
            rows["base"].as_f64() == rows["subject"].as_f64() && !rows["base"].is_null(),
            "{test}: {state:#}"
        );
        assert!(state["checkpoint_age_bytes"]["base"].as_f64().is_some_and(|bytes| bytes > 0.0), "{test}");
    }
}

#[test]
fn a_rejected_setting_names_itself_and_the_release() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let subject = format!("bad={NEW}+io_method=worker");
    let (code, _, complaint) = compare(&lab, [NEW, &subject], &["--tests", "scan"]);
    assert_eq!(code, 2, "{complaint}");
    assert!(complaint.contains("io_method") && complaint.contains("17.7"), "{complaint}");
}

/// A server killed in mid-slice is a row with its log; the other subjects go on; exit code 3.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_killed_server_is_a_row() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let well = format!("well={OLD}");
    let mut args = vec!["compare", OLD, NEW, &well, "--out", "out", "--quiet"];
    // Few sessions, so that they are long and the kill falls into one.
    args.extend(words("--scale tiny --tests point-query --sessions 4 --budget 25s"));
    let child =
        lab.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts");
    let victim = wait_for_backend(child.id(), "/s1/program/");
    send(victim, libc::SIGKILL);
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stderr));
    let summary = lab.summary("out");
    let status = |number: usize| summary["comparisons"][number]["tests"][0]["status"].clone();
    assert_eq!((status(0), status(1)), ("failed".into(), "ok".into()), "{summary:#}");
}

/// The backend of a client's session on the server whose program's path has `place` in it.
fn wait_for_backend(parent: u32, place: &str) -> u32 {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        let own = descendants(parent);
        let program = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let serves = |pid: &&u32| title(**pid).contains("[local]");
        let of_place = |pid: &&u32| program(**pid).to_string_lossy().contains(place);
        if let Some(pid) = own.iter().filter(of_place).find(serves) {
            // In mid-slice, not in mid-load.
            std::thread::sleep(Duration::from_millis(700));
            if is_alive(*pid) {
                return *pid;
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no session of {place} was seen");
}
