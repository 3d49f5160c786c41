//! Merging as a property: in any order and grouping, with shards of several hosts that are there twice, measured again, cut off or
//! changed, the bytes of `summary.json` are the same.

use std::fs;

use humdrum_model::Results;
use humdrum_record::Store;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Humdrum, text_of};

/// Shards of the plan.
const OF: u32 = 6;

/// Hosts with their processors, and by how much a slice of the second subject is longer on them: three kinds, one of them with two hosts.
const HOSTS: [(&str, &str, f64); 4] = [
    ("a", "AMD EPYC 7763 64-Core Processor", 1.0),
    ("b", "AMD EPYC 7763 64-Core Processor", 1.004),
    ("c", "AMD EPYC 9R14", 0.98),
    ("d", "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", 1.02),
];

/// A record of a shard: its number, its host, and what happened to it.
#[derive(Clone, Copy, Debug)]
struct Record {
    number: u32,
    host: usize,
    fate: Fate,
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Whole,
    MeasuredAgain,
    CutOff,
    Changed,
    WrongClock,
}

/// One merge on the way: so many of the folders that are there, counted from a place, become one. They stay or go.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: usize,
    count: usize,
    stay: bool,
}

fn record() -> impl Strategy<Value = Record> {
    let fate = prop_oneof![
        3 => Just(Fate::Whole),
        1 => Just(Fate::MeasuredAgain),
        1 => Just(Fate::CutOff),
        1 => Just(Fate::Changed),
        1 => Just(Fate::WrongClock),
    ];
    (1..=OF, 0..HOSTS.len(), fate).prop_map(|(number, host, fate)| Record { number, host, fate })
}

/// Records of two hosts at least, in the order in which they are merged at once; the same in another order; and steps to merge those.
fn cases() -> impl Strategy<Value = (Vec<Record>, Vec<usize>, Vec<Step>)> {
    let step = (0_usize..8, 1_usize..5, any::<bool>());
    let step = step.prop_map(|(from, count, stay)| Step { from, count, stay });
    let several = prop::collection::vec(record(), 1..6).prop_map(|further| {
        let of = |number, host| Record { number, host, fate: Fate::Whole };
        [vec![of(1, 0), of(2, 2)], further].concat()
    });
    several.prop_flat_map(move |records| {
        let places: Vec<usize> = (0..records.len()).collect();
        (Just(records), Just(places).prop_shuffle(), prop::collection::vec(step.clone(), 0..4))
    })
}

/// All shards of a comparison on the fake engine, which has no servers, as one host measured them.
fn measured() -> Vec<Results> {
    let humdrum = Humdrum::new();
    let noise = "+noise=5%+session_noise=0.3%";
    let subjects = [format!("a=fake@1.0{noise}"), format!("b=fake@1.0{noise}+slowdown=2%")];
    let one = |number: u32| {
        let (out, part) = (format!("s{number}"), format!("{number}/{OF}"));
        let plan = ["--tests", "scan,point-query", "--scale", "tiny", "--sessions", "18", "--budget", "60s"];
        let args = [&[&*subjects[0], &*subjects[1]], &plan[..], &["--shard", &part]].concat();
        let (code, _, complaint) = humdrum.compare(&out, &args);
        assert!(matches!(code, 0 | 1), "{complaint}");
        humdrum.results(&out)
    };
    (1..=OF).map(one).collect()
}

/// The record as a shard that this host measured.
fn changed(shards: &[Results], Record { number, host, fate }: Record) -> Results {
    let mut results = shards[number as usize - 1].clone();
    let (id, processor, longer) = HOSTS[host];
    (results.host.id, results.host.cpu_model) = (Some(id.to_owned()), processor.to_owned());
    results.started = format!("2026-01-0{number}T00:00:00Z");
    let longer = match fate {
        Fate::MeasuredAgain => longer * 1.001,
        _ => longer,
    };
    let second = results.blocks.iter_mut().flat_map(|block| &mut block.slices);
    for slice in second.filter(|slice| slice.subject == 1) {
        slice.wall_ns = (slice.wall_ns as f64 * longer) as u64;
    }
    match fate {
        Fate::Whole => {}
        Fate::MeasuredAgain => results.started = format!("2026-02-0{number}T00:00:00Z"),
        Fate::CutOff => {
            results.finished = false;
            results.blocks.truncate(results.blocks.len() * 2 / 3);
            results.latencies.clear();
        }
        Fate::Changed => results.blocks[0].slices[0].wall_ns += 1,
        Fate::WrongClock => results.started = "1970-01-01T00:00:00Z".into(),
    }
    results
}

