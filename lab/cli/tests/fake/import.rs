//! `humdrum import`: from a folder of old logs to a report in one command, and files that cannot be imported.

use std::path::Path;

use serde_json::Value;

use crate::common::{Humdrum, field, text_of, words};

/// Files that the tools themselves wrote.
fn fixtures() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/fixtures").display().to_string()
}

/// `FIX` stands for their folder.
fn typed(line: &str) -> Vec<String> {
    let fixtures = fixtures();
    words(line).into_iter().map(|word| word.replace("FIX", &fixtures)).collect()
}

fn import(humdrum: &Humdrum, line: &str) -> (i32, String, String) {
    let line = format!("import {line}");
    let typed = typed(&line);
    let output = humdrum.run(&typed.iter().map(String::as_str).collect::<Vec<_>>());
    (output.status.code().unwrap_or(-1), text_of(&output.stdout), text_of(&output.stderr))
}

const LOGS: &str = "FIX/sysbench/plain --subject postgres@15.18 FIX/sysbench/changed \
                    --subject changed=postgres@15.18+enable_bitmapscan=off -o out";

#[test]
fn a_folder_of_old_logs_becomes_a_report_in_one_command() {
    let humdrum = Humdrum::new();
    let (code, told, progress) = import(&humdrum, LOGS);
    assert_eq!(code, 0, "{progress}");
    assert!(progress.contains("postgres@15.18: 2 tests, 3 repetitions each"), "{progress}");
    for part in [
        "imported: others measured this",
        "intervals are between repetitions",
        "imported by the readers sysbench",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&told).contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("--budget"), "nothing of imported results can be measured again\n{told}");
    let summary = humdrum.summary("out");
    let tests: Vec<String> = field(&summary, "test").into_iter().map(|(test, _)| test).collect();
    assert_eq!(tests, ["oltp_point_select", "oltp_read_only"]);
    assert!(field(&summary, "ci95").iter().all(|(_, ci95)| ci95.is_array()), "{summary:#}");
    assert!(field(&summary, "sessions").iter().all(|(_, sessions)| *sessions == 3));
    assert!(field(&summary, "latency_us").iter().all(|(_, latency)| latency.is_null()));
    assert_eq!(summary["imported"]["files"].as_array().map(Vec::len), Some(12));
    assert!(field(&summary, "cost").iter().all(|(_, cost)| cost["latency_us_avg"]["unit"] == "µs"));
    assert!(
        field(&summary, "cost").iter().all(|(_, cost)| cost["client_cpu_us"].is_null()),
        "nobody read it"
    );
    let results = humdrum.results("out");
    assert!(results.finished && results.run_rates.len() == 12, "{}", results.run_rates.len());
}

#[test]
fn whatever_reads_records_reads_imported_ones() {
    let humdrum = Humdrum::new();
    assert_eq!(import(&humdrum, LOGS).0, 0);
    let page = std::fs::read_to_string(humdrum.path("out/report.html")).expect("a report");
    assert!(
        page.contains("Imported files")
            && page.contains("oltp_read_only.run3.log")
            && page.contains("humdrum import")
    );
    assert!(!page.contains("Plan as run"));
    for format in ["markdown", "github", "tsv", "smalldatum"] {
        // Markdown escapes the names.
        let told =
            text_of(&humdrum.exits(0, &["report", "out", "--format", format]).stdout).replace('\\', "");
        assert!(!told.contains("blocks discarded") && !told.contains("selftest"), "{format}: {told}");
        assert!(told.contains("oltp_read_only"), "{format}: {told}");
    }
    humdrum.exits(0, &["report", "out", "--base", "changed"]);
    humdrum.exits(0, &["explain", "out"]);
    humdrum.exits(0, &["site", "site", "out"]);
    let index = std::fs::read_to_string(humdrum.path("site/index.html")).expect("an index");
    assert!(index.contains("sysbench, imported"), "{index}");
    for measuring in [vec!["extend", "out"], vec!["resume", "out"]] {
        let output = humdrum.exits(2, &measuring);
        assert!(text_of(&output.stderr).contains("error:"), "{measuring:?}");
    }
}

#[test]
fn one_run_of_each_gives_a_ratio_and_no_verdict() {
    let humdrum = Humdrum::new();
    let line = "FIX/sysbench/plain/oltp_read_only.run1.log --subject postgres@16.11 \
                FIX/sysbench/changed/oltp_read_only.run1.log --subject postgres@17.7 -o out --json -";
    let (code, told, complaint) = import(&humdrum, line);
    assert_eq!(code, 0, "{complaint}");
    let summary: Value = serde_json::from_str(&told).expect("JSON alone");
    let test = &summary["comparisons"][0]["tests"][0];
    assert!(test["rqps"].is_number() && test["ci95"].is_null() && test["p_adjusted"].is_null(), "{test:#}");
    assert_eq!(test["verdict"], "inconclusive");
    assert!(test["notes"][0].as_str().is_some_and(|note| note.starts_with("one run of each")), "{test:#}");
}

