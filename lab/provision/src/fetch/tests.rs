//! Downloads from a server of a few lines that misbehaves on demand.

use std::time::Duration;

use super::*;
use humdrum_contract::{Interrupt, Silent};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

/// How the server answers one request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// All of it, or the range that was asked for.
    Honest,
    /// As `Honest`, but the connection breaks after so many bytes.
    BreakAfter(usize),
    /// All of it, whatever range was asked for.
    IgnoreRange,
    /// This status, no body.
    Status(u16),
    /// Bytes of something else, as many.
    Wrong,
}

const PATIENT: Patience =
    Patience { attempts: 3, pause: Duration::from_millis(1), silence: Duration::from_secs(10) };

fn content() -> Vec<u8> {
    (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Serves `answers` in turn, one connection each; tells the range that each request asked for.
fn serve(answers: Vec<Answer>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let url = format!("http://{}/file.jar", listener.local_addr().expect("address"));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().expect("accept");
            let lines = BufReader::new(stream.try_clone().expect("clone")).lines();
            let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let range = head
                .iter()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: ").map(str::to_owned));
            let path = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
            sender.send(range.clone().unwrap_or(path)).expect("tell");
            let from =
                range.and_then(|text| text.trim_start_matches("bytes=").trim_end_matches('-').parse().ok());
            let _ = stream.write_all(&reply(answer, from));
        }
    });
    (url, receiver)
}

fn reply(answer: Answer, from: Option<usize>) -> Vec<u8> {
    let whole = content();
    let (status, body, range) = match (answer, from) {
        (Answer::Status(status), _) => (status, Vec::new(), String::new()),
        (Answer::Wrong, _) => (200, vec![b'?'; whole.len()], String::new()),
        (Answer::Honest | Answer::BreakAfter(_), Some(from)) => {
            let range = format!("Content-Range: bytes {from}-{}/{}\r\n", whole.len() - 1, whole.len());
            (206, whole[from..].to_vec(), range)
        }
        _ => (200, whole, String::new()),
    };
    let head =
        format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n{range}Connection: close\r\n\r\n", body.len());
    let sent = if let Answer::BreakAfter(bytes) = answer { &body[..bytes] } else { &body[..] };
    [head.as_bytes(), sent].concat()
}

fn dirs(folder: &Path) -> Dirs {
    let dirs = Dirs {
        cache: folder.into(),
        runs: folder.join("runs"),
        run_as: None,
        allow_external: false,
        reuse_trees: false,
        interrupt: Interrupt::new(),
    };
    dirs::make_folder(&dirs::downloads(&dirs)).expect("downloads");
    dirs
}

fn pinned(url: String) -> Artifact {
    let trust = Trust::Pinned(checksum::sha256_of_bytes(&content()));
    Artifact { name: "file.jar".into(), url, trust }
}

/// Fetches once with the given answers: the result, and the ranges asked for.
fn try_fetch(answers: Vec<Answer>) -> (Outcome<Fetched>, Vec<String>) {
    let folder = tempfile::tempdir().expect("folder");
    let (url, requests) = serve(answers);
    let outcome = fetch_with(&pinned(url), &dirs(folder.path()), &Silent, PATIENT);
    if let Ok(fetched) = &outcome {
        assert_eq!(fs::read(&fetched.path).expect("read"), content());
    }
    (outcome, requests.try_iter().collect())
}

#[test]
fn fetches_once_and_keeps() {
    let folder = tempfile::tempdir().expect("folder");
    let dirs = dirs(folder.path());
    let (url, requests) = serve(vec![Answer::Honest, Answer::Honest]);
    let first = fetch_with(&pinned(url.clone()), &dirs, &Silent, PATIENT).expect("first");
    let second = fetch_with(&pinned(url.clone()), &dirs, &Silent, PATIENT).expect("second");
    assert_eq!(first, second);
    assert_eq!(requests.try_iter().count(), 1);
    fs::write(&first.path, "damaged").expect("damage");
    assert_eq!(fetch_with(&pinned(url), &dirs, &Silent, PATIENT).expect("third"), first);
    assert_eq!(requests.try_iter().count(), 1);
}

