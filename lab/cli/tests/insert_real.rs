//! The insert suite on real servers, small.
//!
//! `HUMDRUM_INSERT_MATRIX=1` runs all ten steps on seven servers with one client and with four, which takes some ten
//! minutes and fetches what the cache does not hold; `HUMDRUM_INSERT_SCALE=rows=1M,y=100k,z=20k,seconds=30` says how much.

mod common;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::processes::{descendants, title};
use common::{Humdrum, alone, field, text_of};
use serde_json::Value;

const OLD: &str = "postgres@16.11";
const NEW: &str = "postgres@17.7";

fn compare(lab: &Humdrum, subjects: &[&str], scale: &str, more: &[&str]) -> Command {
    let fixed = ["--suite", "insert", "--sessions", "1", "--out", "out", "--quiet", "--scale", scale];
    lab.command(&[&["compare"], subjects, &fixed, more].concat())
}

/// All steps, everybody's answers right; a step whose pace was missed says so and is no failure of the test's.
fn all_steps(subjects: &[&str], scale: &str) {
    let lab = Humdrum::with_shared_builds();
    let output = compare(&lab, subjects, scale, &[]).output().expect("humdrum starts");
    let complaint = text_of(&output.stderr);
    let summary = lab.summary("out");
    let status: Vec<(String, Value)> = field(&summary, "status");
    assert_eq!(status.len(), 10, "{complaint}");
    assert!(
        status.iter().all(|(_, status)| status == "ok" || status == "sla-missed"),
        "{status:?}\n{complaint}"
    );
    let rows = summary["steps"].as_array().expect("steps");
    assert_eq!(rows.len(), 10 * subjects.len());
    for row in rows {
        assert!(row["rate"].as_f64() > Some(1.0) || row["status"] == "sla-missed", "{row:#}");
        for column in ["dbgb1", "dbgb2", "server_cpu_us", "client_cpu_us", "maxop"] {
            assert!(row["columns"][column].as_f64() > Some(0.0), "{column} in {row:#}");
        }
    }
    println!("{}", std::fs::read_to_string(lab.path("out/steps.tsv")).unwrap_or_default());
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn all_ten_steps_on_two_releases() {
    let _alone = alone();
    all_steps(&[OLD, NEW], "rows=20k,y=2000,z=500,seconds=1");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_stopped_server_is_a_response_as_long_as_the_stop() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more = ["--mode", "sequential", "--tests", "qr100"];
    let mut command = compare(&lab, &[NEW, "again=postgres@17.7"], "rows=10k,y=500,z=50,seconds=6", &more);
    let mut humdrum = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("humdrum starts");
    let stopped = stop_while_queried(&mut humdrum, Duration::from_secs(3));
    let status = humdrum.wait().expect("humdrum ends");
    assert!(stopped, "no server was ever seen with all its connections; {status}");
    let summary = lab.summary("out");
    let longest = |subject: usize| {
        let row = &summary["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .filter(|row| row["test"] == "qr100")
            .nth(subject);
        row.and_then(|row| row["streams"]["insert"]["response_us"]["max"].as_f64()).expect("a time") / 1e6
    };
    let mut both = [longest(0), longest(1)];
    both.sort_by(f64::total_cmp);
    // Two statements a second: the next one was due within half a second of the stop.
    assert!((2.4..3.6).contains(&both[1]), "{both:?}");
    assert!(both[0] < 1.0, "{both:?}");
}

/// Stops the first server that serves inserts, deletes, queries, look-ups and the lab at the same time.
fn stop_while_queried(humdrum: &mut Child, length: Duration) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end && humdrum.try_wait().is_ok_and(|status| status.is_none()) {
        let backends = descendants(humdrum.id());
        if backends.iter().filter(|pid| title(**pid).contains("humdrum postgres")).count() >= 5 {
            std::thread::sleep(Duration::from_millis(700));
            signal("-STOP", &backends);
            std::thread::sleep(length);
            signal("-CONT", &backends);
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn signal(name: &str, pids: &[u32]) {
    let own = pids.iter().filter(|pid| title(**pid).contains("postgres")).map(u32::to_string);
    // One that has ended meanwhile does not matter.
    let _ = Command::new("kill").arg(name).args(own).stderr(Stdio::null()).status();
}

#[test]
fn the_matrix_of_servers_with_one_client_and_with_four() {
    if std::env::var_os("HUMDRUM_INSERT_MATRIX").is_none() {
        return;
    }
    let _alone = alone();
    let scale =
        std::env::var("HUMDRUM_INSERT_SCALE").unwrap_or_else(|_| "rows=100k,y=10k,z=2k,seconds=5".into());
    let pairs = [
        ["postgres@12.22", "postgres@18"],
        ["mysql@5.6.14", "mysql@8.0.33"],
        ["mysql@8.0.33", "mysql@9.7"],
        ["mariadb@10.11", "mariadb@11.8"],
    ];
    for pair in pairs {
        for clients in ["clients=1", "clients=4", "clients=4,tables=1"] {
            println!("{pair:?} {clients}");
            all_steps(&pair, &format!("{scale},{clients}"));
        }
    }
}
