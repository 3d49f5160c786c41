//! Drills on real servers: the program killed at any moment, a server killed or hung in the middle of its work, two
//! programs at once. One function a drill, one line an engine.
//!
//! They take minutes, so they run with `--ignored`. `HUMDRUM_DRILLS=20` kills the program at 20 moments instead of 3;
//! `HUMDRUM_DRILL=mysql@8.0.33,mysql@9.7` puts two other subjects into their engine's line.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::processes::{descendants, is_alive, main_process, send, servers_of};
use common::{Humdrum, alone, field, text_of};
use humdrum_model::Results;
use serde_json::Value;

/// The drills of each engine: `name(stays, victim)`. The victim is the one that is hit.
macro_rules! drills {
    ($($engine:ident($stays:literal, $victim:literal);)*) => {$(
        mod $engine {
            drills! { [$stays, $victim];
                no_server_survives_a_kill
                ctrl_c_stops_the_servers
                a_job_that_is_ended_with_its_servers_goes_on_without_a_failure
                a_server_killed_in_a_read_is_a_row
                a_server_killed_in_a_write_is_marked_and_comes_back
                a_server_that_hangs_is_timed_out
                two_at_once_have_servers_of_their_own
            }
        }
    )*};
    ($line:expr; $($drill:ident)*) => {$(
        #[test]
        #[ignore = "slow: CONTRIBUTING.md says how"]
        fn $drill() {
            super::$drill($line);
        }
    )*};
}

// Small redo logs, because each byte of them is written out for each server.
drills! {
    postgres("postgres@16.11", "postgres@17.7");
    mysql("mysql@5.7.22+innodb_log_file_size=48M", "mysql@5.7.22+innodb_log_file_size=48M");
    mariadb("mariadb@10.1.23+innodb_log_file_size=48M", "mariadb@10.1.23+innodb_log_file_size=48M");
}

/// Enough for every engine to begin; these runs do not come to their end.
const LONG: &str = "20m";

/// An engine's line, or the subjects of that engine that the environment names.
fn pair(line: [&str; 2]) -> [String; 2] {
    let named = std::env::var("HUMDRUM_DRILL").ok();
    let named = named.as_deref().and_then(|named| named.split_once(',')).map(|(one, two)| [one, two]);
    let engine = |subjects: [&str; 2]| subjects[0].split('@').next().map(str::to_owned);
    let [one, two] = named.filter(|named| engine(*named) == engine(line)).unwrap_or(line);
    [format!("stays={one}"), format!("victim={two}")]
}

fn compare(lab: &Humdrum, subjects: &[String], out: &str, more: &[&str]) -> Child {
    let mut args = vec!["compare"];
    args.extend(subjects.iter().map(String::as_str));
    args.extend(["--scale", "tiny", "--out", out, "--progress", "json"]);
    args.extend(more);
    let mut command = lab.command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts")
}

/// Reads what the program says until it has `words` in it; whatever follows is thrown away.
fn wait_for(child: &mut Child, words: &str) {
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut said = Vec::new();
    let found = lines.by_ref().map_while(Result::ok).any(|line| {
        let found = line.contains(words);
        said.push(line);
        found
    });
    assert!(found, "it never said {words}: {}", said.join("\n"));
    std::thread::spawn(move || lines.count());
}

