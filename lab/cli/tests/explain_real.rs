//! Explanations of a change on real servers: nothing is left unexamined.

mod common;

use common::{Humdrum, alone, text_of};
use serde_json::Value;

fn measure(lab: &Humdrum, scale: &str) {
    let args =
        ["postgres@16.11", "postgres@17.7", "--tests", "hot-points", "--scale", scale, "--budget", "15s"];
    let (code, _, complaint) = lab.compare("out", &args);
    assert_eq!(code, 0, "{complaint}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn hot_points_are_explained() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    measure(&lab, "tiny");
    let output = lab.exits(0, &["explain", "out", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let found = &document["explanations"][0];
    // Not always the first: a busy host makes servers wait for a processor, which is a cause as well.
    let causes = found["causes"].as_array().expect("causes");
    let cpu = causes.iter().find(|cause| cause["kind"] == "server-cpu").expect("server-cpu");
    assert!(cpu["share"].as_f64().is_some_and(|share| share > 0.2), "{found:#}");
    // 17 looks a whole list up in one index scan, 16 a key at a time.
    let counters = found["counters"].as_array().expect("counters");
    let of = |name: &str| counters.iter().find(|one| one["name"] == name);
    let scans = of("tables.idx_scan").or_else(|| of("tables.idx_blks_hit"));
    assert!(
        scans.is_some_and(|scans| scans["ratio"].as_f64().is_some_and(|ratio| ratio < 0.5)),
        "{counters:#?}"
    );
    // Whose work it is: the sessions', by the kernel's count.
    let sessions = of("thread.sessions.cpu_us");
    assert!(
        sessions.is_some_and(|sessions| sessions["ratio"].as_f64().is_some_and(|ratio| ratio < 0.8)),
        "{counters:#?}"
    );
    let told = |line: &Value| line.as_str().unwrap_or_default().contains("by thread, µs of CPU");
    assert!(cpu["evidence"].as_array().is_some_and(|lines| lines.iter().any(told)), "{cpu:#}");
    assert!(found["remarks"].as_array().is_some_and(|remarks| {
        let told = |line: &Value| line.as_str().unwrap_or_default().to_owned();
        remarks.iter().map(told).all(|line| !line.contains("not examined"))
    }));
    let part = |name: &str| {
        found["parts"].as_array().is_some_and(|parts| parts.iter().any(|part| part["name"] == name))
    };
    assert!(part("locks") && part("disk"), "{found:#}");
}

/// A client and its session alone on a processor take turns, and neither ever waits for the other: the next statement is there
/// before the server looks for it. Two clients for every processor keep each other's sessions waiting.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn functions_and_waits_are_seen() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let clients = 2 * std::thread::available_parallelism().map_or(1, usize::from);
    let scale = format!("rows=20000,tables=1,clients={clients}");
    measure(&lab, &scale);
    is_profiled(&lab);
}

/// A whole step is sampled during its chunks, and its sessions are rounds.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_step_has_counters_and_a_profile() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let scale = "rows=100000,tables=1,clients=1,y=100000,z=5000,seconds=6";
    let step = ["--suite", "insert", "--tests", "l.i1", "--sessions", "2", "--mode", "interleaved"];
    let args = [&["postgres@16.11", "postgres@17.7", "--scale", scale][..], &step[..]].concat();
    let (code, _, complaint) = lab.compare("out", &args);
    assert!(matches!(code, 0 | 1), "{complaint}");
    let examined = lab.results("out").examinations;
    assert_eq!(examined.iter().filter(|one| one.test == "l.i1").count(), 4, "{examined:#?}");
    let counted = |name: &str| {
        let of = |one: &humdrum_model::Examination| {
            one.counters.iter().any(|counter| counter.name == name && counter.delta > 0.0)
        };
        examined.iter().all(of)
    };
    assert!(counted("log.bytes") && counted("thread.sessions.cpu_us"), "{examined:#?}");
    let output = lab.run(&["explain", "out", "l.i1", "--profile", "--json"]);
    let told = text_of(&output.stderr);
    if told.contains("cannot run perf") || told.contains("perf may not sample here") {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{told}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let stacks = document["explanations"][0]["stacks"].as_array().expect("stacks").clone();
    assert!(stacks.iter().any(|one| one["base"].as_f64() > Some(0.0)), "{stacks:#?}");
    assert!(lab.path("out/profile/l_i1/profiles.json").exists());
}

/// A session waits for its client, in a stack that says so, or it is said what to install.
fn waits_are_seen(found: &Value, told: &str) {
    let waiting = found["waiting"].as_array();
    if told.contains("neither eu-stack nor gdb") || told.contains("a debugger may not inspect") {
        assert!(told.contains("elfutils") || told.contains("ptrace_scope"), "{told}");
        return;
    }
    let waiting = waiting.unwrap_or_else(|| panic!("no waits: {told}"));
    let client =
        waiting.iter().find(|one| one["symbol"].as_str().is_some_and(|name| name.contains("secure_read")));
    let client = client.unwrap_or_else(|| panic!("nobody waits for the client: {waiting:#?}"));
    assert!(client["time"]["base"].as_f64().is_some_and(|time| time > 0.0), "{client}");
}

/// The functions that took the time, or what to do without permission to sample.
fn is_profiled(lab: &Humdrum) {
    let output = lab.run(&["explain", "out", "hot-points", "--profile", "--json"]);
    let told = text_of(&output.stderr);
    if told.contains("cannot run perf") || told.contains("perf may not sample here") {
        assert!(told.contains("install it") || told.contains("perf_event_paranoid"), "{told}");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{told}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let found = &document["explanations"][0];
    let sum = |side: &str| -> f64 {
        let stacks = found["stacks"].as_array().expect("stacks");
        stacks.iter().filter_map(|one| one[side].as_f64()).sum()
    };
    // 16 looks 100 keys up one by one, which takes the processor longer.
    assert!(sum("subject") > 1.0 && sum("base") > 1.2 * sum("subject"), "{} {}", sum("base"), sum("subject"));
    assert!(!found["code"].as_array().expect("functions").is_empty());
    let folded = std::fs::read_to_string(lab.path("out/profile/hot-points/base.folded")).expect("kept");
    assert!(
        folded
            .lines()
            .all(|line| line.rsplit_once(' ').is_some_and(|(_, count)| count.parse::<u64>().is_ok()))
    );
    assert!(!lab.path("out/profile/hot-points/perf.data").exists());
    waits_are_seen(found, &told);
    let page = lab.run(&["report", "out", "--format", "html"]);
    assert!(text_of(&page.stdout).contains("Flame graph of hot-points"));
}
