//! A failure during a run of real libraries is a row that says what happened, and the other subjects go on.
//! Three releases run side by side; the tests damage the second one's worker or files while it works.

mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::processes::{everything, is_alive, send, stop};
use common::{Humdrum, SmallDisk, text_of};
use humdrum_contract::Interrupt;
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_record::Store;

const SUBJECTS: [&str; 3] =
    ["base=rocksdb@10.2.1+sixteenth", "hit=rocksdb@10.10.1+sixteenth", "other=rocksdb@10.10.1+sixteenth"];
const PATIENCE: Duration = Duration::from_secs(60);

/// A run that is under way.
struct Drill {
    lab: Humdrum,
    child: Child,
    /// The second subject's home.
    home: PathBuf,
}

impl Drill {
    fn new(tests: &str, scale: &str, configuration: &str) -> Self {
        let lab = Humdrum::with_shared_builds();
        let [base, hit, other] = SUBJECTS.map(|subject| format!("{subject}+{configuration}"));
        let subjects = ["compare", &base, &hit, &other, "--suite", "kv", "--tests", tests];
        let more = ["--scale", scale, "--sessions", "4", "--budget", "60s", "--out", "out", "--quiet"];
        let mut command = lab.command(&[&subjects[..], &more[..]].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("humdrum starts");
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
        // Run folders are named after their process.
        let home = dirs.runs.join(format!("{:x}-0", child.id())).join("s1");
        Self { lab, child, home }
    }

    fn wait_for(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !is_there(self) {
            if !is_alive(self.child.id()) {
                let mut complaint = String::new();
                self.child.stderr.take().expect("piped").read_to_string(&mut complaint).expect("text");
                panic!("the run ended before {what}: {complaint}");
            }
            assert!(began.elapsed() < PATIENCE, "{what} within {} s", PATIENCE.as_secs());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Blocks on record; none while the file is still being made.
    fn blocks(&self) -> usize {
        let store = Store::open(&self.lab.path("out/results.sqlite"));
        store.and_then(|store| store.read()).map_or(0, |results| results.blocks.len())
    }

    /// The subject's worker, by its store's folder in its environment.
    fn worker(&self) -> Option<u32> {
        let own = self.home.join("data").into_os_string().into_encoded_bytes();
        let serves = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry.ends_with(&own))
        };
        // The guardian has the same environment until it becomes what it guards; the worker is the youngest.
        everything().filter(serves).max()
    }

    /// Like `new`, with the second subject's home on a disk of its own, which has room as yet. `None` where one may not
    /// mount.
    fn new_on_a_disk(tests: &str, scale: &str, configuration: &str) -> Option<(Self, SmallDisk)> {
        // The lab makes a home and puts things into it a moment later, which has to be stopped in between.
        for _ in 0..10 {
            let drill = Self::new(tests, scale, configuration);
            let began = Instant::now();
            while !drill.home.exists() {
                assert!(began.elapsed() < PATIENCE, "no home in {}", drill.home.display());
            }
            stop(drill.child.id());
            let disk = is_empty(&drill.home).then(|| SmallDisk::mount_over(&drill.home, "size=256m"));
            send(drill.child.id(), libc::SIGCONT);
            match disk {
                Some(Some(disk)) => return Some((drill, disk)),
                Some(None) => {
                    drill.give_up();
                    return None;
                }
                None => drill.give_up(),
            }
        }
        panic!("the lab was never stopped in time")
    }

    /// Ends the run.
    fn give_up(mut self) {
        send(self.child.id(), libc::SIGINT);
        self.child.wait().expect("ends");
    }

    /// Waits for the end: exit code 3, the second subject's row says `what`, and the third one's is as ever.
    fn ends_with(self, test: &str, what: &[&str]) {
        let output = self.child.wait_with_output().expect("ends");
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{complaint}");
        let text = std::fs::read_to_string(self.lab.path("out/summary.json"))
            .unwrap_or_else(|_| panic!("no summary: {complaint}"));
        let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let of = |number: usize| {
            let tests = summary["comparisons"][number]["tests"].as_array().expect("tests");
            tests.iter().find(|one| one["test"] == test).expect("the test").clone()
        };
        let (hit, other) = (of(0), of(1));
        assert_eq!(hit["status"], "failed", "{hit:#}");
        let notes = hit["notes"].to_string();
        assert!(what.iter().any(|what| notes.contains(what)), "{notes}");
        assert!(matches!(other["status"].as_str(), Some("ok" | "not-steady")), "{other:#}");
        // The hit one failed in its first session; how many more fit into the budget is up to the host's disk.
        assert!(other["sessions"].as_u64() >= Some(2), "the others go on: {other:#}");
    }
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_worker_killed_while_it_writes() {
    let mut drill = Drill::new("overwrite", "rows=20k", "iodir");
    drill.wait_for("a first block", |drill| drill.blocks() > 4);
    let worker = drill.worker().expect("a worker");
    send(worker, libc::SIGKILL);
    drill.ends_with("overwrite", &["ended in the middle of its work", "has ended", "takes no connection"]);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_corrupted_table_file() {
    // Four times what the smallest block cache holds, and read past the kernel's.
    let mut drill = Drill::new("fwdrange", "rows=80k", "iodir");
    drill.wait_for("a first block", |drill| drill.blocks() > 4);
    let mut damaged = 0;
    for entry in std::fs::read_dir(drill.home.join("data/main")).expect("store").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "sst") {
            damaged += usize::from(damage(&path));
        }
    }
    assert!(damaged > 0, "there are table files");
    drill.ends_with("fwdrange", &["Corruption"]);
}

/// Changes a byte in each block, but for the end, where the file says what it is; in place, as a disk would.
fn damage(path: &Path) -> bool {
    use std::os::unix::fs::FileExt;
    let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open(path) else { return false };
    let length = file.metadata().map_or(0, |meta| meta.len());
    (0..length / 2).step_by(2048).for_each(|at| file.write_all_at(b"\xa5\x5a", at).expect("write"));
    true
}

/// Needs the right to mount; where there is none, says so.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_full_disk() {
    let Some((mut drill, disk)) = Drill::new_on_a_disk("overwrite", "rows=20k", "byrx") else {
        eprintln!("not tried: a small disk cannot be mounted here (not root)");
        return;
    };
    drill.wait_for("a first block", |drill| drill.blocks() > 4);
    let folder = drill.home.clone();
    // While nobody writes.
    let both = [drill.child.id(), drill.worker().expect("a worker")];
    both.iter().for_each(|process| stop(*process));
    disk.fill(64 << 10);
    both.iter().rev().for_each(|process| send(*process, libc::SIGCONT));
    drill.ends_with("overwrite", &["No space left on device"]);
    drop(disk);
    // The run could not take away what was mounted.
    let _ = std::fs::remove_dir_all(folder.parent().expect("a run folder"));
}

