//! End to end on real servers. The first run fetches two Postgres releases into the shared cache; later ones find
//! them there.
//!
//! `HUMDRUM_DRILLS=20` kills the program at 20 moments instead of 3.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use common::{Humdrum, field, text_of};

/// One test at a time: what they compare are speeds, and kills fall into moments of a run.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const OLD: &str = "postgres@16.11";
const NEW: &str = "postgres@17.7";

fn compare(lab: &Humdrum, subjects: [&str; 2], more: &[&str]) -> (i32, serde_json::Value, String) {
    let mut args = vec!["compare", subjects[0], subjects[1], "--scale", "tiny", "--out", "out", "--quiet"];
    args.extend(more);
    let output = lab.command(&args).output().expect("humdrum starts");
    let text = std::fs::read_to_string(lab.path("out/summary.json")).unwrap_or_default();
    let complaint = text_of(&output.stderr);
    (output.status.code().unwrap_or(-1), serde_json::from_str(&text).unwrap_or_default(), complaint)
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
    assert!(cost["server_cpu_us"]["base"].as_f64().expect("µs") > 1.0, "{cost:#}");
    assert!(cost["cs_o"]["base"].as_f64().expect("switches") > 0.1, "{cost:#}");
}

#[test]
fn several_clients_over_several_tables() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let args = [
        "compare",
        OLD,
        NEW,
        "--scale",
        "rows=2000,tables=3,clients=3",
        "--tests",
        "point-query,scan,read-only-sum",
    ];
    let mut args = args.to_vec();
    args.extend(["--budget", "24s", "--out", "out", "--quiet"]);
    let output = lab.command(&args).output().expect("humdrum starts");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    let text = std::fs::read_to_string(lab.path("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("json");
    assert!(field(&summary, "status").iter().all(|(_, status)| status == "ok"), "{summary:#}");
}

#[test]
fn writes_of_several_clients_leave_equal_tables_and_debts() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let mut args = vec!["compare", OLD, NEW, "--scale", "rows=3000,tables=2,clients=3", "--sessions", "4"];
    args.extend(["--tests", "update-one,read-write_range=10,delete,insert", "--budget", "20s"]);
    args.extend(["--out", "out", "--quiet"]);
    let output = lab.command(&args).output().expect("humdrum starts");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    let text = std::fs::read_to_string(lab.path("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("json");
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

/// Whatever moment the program is killed at, its servers are gone within 5 seconds.
#[test]
fn no_server_survives_a_kill() {
    let _alone = alone();
    let mut servers = 0;
    let moments: u64 = std::env::var("HUMDRUM_DRILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for moment in 0..moments {
        let lab = Humdrum::with_shared_builds();
        // Servers that are stopped in place while the other has its turn must go as well.
        let tests = if moment % 2 == 0 { "point" } else { "write" };
        let args = ["compare", OLD, NEW, "--scale", "tiny", "--tests", tests, "--out", "out", "--quiet"];
        let mut child =
            lab.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("humdrum starts");
        std::thread::sleep(Duration::from_millis(300 + 4000 * moment / moments));
        let family = descendants(child.id());
        servers += family.len();
        child.kill().expect("killed");
        child.wait().expect("reaped");
        let began = Instant::now();
        while family.iter().any(|pid| is_alive(*pid)) {
            assert!(began.elapsed() < Duration::from_secs(5), "alive after 5 s: {family:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    assert!(servers > 4, "the kills fell into moments with servers running");
}

/// Ctrl-C: exit code 130, servers stopped, at whatever moment it comes (that results are kept is drilled on `fake`).
#[test]
fn ctrl_c_stops_the_servers() {
    let _alone = alone();
    for tests in ["point", "write"] {
        let lab = Humdrum::with_shared_builds();
        let args = ["compare", OLD, NEW, "--scale", "tiny", "--tests", tests, "--out", "out", "--quiet"];
        let child =
            lab.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts");
        wait_for_backend(child.id(), "postgres-17-7/");
        let family = descendants(child.id());
        assert!(family.len() > 4);
        // SAFETY: kill has no preconditions; the child has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(130), "{tests}: {}", text_of(&output.stderr));
        assert!(!family.iter().any(|pid| is_alive(*pid)), "{tests}: servers are left");
    }
}

/// A server killed in the middle of a write is a row, never silently counted; it comes back with fresh data, and
/// the reads of later sessions are measured.
#[test]
fn a_server_killed_in_a_write_is_marked_and_comes_back() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let mut args = vec!["compare", OLD, NEW, "--scale", "tiny", "--tests", "update-index,point-query"];
    args.extend(["--sessions", "4", "--budget", "14s", "--out", "out", "--quiet"]);
    let child =
        lab.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts");
    let victim = wait_for_backend(child.id(), "postgres-17-7/");
    // SAFETY: kill has no preconditions; the process was just seen to be a descendant of our child.
    unsafe { libc::kill(victim as i32, libc::SIGKILL) };
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stderr));
    let text = std::fs::read_to_string(lab.path("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("json");
    let mut statuses = field(&summary, "status");
    statuses.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [("point-query".into(), "ok".into()), ("update-index".into(), "failed".into())];
    assert_eq!(statuses, expected, "{summary:#}");
    let blocks = field(&summary, "blocks").into_iter().find(|(test, _)| test == "point-query");
    assert!(blocks.is_some_and(|(_, blocks)| blocks.as_u64() > Some(0)), "{summary:#}");
}

/// A server killed in mid-slice is a row with its log; the other subjects go on; exit code 3.
#[test]
fn a_killed_server_is_a_row() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let well = format!("well={OLD}");
    let args = [
        "compare",
        OLD,
        NEW,
        &well,
        "--scale",
        "tiny",
        "--tests",
        "point-query",
        // Few, so that they are long and the kill falls into one.
        "--sessions",
        "4",
        "--budget",
        "25s",
        "--out",
        "out",
        "--quiet",
    ];
    let child =
        lab.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts");
    let victim = wait_for_backend(child.id(), "postgres-17-7/");
    // SAFETY: kill has no preconditions; the process was just seen to be a descendant of our child.
    unsafe { libc::kill(victim as i32, libc::SIGKILL) };
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stderr));
    let text = std::fs::read_to_string(lab.path("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("json");
    let status = |number: usize| summary["comparisons"][number]["tests"][0]["status"].clone();
    assert_eq!((status(0), status(1)), ("failed".into(), "ok".into()), "{summary:#}");
}

/// The backend of a client's session on the server whose program's path has `build` in it.
fn wait_for_backend(parent: u32, build: &str) -> u32 {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        let own = descendants(parent);
        let program = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let serves = |pid: &&u32| title(**pid).contains("[local]");
        let of_build = |pid: &&u32| program(**pid).to_string_lossy().contains(build);
        if let Some(pid) = own.iter().filter(of_build).find(serves) {
            // In mid-slice, not in mid-load.
            std::thread::sleep(Duration::from_millis(700));
            if is_alive(*pid) {
                return *pid;
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no session of {build} was seen");
}

fn title(pid: u32) -> String {
    text_of(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).replace('\0', " ")
}

fn is_alive(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = state.rsplit(')').next().unwrap_or("").trim_start();
    Path::new(&format!("/proc/{pid}")).exists() && !state.starts_with('Z')
}

/// All processes below one, by following parents.
fn descendants(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid: u32| Some((pid, parent(pid)?)))
        .collect();
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() {
        let of = family[next];
        family.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        next += 1;
    }
    family.split_off(1)
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_ascii_whitespace().nth(1)?.parse().ok()
}
