//! `--memory` on real servers: each engine at its least, and servers that take turns, of which one that stands still keeps its share to
//! itself.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use common::cgroups::{limit, of_run, used, used_max};
use common::processes::{is_alive, is_stopped};
use common::{Humdrum, alone, field, text_of, words};
use humdrum_contract::Sizing;
use humdrum_model::{DEVICE, Results, memory_text};

const LIMIT: u64 = 256 << 20;
/// A row takes some 250 bytes with its indexes: two servers' memory would hold all of a table, and one's does not.
/// Only in tests that write are servers stopped that have no turn.
const DATA: &str =
    "--memory 256M --scale rows=1500000 --tests update-index --sessions 4 --on-busy warn --quiet";
/// The reads of an operation may differ by so much between both ways to run: sessions differ by some percent. A neighbour's
/// memory would save almost all of them.
const TOLERANCE: f64 = 0.25;
/// The kernel charges single pages beyond a limit where it cannot wait for others to be freed.
const BEYOND: f64 = 1.01;

/// What was seen of a run's servers at moments at which another one stood still.
#[derive(Debug, Default)]
struct Seen {
    moments: usize,
    /// The most bytes that each cgroup was seen to use, and those that the kernel says that it ever used.
    used: BTreeMap<PathBuf, [u64; 2]>,
}

impl Seen {
    /// Looks at the servers of a run once.
    fn look(&mut self, run: u32) {
        let servers = of_run(run);
        for folder in servers.keys() {
            let stands_still = |pids: &Vec<u32>| pids.iter().any(|pid| is_stopped(*pid));
            let mut others = servers.iter().filter(|(other, _)| *other != folder);
            let Some(bytes) = used(folder).filter(|_| others.any(|(_, pids)| stands_still(pids))) else {
                continue;
            };
            // One that has just ended has no limit any more.
            assert!(limit(folder).is_none_or(|limit| limit == LIMIT), "{}", folder.display());
            self.moments += 1;
            let most = self.used.entry(folder.clone()).or_default();
            *most = [most[0].max(bytes), most[1].max(used_max(folder).unwrap_or(bytes))];
        }
    }
}

/// Compares two releases on data that fit into two servers' memory and not into one's, and looks at the servers meanwhile.
/// `None` where this host lets nobody limit memory.
fn measured(lab: &Humdrum, out: &str, more: &str) -> Option<Seen> {
    let subjects = ["compare", "postgres@16.11", "postgres@17.7", "--out", out];
    let args = [&subjects[..], &words(DATA)[..], &words(more)[..]].concat();
    let child = lab.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("humdrum starts");
    let mut seen = Seen::default();
    while is_alive(child.id()) {
        seen.look(child.id());
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("ends");
    let complaint = text_of(&output.stderr);
    if complaint.contains("needs a control group") {
        return None;
    }
    assert!(matches!(output.status.code(), Some(0 | 1)), "{complaint}");
    Some(seen)
}

/// Reads of the device for an operation of each side; `None` where the data are on no device.
fn reads(lab: &Humdrum, out: &str) -> Option<[f64; 2]> {
    let cost = field(&lab.summary(out), "cost").remove(0).1;
    (!cost["r_o"].is_null())
        .then(|| ["base", "subject"].map(|side| cost["r_o"][side].as_f64().expect("reads of the device")))
}

#[test]
#[ignore = "slow: two runs of minutes"]
fn a_neighbour_that_stands_still_lends_none_of_its_memory() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let Some(seen) = measured(&lab, "turns", "--budget 100s") else { return };
    assert!(seen.moments >= 20 && seen.used.len() >= 2, "{seen:#?}");
    let most = (LIMIT as f64 * BEYOND) as u64;
    assert!(seen.used.values().flatten().all(|bytes| *bytes <= most), "{seen:#?}");
    // The limit is one that they reach: otherwise nothing would be proven.
    let reached = seen.used.values().filter(|[used, _]| *used > LIMIT / 10 * 9);
    assert!(reached.count() >= 2, "{seen:#?}");
    // A server that has the host to itself has no neighbour to borrow from.
    let apart = measured(&lab, "apart", "--mode sequential --budget 4m").expect("a host that limits memory");
    assert_eq!(apart.moments, 0, "{apart:#?}");
    let (Some(turns), Some(apart)) = (reads(&lab, "turns"), reads(&lab, "apart")) else { return };
    for (turns, apart) in turns.into_iter().zip(apart) {
        assert!(
            apart > 0.05 && (turns / apart - 1.0).abs() < TOLERANCE,
            "r/o {turns} beside it, {apart} alone"
        );
    }
}

/// Reads of the device for each miss of the engine's cache, in the operations of a subject that were examined; `None` where the
/// data are on no device.
fn reads_of_a_miss(results: &Results, subject: usize, misses: &str) -> Option<f64> {
    let examined = || results.examinations.iter().filter(|one| one.subject == subject);
    let sum = |name: &str| {
        let found = examined().flat_map(|one| &one.counters).filter(|counter| counter.name == name);
        found.map(|counter| counter.delta).sum::<f64>()
    };
    let operations: u64 = examined().map(|one| one.operations).sum();
    let missed = sum(misses);
    assert!(missed > operations as f64 / 10.0, "{missed} {misses} in {operations} operations");
    let is_read = examined().any(|one| one.counters.iter().any(|counter| counter.name == DEVICE[0]));
    is_read.then(|| sum(DEVICE[0]) / missed)
}

/// Each engine at the least memory that it states, with data that do not fit its cache. What its cache lacks is read from the
/// device, but for what the rest of the limit caches.
#[test]
#[ignore = "slow: a load of every engine"]
fn a_server_lives_within_the_least_memory_of_its_engine() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let point_query = "--tests point-query --scale rows=1500000";
    let pages = "Innodb_buffer_pool_reads";
    let pairs = [
        ("mariadb", ["mariadb@10.11.19", "mariadb@11.8.9"], point_query, pages),
        ("mysql", ["mysql@8.0.33", "mysql@9.7"], point_query, pages),
        ("postgres", ["postgres@16.11", "postgres@17.7"], point_query, "pg_stat_database.blks_read"),
        (
            "rocksdb",
            ["rocksdb@10.2.1+iodir", "rocksdb@10.10.1+iodir"],
            "--suite kv --tests readrandom --scale rows=1M",
            "block.cache.miss",
        ),
    ];
    let engines = humdrum_engines::table();
    for (name, [base, subject], what, misses) in pairs {
        let engine = engines.iter().find(|engine| engine.name() == name).expect("an engine");
        let least = memory_text(engine.least_memory(1 + Sizing::OWN_CONNECTIONS));
        let more = format!("--memory {least} {what} --sessions 4 --budget 100s --on-busy warn");
        let (code, summary, complaint) = lab.compare(name, &[&[base, subject], &words(&more)[..]].concat());
        if complaint.contains("needs a control group") {
            return;
        }
        assert!(matches!(code, 0 | 1), "{more}: {complaint}{summary:#}");
        let test = field(&summary, "status").remove(0).0;
        lab.exits(0, &["explain", name, &test, "--examine", "--quiet"]);
        let results = lab.results(name);
        let killed = results.events.iter().any(|event| event.what.contains("out of its memory limit"));
        assert!(!killed, "{:#?}", results.events);
        for subject in 0..2 {
            let reads = reads_of_a_miss(&results, subject, misses);
            assert!(
                reads.is_none_or(|reads| (0.8..1.05).contains(&reads)),
                "{name}: {reads:?} reads for a miss"
            );
        }
    }
}