#[test]
fn a_library_that_lacks_a_function_or_is_none_is_refused_by_name() {
    let lab = Humdrum::with_shared_builds();
    let fetched = lab.command(&["fetch", "rocksdb@10.10.1", "--quiet"]).output().expect("humdrum starts");
    assert!(fetched.status.success(), "{}", text_of(&fetched.stderr));
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let library = dirs::builds(&dirs).join("rocksdb-10-10-1/librocksdbjni-linux64.so");
    let mut bytes = std::fs::read(library).expect("the library");
    let name = b"\0rocksdb_create_iterator\0";
    for at in 0..bytes.len() - name.len() {
        if bytes[at..].starts_with(name) {
            bytes[at + name.len() - 2] ^= 1;
        }
    }
    let (lacking, none) = (lab.path("lacking.so"), lab.path("none.so"));
    std::fs::write(&lacking, bytes).expect("written");
    std::fs::copy("/proc/self/exe", &none).expect("copied");
    for (library, what) in [(lacking, "lacks rocksdb_create_iterator"), (none, "cannot use")] {
        common::open_to_all(&library);
        let subject = format!("rocksdb@{}", library.display());
        let output = lab.command(&["compare", "rocksdb@10.10.1", &subject, "--suite", "kv"]).output();
        let output = output.expect("humdrum starts");
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(what) && complaint.contains("librocksdb.so"), "{complaint}");
    }
}

/// Before anything is fetched.
#[test]
fn sources_that_cannot_be_built_here_are_refused_with_what_to_do() {
    let lab = Humdrum::new();
    let cases = [
        ("rocksdb@src:crate#10.10.1", "this host lacks g++", "apt-get install "),
        ("rocksdb@src:crate#10.10.1+compiler=clang", "this host lacks clang++", "apt-get install "),
        ("rocksdb@src:crate#10.3.0", "no sources of rocksdb 10.3.0", "10.2.1, 10.4.2"),
        ("rocksdb@10.10.1+lto=on", "`lto` is for builds from sources", "leave it out"),
    ];
    for (subject, what, help) in cases {
        let output = lab.private(&["fetch", subject, "--quiet"]).env("PATH", lab.folder()).output();
        let output = output.expect("humdrum starts");
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(what) && complaint.contains(help), "{complaint}");
    }
}