#[test]
fn a_published_table_names_its_subjects() {
    let humdrum = Humdrum::new();
    let table = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../published/mysql-5.6-to-9.7-sysbench-small-server--base-5.6.51--point.tsv");
    let (code, _, complaint) = import(&humdrum, &format!("{} -o out", table.display()));
    assert_eq!(code, 0, "{complaint}");
    let summary = humdrum.summary("out");
    let subjects: Vec<&str> = summary["comparisons"]
        .as_array()
        .expect("all")
        .iter()
        .filter_map(|one| one["subject"].as_str())
        .collect();
    assert_eq!((summary["base"].as_str(), subjects.len()), (Some("mysql@5.6.51"), 4), "{subjects:?}");
    assert!(summary["series"].is_object(), "releases of one engine are a series");
    let hot = field(&summary, "rqps").into_iter().find(|(test, _)| test == "hot-points").expect("hot-points");
    assert!(hot.1.as_f64().is_some_and(|rqps| rqps > 0.5 && rqps < 1.0), "{hot:?}");
}

#[test]
fn lines_that_are_not_understood_are_reported() {
    let humdrum = Humdrum::new();
    let log = std::fs::read(format!("{}/sysbench/plain/oltp_read_only.run1.log", fixtures())).expect("read");
    std::fs::write(humdrum.path("a.log"), [&b"+ echo of a script\nand another\n"[..], &log].concat())
        .expect("written");
    let line = "a.log --subject a=postgres@16.11 FIX/sysbench/plain/oltp_read_only.run2.log --subject b=postgres@16.11 -o out";
    let (code, told, complaint) = import(&humdrum, &format!("{line} --test read_only"));
    assert_eq!(code, 0, "{complaint}");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("a.log: 2 lines were not understood, the first is line 1: + echo of a script"),
        "{told}"
    );
}

/// What a user types after `humdrum import`, and what must be said.
const REFUSED: [(&str, &str, &str); 15] = [
    (
        "FIX/sysbench/cpu.log --subject a=x@1 --subject b=x@1",
        "no files before --subject b=x@1",
        "the base first",
    ),
    ("absent.log --subject postgres@16.11", "cannot read absent.log", ""),
    ("FIX/make.sh --subject postgres@16.11", "is of no format that is known", "formats: db_bench"),
    ("two.log --subject postgres@16.11", "may be of several formats: pgbench, sysbench", "--format pgbench"),
    ("FIX/sysbench/cpu.log", "does not say which subject it is of", "--subject"),
    (
        "FIX/sysbench/cpu.log --subject postgres@16.11",
        "there is one subject, postgres@16.11",
        "the base first",
    ),
    ("FIX/sysbench/cpu.log FIX/sysbench/cpu.log --subject postgres@16.11", "is named twice", "no repetition"),
    ("FIX/sysbench/cpu.log copy.log --subject postgres@16.11", "have the same content", "leave one out"),
    (
        "FIX/db_bench/plain.log --subject a=x@1 FIX/hyperfine/two.json --subject b=x@1",
        "no test has results of both",
        "--test",
    ),
    ("FIX/sysbench/cpu.log --subject postgres", "says no version", "postgres@VERSION"),
    ("FIX/sysbench/cpu.log --subject a=x@1 --format sybench", "no format `sybench`", "sysbench"),
    (
        "FIX/sysbench/refused.log --subject a=x@1 FIX/sysbench/cpu.log --subject b=x@1",
        "no result in 1 files",
        "finished runs",
    ),
    ("FIX/sysbench/cpu.log --subject a=x@1 --only clients", "has no `=`", "--only clients=1"),
    (
        "FIX/pgbench/select_only.1.log FIX/pgbench/select_only.2.log --subject a=x@1 FIX/pgbench/tpcb.log --subject b=x@1",
        "no test has results of both",
        "",
    ),
    (
        "FIX/pgbench/select_only.1.log FIX/pgbench/select_only.2.log --subject a=x@1 one.log --subject b=x@1",
        "no repetitions: query mode is simple and prepared",
        "",
    ),
];

#[test]
fn what_cannot_be_imported_is_refused_and_leaves_nothing() {
    let humdrum = Humdrum::new();
    let read = |name: &str| std::fs::read(format!("{}/{name}", fixtures())).expect(name);
    let two = [read("sysbench/cpu.log"), read("pgbench/tpcb.log")].concat();
    std::fs::write(humdrum.path("two.log"), two).expect("written");
    std::fs::write(humdrum.path("copy.log"), read("sysbench/cpu.log")).expect("written");
    std::fs::write(humdrum.path("one.log"), [&read("pgbench/select_only.1.log")[..], b"\n"].concat())
        .expect("written");
    for (line, what, hint) in REFUSED {
        let (code, told, complaint) = import(&humdrum, &format!("{line} -o out"));
        assert_eq!(code, 2, "{line}: {complaint}");
        assert!(
            complaint.contains(what) && complaint.contains(hint) && told.is_empty(),
            "{line}: {complaint}"
        );
        let left: Vec<_> = std::fs::read_dir(humdrum.folder())
            .expect("listed")
            .flatten()
            .map(|one| one.file_name())
            .collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("out")), "{line}: {left:?}");
    }
    std::fs::create_dir(humdrum.path("taken")).expect("made");
    let (code, _, complaint) = import(&humdrum, "absent.log --subject a=x@1 -o taken");
    assert!(code == 2 && complaint.contains("taken exists already"), "{complaint}");
}