/// Merges these folders, in this order.
fn merge(at: &Humdrum, folders: &[String], out: &str, more: &[&str]) -> Option<i32> {
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let output = at.run(&[&["merge"], &folders[..], &["-o", out, "--quiet"], more].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{folders:?}: {}", text_of(&output.stderr));
    output.status.code()
}

/// Goes these steps, each of which puts some of the folders together, and then puts together what there is.
fn merge_in_steps(at: &Humdrum, mut folders: Vec<String>, steps: &[Step]) -> Option<i32> {
    for (Step { from, count, stay }, turn) in steps.iter().zip(1..) {
        let end = folders.len();
        folders.rotate_left(from % end);
        let some = folders[..*count.min(&end)].to_vec();
        let out = format!("step-{turn}");
        merge(at, &some, &out, &["--no-report"]);
        if !stay {
            folders.drain(..some.len());
        }
        folders.push(out);
    }
    merge(at, &folders, "in-steps", &[])
}

fn bytes(at: &Humdrum, out: &str) -> String {
    fs::read_to_string(at.path(out).join("summary.json")).expect("a summary")
}

#[test]
fn in_any_order_and_grouping_the_bytes_of_a_summary_are_the_same() {
    let shards = measured();
    // Each case is several calls of the program, and so is each attempt to make a failing one smaller.
    let wanted = std::env::var("HUMDRUM_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases_tried = wanted.unwrap_or(8);
    let config =
        Config { cases: cases_tried, max_shrink_iters: 64, failure_persistence: None, ..Config::default() };
    let tried = TestRunner::new(config).run(&cases(), |(records, order, steps)| {
        let at = Humdrum::new();
        let folders: Vec<String> = (0..records.len()).map(|place| format!("r{place}")).collect();
        for (folder, record) in folders.iter().zip(&records) {
            fs::create_dir(at.path(folder)).expect("made");
            let file = at.path(folder).join("results.sqlite");
            drop(Store::create(&file, &changed(&shards, *record)).expect("written"));
        }
        let at_once = merge(&at, &folders, "at-once", &[]);
        let mixed = order.iter().map(|place| folders[*place].clone()).collect();
        let in_steps = merge_in_steps(&at, mixed, &steps);
        prop_assert_eq!(at_once, in_steps);
        prop_assert!(bytes(&at, "at-once") == bytes(&at, "in-steps"), "other bytes");
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));
}

/// The property would hold of summaries that say nothing: these tell of several hosts, and of what became of the shards.
#[test]
fn summaries_of_the_property_are_of_several_hosts() {
    let shards = measured();
    let at = Humdrum::new();
    let all = [Fate::Whole, Fate::MeasuredAgain, Fate::CutOff, Fate::WrongClock];
    let records = (1..).zip(all).map(|(number, fate)| Record { number, host: number as usize - 1, fate });
    let mut folders = Vec::new();
    for record in records.chain([Record { number: 1, host: 0, fate: Fate::Changed }]) {
        let folder = format!("r{}", folders.len());
        fs::create_dir(at.path(&folder)).expect("made");
        let file = at.path(&folder).join("results.sqlite");
        drop(Store::create(&file, &changed(&shards, record)).expect("written"));
        folders.push(folder);
    }
    merge(&at, &folders, "all", &[]);
    let summary = at.summary("all");
    let told = summary["warnings"].to_string();
    for expected in [
        "shard 3 did not come to its end",
        "the clock of its host was wrong",
        "2 records of the measurement begun at 2026-01-01",
        "4 of 6 shards are here; missing: 5, 6",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert_eq!(summary["comparisons"][0]["tests"][0]["reach"]["over_hosts"], true, "{summary:#}");
}