#[test]
fn goes_on_where_it_broke() {
    let (outcome, requests) =
        try_fetch(vec![Answer::BreakAfter(70_000), Answer::BreakAfter(50_000), Answer::Honest]);
    outcome.expect("fetched");
    assert_eq!(requests, ["/file.jar", "bytes=70000-", "bytes=120000-"]);
}

#[test]
fn begins_again_where_ranges_are_ignored() {
    let (outcome, requests) = try_fetch(vec![Answer::BreakAfter(70_000), Answer::IgnoreRange]);
    outcome.expect("fetched");
    assert_eq!(requests.len(), 2);
}

#[test]
fn waits_out_a_passing_trouble_but_not_for_ever() {
    let (outcome, _) = try_fetch(vec![Answer::Status(503), Answer::Status(429), Answer::Honest]);
    outcome.expect("fetched");
    let (outcome, requests) = try_fetch(vec![Answer::Status(503); 9]);
    let fault = outcome.expect_err("gave up");
    assert!(fault.what.contains("503") && !was_not_there(&fault));
    assert_eq!(requests.len(), 3);
}

#[test]
fn a_refusal_is_final() {
    let (outcome, requests) = try_fetch(vec![Answer::Status(404); 2]);
    let fault = outcome.expect_err("refused");
    assert!(fault.what.contains("404") && fault.hint.is_some() && was_not_there(&fault));
    assert_eq!(requests.len(), 1);
}

#[test]
fn wrong_bytes_are_thrown_away() {
    let folder = tempfile::tempdir().expect("folder");
    let dirs = dirs(folder.path());
    let (url, _requests) = serve(vec![Answer::Wrong, Answer::Honest]);
    let fault = fetch_with(&pinned(url.clone()), &dirs, &Silent, PATIENT).expect_err("wrong");
    assert!(fault.what.starts_with("file.jar is not what was expected"), "{fault}");
    assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true));
    fetch_with(&pinned(url), &dirs, &Silent, PATIENT).expect("the next attempt begins afresh");
}

/// A part left by an earlier run of something else must not poison this one.
#[test]
fn a_foreign_part_is_begun_again() {
    let folder = tempfile::tempdir().expect("folder");
    let dirs = dirs(folder.path());
    fs::write(dirs::downloads(&dirs).join("file.jar.part"), "something else").expect("part");
    let (url, requests) = serve(vec![Answer::Honest, Answer::Honest]);
    fetch_with(&pinned(url), &dirs, &Silent, PATIENT).expect("fetched");
    assert_eq!(requests.try_iter().collect::<Vec<_>>(), ["bytes=14-", "/file.jar"]);
}

#[test]
fn an_unpinned_file_needs_the_registrys_word() {
    let folder = tempfile::tempdir().expect("folder");
    let (url, requests) = serve(vec![Answer::Status(404), Answer::Status(404)]);
    let artifact = Artifact { trust: Trust::Registry, ..pinned(url) };
    let fault = fetch_with(&artifact, &dirs(folder.path()), &Silent, PATIENT).expect_err("no checksum");
    assert!(fault.what.contains("publishes no checksum"));
    assert_eq!(requests.try_iter().collect::<Vec<_>>(), ["/file.jar.sha256", "/file.jar.sha1"]);
}

#[test]
fn an_interrupt_ends_it_and_progress_is_told() {
    struct StopAtFirst(Interrupt, Arc<Mutex<Vec<u64>>>);
    impl Progress for StopAtFirst {
        fn update(&self, update: Update<'_>) {
            if let Update::Part { done, .. } = update {
                self.1.lock().expect("told").push(done);
                self.0.set();
            }
        }
    }
    let folder = tempfile::tempdir().expect("folder");
    let dirs = dirs(folder.path());
    let told = Arc::new(Mutex::new(Vec::new()));
    let (url, _requests) = serve(vec![Answer::Honest]);
    let watcher = StopAtFirst(dirs.interrupt.clone(), Arc::clone(&told));
    let fault = fetch_with(&pinned(url), &dirs, &watcher, PATIENT).expect_err("interrupted");
    assert_eq!(fault.exit_code(), 130);
    assert_eq!(told.lock().expect("told").len(), 1);
}
