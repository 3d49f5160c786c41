//! What each reader finds in files that the real tools wrote.

mod any_bytes;
mod archive;

use std::path::Path;

use super::*;
use crate::found::{Found, Options};
use crate::lines::Lines;
use crate::recognise::recognise;

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(name)).expect(name)
}

fn read(reader: &dyn Reader, bytes: &[u8]) -> Result<Found, Fault> {
    let mut input = bytes;
    let mut watch = |_| Ok(());
    let mut found = Found::default();
    let mut lines = Lines::new(&mut input, &mut watch);
    reader.read(&mut lines, &Options::default(), &mut found)?;
    Ok(found)
}

/// What the reader of that name finds in a fixture, which it alone recognises; no line is left over.
fn fixture(reader: &str, name: &str) -> Found {
    let bytes = bytes(name);
    let chosen = recognise(&bytes).expect(name).expect(name);
    assert_eq!(chosen.name(), reader, "{name}");
    let found = read(chosen, &bytes).expect(name);
    assert_eq!(found.unread.first, None, "{name}");
    found
}

/// (test, operations, operations per second).
fn rates(found: &Found) -> Vec<(&str, u64, f64)> {
    let rate = |one: &crate::found::Repetition| one.operations as f64 * 1e9 / one.wall_ns as f64;
    let row = |one| (one, rate(one));
    let rows = found.repetitions.iter().map(row);
    rows.map(|(one, rate)| (one.test.as_deref().unwrap_or(""), one.operations, rate)).collect()
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-4
}

fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).expect("text")
}

/// The number after a word of a file.
fn printed(text: &str, before: &str) -> f64 {
    let (_, rest) = text.split_once(before).expect(before);
    crate::number::leading(rest).expect("a number")
}

#[test]
fn sysbench_counts_queries_over_the_total_time() {
    let name = "sysbench/plain/oltp_read_only.run1.log";
    let (found, text) = (fixture("sysbench", name), text(name));
    let [(test, operations, rate)] = rates(&found)[..] else { panic!("one run") };
    let per_second = printed(&text[text.find("queries:    ").expect("queries")..], "(");
    assert_eq!((test, operations as f64), ("", printed(&text, "total:")));
    // The tool divides by a time with more digits than it prints.
    assert!((rate / per_second - 1.0).abs() < 1e-3, "{rate} {per_second}");
    let one = &found.repetitions[0];
    assert_eq!((one.operation, one.clients, one.course.points().len()), ("one query", Some(1), 2));
    assert_eq!(one.course.points()[0].rate, printed(&text, " qps: "));
    let names: Vec<&str> = one.readings.iter().map(|reading| reading.name).collect();
    assert_eq!(names, ["latency_us_avg", "latency_us_max", "latency_us_p99"]);
    assert_eq!(found.tool.as_deref(), Some("sysbench 1.0.20"));
}

#[test]
fn sysbench_without_sql_counts_events() {
    for (name, operation) in [("cpu", "one event"), ("memory", "one event"), ("read_write", "one query")] {
        let found = fixture("sysbench", &format!("sysbench/{name}.log"));
        assert_eq!(found.repetitions.len(), 1, "{name}");
        assert_eq!(found.repetitions[0].operation, operation, "{name}");
    }
}

#[test]
fn sysbench_has_a_histogram_where_it_was_asked_for() {
    let found = fixture("sysbench", "sysbench/histogram.log");
    let one = &found.repetitions[0];
    let events = printed(&text("sysbench/histogram.log"), "total number of events:");
    let counted: u64 = one.latency.values().sum();
    assert!((counted as f64 / events - 1.0).abs() < 0.01, "{counted} {events}");
    assert_eq!(one.clients, Some(2));
}

#[test]
fn a_run_of_sysbench_that_failed_is_a_remark() {
    let found = fixture("sysbench", "sysbench/refused.log");
    assert!(found.repetitions.is_empty());
    assert!(
        found.remarks[0].contains("no result: FATAL: Connection to database failed"),
        "{:?}",
        found.remarks
    );
}

