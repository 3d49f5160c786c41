//! Tables of the Small Datum archive, in its layout.

use super::*;

/// (build, rate) of each repetition.
fn builds(found: &Found) -> Vec<(String, f64)> {
    let named = |one: &crate::found::Repetition| one.subject.clone().expect("named").release;
    found.repetitions.iter().map(named).zip(rates(found).into_iter().map(|row| row.2)).collect()
}

/// What a run used up for an operation.
fn for_one(one: &crate::found::Repetition, name: &str) -> f64 {
    let reading = one.readings.iter().find(|reading| reading.name == name).expect(name);
    reading.value as f64 / one.operations as f64
}

#[test]
fn tables_of_the_archive_are_read() {
    let relative = "Relative to: x.old\ncol-1 : x.new\ncol-2 : x.newer\n\ncol-1\tcol-2\n0.66\t0.65\thot-points_range=100\n";
    let chosen = recognise(relative.as_bytes()).expect("one").expect("one");
    let found = read(chosen, relative.as_bytes()).expect("read");
    let rows: Vec<(String, f64)> = found
        .repetitions
        .iter()
        .zip(rates(&found))
        .map(|(one, row)| (one.subject.clone().expect("named").release, row.2))
        .collect();
    assert_eq!(rows.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), ["x.old", "x.new", "x.newer"]);
    assert!(near(rows[0].1, 1.0) && near(rows[1].1, 0.66) && near(rows[2].1, 0.65), "{rows:?}");
    let absolute = "col-1 : x.old\ncol-2 : x.new\n\ncol-1\tcol-2\n4527\t2979\thot-points\nodd line\n";
    let found = read(&relative_qps::RelativeQps, absolute.as_bytes()).expect("read");
    assert!(near(rates(&found)[1].2, 2979.0) && found.unread.count == 1);
}

/// A step of writes and one of queries, in both forms that the archive has.
pub(super) const STEP: &str = "ips\tqps\trps\trmbps\twps\twmbps\trpq\trkbpq\twpi\twkbpi\tcsps\tcpups\tcspq\tcpupq\tdbgb1\tdbgb2\trss\tmaxop\tp50\tp99\ttag\n\
    50000\t0\t0\t0.0\t40.0\t15.0\t0.000\t0.000\t0.001\t0.300\t5000\t40.0\t0.100\t20\t1.0\t2.0\t1.1\t0.250\t50100\t48000\tpg12.x10a\n-\n\
    40000\t0\t0\t0.0\t40.0\t15.0\t0.000\t0.000\t0.001\t0.330\t5200\t40.0\t0.130\t25\t1.0\t2.0\t1.1\t0.500\t40100\t38000\tpg18.x10b\n";

#[test]
fn lines_of_a_step_have_rates_and_what_an_operation_costs() {
    let chosen = recognise(STEP.as_bytes()).expect("one").expect("one");
    let found = read(chosen, STEP.as_bytes()).expect("read");
    assert_eq!(builds(&found), [("pg12.x10a".to_owned(), 50_000.0), ("pg18.x10b".to_owned(), 40_000.0)]);
    assert_eq!((chosen.name(), found.unread.count), ("insert-summary", 0), "{:?}", found.unread);
    let [old, new] = &found.repetitions[..] else { panic!("two builds") };
    assert_eq!(
        [old, new].map(|one| one.subject.as_ref().map(|named| named.is_base)),
        [Some(true), Some(false)]
    );
    for (name, costs) in
        [("all_cpu_us", [20.0, 25.0]), ("host_switch_count", [0.1, 0.13]), ("device_write_kib", [0.3, 0.33])]
    {
        assert_eq!([for_one(old, name), for_one(new, name)], costs, "{name}");
    }
    assert_eq!(
        new.readings.last().map(|reading| (reading.name, reading.value)),
        Some(("latency_us_max", 500_000))
    );
}

/// Of queries beside writers the rate is that of queries, and only what is written is counted for a row.
#[test]
fn lines_of_queries_beside_writers_count_queries() {
    let text = "ips qps rps rkbps wkbps rpq rkbpq wkbpi csps cpups cspq cpupq dbgb1 dbgb2 rss maxop p50 p99 tag\n\
        100 2000 0 0 25 0.000 0.500 0.250 12472 5.2 4.000 260 3.5 6.1 3.3 0.001 3165 3117 old.a\nno line\n";
    let chosen = recognise(text.as_bytes()).expect("one").expect("one");
    let found = read(chosen, text.as_bytes()).expect("read");
    assert_eq!((builds(&found), found.unread.count), (vec![("old.a".to_owned(), 2000.0)], 1));
    let one = &found.repetitions[0];
    assert_eq!((one.operation, for_one(one, "device_read_kib")), ("one query", 0.5));
    // 25 KiB in a second of 100 rows and 2000 queries.
    assert_eq!(for_one(one, "device_write_kib"), 25.0 / 2000.0);
}

/// Two tests; the ratios under them say nothing new.
pub(super) const METRICS: &str = "sb.met.hot-points.range100.pk1.dop1\n--- absolute\ncpu/o\tcs/o\tr/o\trKB/o\twKB/o\to/s\tdbms\n\
    0.0002\t4.000\t0\t0.500\t0.25\t5000\tx.old.pk1\n0.0001\t4.100\t0\t0\t0.25\t10000\tx.new.pk1\n\
    --- relative to first result\n0.50\t1.02\t1\t0\t1\t2.00\tx.new.pk1\n\n\
    sb.met.scan.range100.pk1.dop8\n--- absolute\ncpu/o\tcs/o\tr/o\trKB/o\twKB/o\to/s\tdbms\n\
    0.01\t1\t0\t0\t0\t900\tx.old.pk1\n0.01\t1\t0\t0\t0\t800\tx.new.pk1\n--- relative to first result\n1\t1\t1\t1\t1\t0.89\tx.new.pk1\n\n";

#[test]
fn tables_of_metrics_have_costs_by_test_and_build() {
    let chosen = recognise(METRICS.as_bytes()).expect("one").expect("one");
    let found = read(chosen, METRICS.as_bytes()).expect("read");
    assert_eq!((chosen.name(), found.unread.first.clone()), ("sysbench-metrics", None));
    let tests: Vec<_> = found.repetitions.iter().map(|one| (one.test.as_deref(), one.clients)).collect();
    let of = |name, clients| [(Some(name), Some(clients)); 2];
    assert_eq!(tests, [of("hot-points_range=100", 1), of("scan_range=100", 8)].concat());
    assert_eq!(builds(&found)[1], ("x.new.pk1".to_owned(), 10_000.0));
    let old = &found.repetitions[0];
    assert_eq!((for_one(old, "cpu_by_processors_us"), for_one(old, "host_switch_count")), (2.0, 4.0));
    assert_eq!((for_one(old, "device_read_kib"), for_one(old, "device_reads")), (0.5, 0.0));
}

#[test]
fn what_is_no_line_of_a_table_is_counted() {
    let odd = METRICS.replace("--- relative", "odd line\n--- relative") + "sb.met.lost\nsb.met.lost.too\n";
    let found = read(&sysbench_metrics::SysbenchMetrics, odd.as_bytes()).expect("read");
    assert_eq!((found.repetitions.len(), found.unread.count), (4, 4), "{:?}", found.unread);
}
