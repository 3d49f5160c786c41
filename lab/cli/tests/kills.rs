//! Kills on real servers: of the program at any moment, and of a server in the middle of a write.
//!
//! `HUMDRUM_DRILLS=20` kills the program at 20 moments instead of 3. `HUMDRUM_DRILL=mysql@8.0.33,mysql@9.7` drills other
//! servers than two of Postgres.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use common::processes::{descendants, is_alive, title};
use common::{Humdrum, field, text_of};

/// One test at a time: kills fall into moments of a run.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The two subjects; the second is the one that is killed.
fn pair() -> [String; 2] {
    let named = std::env::var("HUMDRUM_DRILL").unwrap_or_else(|_| "postgres@16.11,postgres@17.7".into());
    let (one, two) = named.split_once(',').expect("two subjects with a comma between them");
    [format!("stays={one}"), format!("victim={two}")]
}

fn compare(lab: &Humdrum, more: &[&str]) -> Child {
    let [one, two] = pair();
    let mut args = vec!["compare", &one, &two, "--scale", "tiny", "--out", "out", "--progress", "json"];
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
        let mut child = compare(&lab, &["--tests", tests]);
        // From the making of servers into the blocks.
        wait_for(&mut child, "making and starting");
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
        let mut child = compare(&lab, &["--tests", tests]);
        wait_for(&mut child, "\"blocks\"");
        let family = descendants(child.id());
        assert!(family.len() >= 4, "two guardians and two servers");
        // SAFETY: kill has no preconditions; the child has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(130), "{tests}: {}", text_of(&output.stdout));
        assert!(!family.iter().any(|pid| is_alive(*pid)), "{tests}: servers are left");
    }
}

/// A server killed in the middle of a write is a row, never silently counted; it recovers, has fresh data in the next
/// session, and its reads there are measured.
#[test]
fn a_server_killed_in_a_write_is_marked_and_comes_back() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let more = ["--tests", "update-index,point-query", "--sessions", "4", "--budget", "60s"];
    let mut child = compare(&lab, &more);
    wait_for(&mut child, "update-index\"");
    std::thread::sleep(Duration::from_millis(300));
    // Its folder's name tells the second subject's main process, and nothing else of it: guardians show none.
    let servers = descendants(child.id()).into_iter().filter(|pid| title(*pid).contains("/s1/"));
    let victim = servers.min().expect("a second server");
    // SAFETY: kill has no preconditions; the process was just seen to be a descendant of our child.
    unsafe { libc::kill(victim as i32, libc::SIGKILL) };
    let output = child.wait_with_output().expect("ends");
    let said = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let text = std::fs::read_to_string(lab.path("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("json");
    let mut statuses = field(&summary, "status");
    statuses.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [("point-query".into(), "ok".into()), ("update-index".into(), "failed".into())];
    assert_eq!(statuses, expected, "{summary:#}");
    let blocks = field(&summary, "blocks").into_iter().find(|(test, _)| test == "point-query");
    assert!(blocks.is_some_and(|(_, blocks)| blocks.as_u64() > Some(0)), "{summary:#}");
}