/// The end of an output of 1.1, which prints events per second apart.
#[test]
fn sysbench_1_1_is_read() {
    let text = "sysbench 1.1.0-faaff4f (using bundled LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\n\
        Number of threads: 4\nTarget transaction rate: 100/sec\n\nThreads started!\n\n\
        SQL statistics:\n    queries performed:\n        read:  100\n        total:  160\n    transactions:  10 (5.00 per sec.)\n    \
        queries:  160 (80.00 per sec.)\n\nThroughput:\n    events/s (eps):   5.0000\n    time elapsed:   2.0000s\n    \
        total number of events:  10\n\nLatency (ms):\n         min:   0.04\n         95th percentile:  0.05\n";
    let found = read(&sysbench::Sysbench, text.as_bytes()).expect("read");
    assert_eq!(rates(&found), [("", 160, 80.0)]);
    assert_eq!(found.repetitions[0].conditions.get("target rate").map(String::as_str), Some("100"));
    assert_eq!(found.unread.count, 0, "{:?}", found.unread);
}

#[test]
fn runs_that_follow_each_other_in_a_file_are_repetitions() {
    let one = bytes("sysbench/plain/oltp_read_only.run1.log");
    let all = [&one[..], b"=== next ===\n", &bytes("sysbench/refused.log"), &one].concat();
    let found = read(&sysbench::Sysbench, &all).expect("read");
    assert_eq!(found.repetitions.len(), 2);
    assert_eq!(found.repetitions[0], found.repetitions[1]);
    assert_eq!((found.unread.count, found.remarks.len()), (1, 1), "{:?}", found.unread);
    let one = bytes("pgbench/select_only.1.log");
    let found = read(&pgbench::Pgbench, &[&one[..], &one].concat()).expect("read");
    assert_eq!(found.repetitions.len(), 2);
}