fn gone_within_five_seconds(pids: &[u32]) {
    let began = Instant::now();
    while pids.iter().any(|pid| is_alive(*pid)) {
        assert!(began.elapsed() < Duration::from_secs(5), "alive after 5 s: {pids:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whatever moment the program is killed at, its servers are gone within 5 seconds.
fn no_server_survives_a_kill(line: [&str; 2]) {
    let _alone = alone();
    let mut servers = 0;
    let moments: u64 = std::env::var("HUMDRUM_DRILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for moment in 0..moments {
        let lab = Humdrum::with_shared_builds();
        // From the making of servers on, or from the first block of a test that writes: servers that are stopped in place
        // while the other has its turn must go as well.
        let (tests, from) =
            if moment % 2 == 0 { ("point", "making and starting") } else { ("write", "\"blocks\"") };
        let mut child = compare(&lab, &pair(line), "out", &["--tests", tests, "--budget", LONG]);
        wait_for(&mut child, from);
        std::thread::sleep(Duration::from_millis(300 + 4000 * moment / moments));
        let family = descendants(child.id());
        servers += family.len();
        child.kill().expect("killed");
        child.wait().expect("reaped");
        gone_within_five_seconds(&family);
    }
    assert!(servers > 4, "the kills fell into moments with servers running");
}

/// Ctrl-C: exit code 130, servers stopped, at whatever moment it comes (that results are kept is drilled on `fake`).
fn ctrl_c_stops_the_servers(line: [&str; 2]) {
    let _alone = alone();
    for tests in ["point", "write"] {
        let lab = Humdrum::with_shared_builds();
        let mut child = compare(&lab, &pair(line), "out", &["--tests", tests, "--budget", LONG]);
        wait_for(&mut child, "\"blocks\"");
        let family = descendants(child.id());
        assert!(family.len() >= 4, "two guardians and two servers");
        send(child.id(), libc::SIGINT);
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(130), "{tests}: {}", text_of(&output.stdout));
        assert!(!family.iter().any(|pid| is_alive(*pid)), "{tests}: servers are left");
    }
}

/// A scheduler that cancels a job sends SIGTERM to all of its processes; here the servers have it first. That is no failure of
/// theirs, and the job goes on where it was.
fn a_job_that_is_ended_with_its_servers_goes_on_without_a_failure(line: [&str; 2]) {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more = ["--tests", "point-query,update-index", "--sessions", "4", "--budget", "60s"];
    let mut child = compare(&lab, &pair(line), "out", &more);
    wait_for(&mut child, "update-index\"");
    std::thread::sleep(Duration::from_millis(300));
    servers_of(child.id()).iter().for_each(|server| send(*server, libc::SIGTERM));
    std::thread::sleep(Duration::from_millis(20));
    send(child.id(), libc::SIGTERM);
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(130), "{}", text_of(&output.stdout));
    let output = lab.run(&["resume", "out"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    let failures: Vec<_> =
        lab.results("out").events.into_iter().filter(|event| event.subject.is_some()).collect();
    assert!(failures.is_empty(), "{failures:?}");
}

/// Three subjects, the second of which is hit in a first block of `test`. The program ends with 3 and nothing is left
/// running; the subject that was hit has one row that tells what happened and how its log ends, and did start again,
/// for a server that does not is a row of its own; the third subject is measured as ever.
fn strike(line: [&str; 2], test: &str, more: &[&str], blow: fn(u32)) -> (Value, Results) {
    let lab = Humdrum::with_shared_builds();
    let [stays, victim] = pair(line);
    let other = stays.replacen("stays", "other", 1);
    let mut child = compare(&lab, &[stays, victim, other], "out", more);
    wait_for(&mut child, &format!("{test}\""));
    // Past the first block, so that blows fall into slices of all three.
    std::thread::sleep(Duration::from_millis(300));
    let (run, family) = (child.id(), descendants(child.id()));
    blow(main_process(run, "/s1/"));
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stdout));
    let left: Vec<u32> = family.into_iter().filter(|pid| is_alive(*pid)).chain(servers_of(run)).collect();
    assert!(left.is_empty(), "{left:?} still run");
    let summary = lab.summary("out");
    let hit = &row(&summary, 0, test);
    assert_eq!(hit["status"], "failed", "{hit:#}");
    assert!(hit["notes"].to_string().contains("log: "), "{hit:#}");
    let other = &row(&summary, 1, test);
    assert!(matches!(other["status"].as_str(), Some("ok" | "not-steady")), "{other:#}");
    assert!(other["sessions"].as_u64() >= Some(3), "the others go on: {other:#}");
    let mut results = lab.results("out");
    // That the host was busy when measuring began is a warning of the record and no failure.
    results.events.retain(|event| event.subject.is_some());
    let told: Vec<_> =
        results.events.iter().map(|event| (event.subject, event.test.as_deref(), &event.what)).collect();
    assert!(matches!(told[..], [(Some(1), Some(name), _)] if name == test), "{told:?}");
    (summary, results)
}

fn row(summary: &Value, comparison: usize, test: &str) -> Value {
    let tests = summary["comparisons"][comparison]["tests"].as_array().expect("tests");
    tests.iter().find(|one| one["test"] == test).expect("the test").clone()
}

fn a_server_killed_in_a_read_is_a_row(line: [&str; 2]) {
    let _alone = alone();
    let more = ["--tests", "point-query", "--sessions", "4", "--budget", "40s"];
    strike(line, "point-query", &more, |server| send(server, libc::SIGKILL));
}

/// A server killed in the middle of a write is a row, never silently counted: it recovers, takes no part in what is
/// measured on that write's tables, now or later, has fresh data in the next session, and its reads of those are measured.
fn a_server_killed_in_a_write_is_marked_and_comes_back(line: [&str; 2]) {
    let _alone = alone();
    let more = ["--tests", "point-query.pre,update-index,point-query", "--sessions", "4", "--budget", "60s"];
    let (summary, results) = strike(line, "update-index", &more, |server| send(server, libc::SIGKILL));
    let killed_in = results.events[0].session.expect("a session");
    let with_victim =
        results.blocks.iter().filter(|block| block.slices.iter().any(|slice| slice.subject == 1));
    let (fresh, written): (Vec<_>, Vec<_>) = with_victim.partition(|block| block.test == "point-query.pre");
    assert!(written.iter().all(|block| (block.session, &*block.test) == (killed_in, "update-index")));
    assert!(fresh.iter().any(|block| block.session > killed_in), "it comes back");
    assert_eq!(row(&summary, 0, "point-query.pre")["status"], "ok", "{summary:#}");
}

/// A server that stops answering, reading or writing, is a row once the time-out has passed.
fn a_server_that_hangs_is_timed_out(line: [&str; 2]) {
    let _alone = alone();
    for test in ["point-query", "update-index"] {
        let more = ["--tests", test, "--sessions", "4", "--budget", "60s", "--timeout", "3s"];
        let (_, results) = strike(line, test, &more, hang);
        let what = &results.events[0].what;
        assert!(what.contains("no answer within 3 s"), "{what}");
    }
}

/// Stops a server with all its processes, and again whenever the program lets it go on for its next slice.
fn hang(server: u32) {
    let mut all = descendants(server);
    all.push(server);
    std::thread::spawn(move || {
        while is_alive(server) {
            all.iter().for_each(|pid| send(*pid, libc::SIGSTOP));
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Two programs on the same folders end right, each on servers of its own; a third is killed meanwhile, and takes its own
/// servers along and nobody else's.
fn two_at_once_have_servers_of_their_own(line: [&str; 2]) {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more = ["--tests", "point-query,update-index", "--sessions", "4", "--budget", "50s"];
    let mut runs = ["one", "two", "doomed"].map(|out| compare(&lab, &pair(line), out, &more));
    runs.iter_mut().for_each(|run| wait_for(run, "\"blocks\""));
    let servers = runs.each_ref().map(|run| servers_of(run.id()));
    for (run, servers) in runs.iter().zip(&servers) {
        let family = descendants(run.id());
        assert!(servers.len() >= 2 && servers.iter().all(|pid| family.contains(pid)), "{servers:?}");
    }
    let [one, two, mut doomed] = runs;
    doomed.kill().expect("killed");
    doomed.wait().expect("reaped");
    gone_within_five_seconds(&servers[2]);
    for (run, out) in [(one, "one"), (two, "two")] {
        let id = run.id();
        let output = run.wait_with_output().expect("ends");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{out}: {}", text_of(&output.stdout));
        let summary = lab.summary(out);
        let statuses = field(&summary, "status");
        let right = |(_, status): &(String, Value)| matches!(status.as_str(), Some("ok" | "not-steady"));
        assert!(statuses.len() == 2 && statuses.iter().all(right), "{summary:#}");
        assert!(servers_of(id).is_empty(), "{out}: servers are left");
    }
}