#[test]
fn pgbench_has_its_last_rate() {
    for (name, test, clients, points) in [
        ("select_only.1", "select only", 1, 3),
        ("select_only.2", "select only", 1, 3),
        ("tpcb", "TPC-B (sort of)", 2, 0),
        ("tpcb.500", "TPC-B (sort of)", 1, 0),
        ("mixed", "", 1, 0),
    ] {
        let name = format!("pgbench/{name}.log");
        let (found, text) = (fixture("pgbench", &name), text(&name));
        let [(own, operations, rate)] = rates(&found)[..] else { panic!("one run") };
        assert_eq!((own, operations as f64), (test, printed(&text, "actually processed: ")), "{name}");
        assert!(near(rate, printed(&text, "\ntps = ")), "{name}: {rate}");
        let one = &found.repetitions[0];
        assert_eq!((one.clients, one.course.points().len()), (Some(clients), points), "{name}");
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
    let prepared = fixture("pgbench", "pgbench/select_only.2.log");
    assert_eq!(prepared.repetitions[0].conditions.get("query mode").map(String::as_str), Some("prepared"));
}

#[test]
fn logs_of_pgbench_give_rate_and_latencies() {
    let found = fixture("pgbench-log", "pgbench/transactions.log");
    let one = &found.repetitions[0];
    assert_eq!((one.operations, one.latency.values().sum::<u64>()), (600, 600));
    assert!(one.span.is_some_and(|(from, to)| to > from));
    let found = fixture("pgbench-log", "pgbench/aggregated.log");
    // The last of three intervals was cut off by the end of the run.
    assert_eq!(rates(&found), [("", 31425 + 34478, (31425.0 + 34478.0) / 2.0)]);
}

#[test]
fn db_bench_has_a_repetition_a_line() {
    let found = fixture("db_bench", "db_bench/plain.log");
    let rows = rates(&found);
    let names: Vec<&str> = rows.iter().map(|(test, ..)| *test).collect();
    assert_eq!(names, ["fillseq", "readrandom", "readrandom"]);
    assert!(near(rows[1].2, 939_672.0) && rows[1].1 == 20_000, "{rows:?}");
}

#[test]
fn db_bench_has_histograms_and_intervals() {
    let found = fixture("db_bench", "db_bench/intervals.log");
    let [read, seek] = &found.repetitions[..] else { panic!("two tests") };
    assert_eq!((read.test.as_deref(), seek.test.as_deref()), (Some("readrandom"), Some("seekrandom")));
    assert_eq!(read.latency.values().sum::<u64>(), read.operations);
    assert_eq!(read.readings[0].value, 2);
    // Two seconds, the rates of two threads added.
    assert_eq!(seek.course.points().len(), 2, "{:?}", seek.course);
    assert!(read.course.points().iter().all(|point| point.rate > 500_000.0), "{:?}", read.course);
}

#[test]
fn older_db_bench_has_rates_alone() {
    let text = "readrandom   :       2.711 micros/op 368000 ops/sec;   40.8 MB/s (20000 of 20000 found)\n";
    let found = read(&db_bench::DbBench, text.as_bytes()).expect("read");
    assert!(near(rates(&found)[0].2, 368_000.0), "{:?}", rates(&found));
}

#[test]
fn json_has_a_repetition_a_time() {
    let found = fixture("hyperfine", "hyperfine/two.json");
    let rows = rates(&found);
    assert_eq!((rows.len(), rows[0].0, rows[9].0), (10, "sleep 0.01", "sleep 0.02"));
    let found = fixture("google-benchmark", "google-benchmark/repeated.json");
    let names: Vec<&str> = rates(&found).iter().map(|(test, ..)| *test).collect();
    assert_eq!(names, [["plain"; 4], ["sized/100"; 4], ["sized/10000"; 4]].concat());
    assert!(found.remarks.iter().any(|what| what.contains("asked to fail")), "{:?}", found.remarks);
    assert_eq!(fixture("google-benchmark", "google-benchmark/single.json").repetitions.len(), 3);
}

#[test]
fn hammerdb_counts_new_orders_a_minute() {
    let text = "Vuser 1:Test complete, Taking end Transaction Count.\nVuser 1:4 Active Virtual Users configured\n\
        Vuser 1:TEST RESULT : System achieved 96747 NOPM from 224827 MariaDB TPM\n\
        Vuser 1:TEST RESULT : System achieved 199434 SQL Server TPM at 43378 NOPM\nVuser 2:FINISHED SUCCESS\n";
    let chosen = recognise(text.as_bytes()).expect("one").expect("one");
    let found = read(chosen, text.as_bytes()).expect("read");
    assert_eq!(rates(&found), [("new-orders", 96747, 1612.45), ("new-orders", 43378, 43378.0 / 60.0)]);
    let tpm: Vec<i64> = found.repetitions.iter().map(|one| one.readings[0].value).collect();
    assert_eq!((tpm, found.repetitions[0].clients), (vec![224_827, 199_434], Some(4)));
    assert_eq!(found.unread.count, 0);
}

/// Columns and rows as the client prints them.
const INSERTS: &str = "i_sec\tt_sec\ti_ips\tt_ips\ti_dps\tt_dps\ti_qps\tt_qps\tmax_i\tmax_d\tmax_q\tt_ins\tt_del\tt_query\n\
    1.0\t1.0\t90\t90\t0\t0\t500\t500\t9\t0\t8\t90\t0\t500\n1.0\t2.0\t110\t100\t0\t0\t700\t600\t9\t0\t8\t200\t0\t1200\n\
    Insert rt: 1 2 3\nTotals: 2.0 secs, 100.0 rows/sec, 200 rows, 0 0 0 insert-delete-query retry\nDone\n";

#[test]
fn the_insert_benchmark_counts_queries_else_rows() {
    let chosen = recognise(INSERTS.as_bytes()).expect("one").expect("one");
    let found = read(chosen, INSERTS.as_bytes()).expect("read");
    assert_eq!((rates(&found), found.unread.count), (vec![("", 1200, 600.0)], 0));
    assert_eq!(found.repetitions[0].course.points()[1].rate, 700.0);
    let writes = INSERTS.replace("\t500\n", "\t0\n").replace("\t1200\n", "\t0\n");
    let found = read(chosen, writes.as_bytes()).expect("read");
    assert_eq!((rates(&found), found.repetitions[0].operation), (vec![("", 200, 100.0)], "one row"));
}

const TABLE_OF_FIGURES: &str = "engine\tbase\tsubject\ttest\tclients\tmetric\tvalue\n\
    e\t5.6\t8.0\tscan\t1\trqps\t0.67\ne\t5.6\t9.7\tscan\t1\trqps_change_pct\t-40\ne\t5.6\t8.0\tscan\t1\tcpu_per_op_ratio\t2\n";

#[test]
fn tables_have_relative_figures_and_leave_others_out() {
    let found = read(&tsv::Tsv, TABLE_OF_FIGURES.as_bytes()).expect("read");
    let rows = rates(&found);
    // The base has its own rate once.
    assert!(
        rows.len() == 3 && near(rows[0].2, 1.0) && near(rows[1].2, 0.67) && near(rows[2].2, 0.6),
        "{rows:?}"
    );
    assert_eq!(found.remarks, ["1 figures are no throughput (cpu_per_op_ratio): left out"]);
    let bases = format!("{TABLE_OF_FIGURES}e\t5.7\t8.0\tscan\t1\trqps\t0.67\n");
    let fault = read(&tsv::Tsv, bases.as_bytes()).expect_err("two bases");
    assert!(fault.what.contains("several bases, 5.6 and 5.7"), "{}", fault.what);
}
