//! End to end on real libraries: the kv suite over two releases of an embedded engine, whose workers are this program.
//! The first run fetches both into the shared cache.

mod common;

use std::collections::BTreeMap;

use common::{Humdrum, field, text_of, words};

const OLD: &str = "rocksdb@10.2.1+sixteenth";
const NEW: &str = "rocksdb@10.10.1+sixteenth";

/// Every step on both, contents compared by the lab after each step that writes; what it says of speeds is not looked
/// at here.
fn all_steps(clients: u32, configuration: &str) {
    let lab = Humdrum::with_shared_builds();
    let scale = format!("rows=20k,clients={clients}");
    let subjects = [OLD, NEW].map(|subject| format!("{subject}+{configuration}"));
    let args = [&*subjects[0], &*subjects[1], "--suite", "kv", "--tests", "all", "--scale", &*scale];
    let (code, summary, complaint) =
        lab.compare("out", &[&args[..], &["--budget", "60s", "--sessions", "4"]].concat());
    assert!(matches!(code, 0 | 1), "{complaint}");
    let status: BTreeMap<String, String> = field(&summary, "status")
        .into_iter()
        .map(|(test, status)| (test, status.as_str().unwrap_or_default().to_owned()))
        .collect();
    assert_eq!(status.len(), 10, "{status:?}");
    // A host that others disturb has no steady state at times, or does not keep the rate of a writer.
    let disturbed = |status: &str| matches!(status, "not-steady" | "sla-missed");
    assert!(status.values().all(|status| status == "ok" || disturbed(status)), "{status:?}\n{complaint}");
    // A host whose processors others took in all blocks of a test leaves nothing to look at.
    let kept: BTreeMap<_, _> = field(&summary, "blocks").into_iter().collect();
    let discarded: BTreeMap<_, _> = field(&summary, "blocks_discarded").into_iter().collect();
    let counts = |test: &String| {
        assert!(kept[test] != 0 || discarded[test] != 0, "{test} was measured: {summary:#}");
        kept[test] != 0 && status[test] == "ok"
    };
    for (test, latency) in field(&summary, "latency_us").into_iter().filter(|(test, _)| counts(test)) {
        let p50 = latency["base"]["p50"].as_f64().unwrap_or_default();
        assert!(p50 > 0.1 && p50 < 1e5, "{test}: {latency}");
    }
    for (test, cost) in field(&summary, "cost").into_iter().filter(|(test, _)| counts(test)) {
        let own = cost["server_cpu_us"]["base"].as_f64().unwrap_or_default();
        assert!(own > 0.1, "{test} is charged to the thread that serves it: {cost:#}");
        for part in ["server_user_us", "server_system_us"] {
            assert!(cost[part]["base"].is_number(), "{test}: {cost:#}");
        }
    }
    // The worker counts them. The reference fills by one thread, whatever the clients are.
    let state: BTreeMap<_, _> = field(&summary, "state").into_iter().collect();
    let writers = &state["fillseq"]["writing_threads"];
    assert_eq!([&writers["base"], &writers["subject"]], [1.0, 1.0], "{writers:#}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn all_steps_of_byrx_with_one_client() {
    all_steps(1, "byrx");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn all_steps_of_iodir_with_three_clients() {
    all_steps(3, "iodir");
}

#[test]
fn sql_does_not_run_on_it_nor_kv_on_others() {
    let lab = Humdrum::new();
    lab.exits(2, &["compare", OLD, NEW, "--suite", "sysbench", "--dry-run"]);
    let output = lab.exits(2, &["compare", "fake@1.0", "fake@1.1", "--suite", "kv", "--dry-run"]);
    assert!(text_of(&output.stderr).contains("rocksdb"), "{}", text_of(&output.stderr));
}

/// Every plan that comes along, of any suite and size; one may build what it compares, for which this host may have no sources.
#[test]
fn plans_in_experiments_can_be_drawn_up() {
    let lab = Humdrum::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    for (folder, least) in [(folder.clone(), 40), (folder.join("full"), 10)] {
        let files = std::fs::read_dir(folder).expect("experiments").flatten().map(|entry| entry.path());
        let plans: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|kind| kind == "toml")).collect();
        assert!(plans.len() > least, "{plans:?}");
        for plan in plans {
            let output = lab.run(&["run", &plan.display().to_string(), "--dry-run"]);
            let (told, complaint) = (text_of(&output.stdout), text_of(&output.stderr));
            let drawn_up = output.status.success() && told.contains("of a budget of");
            let lacks_sources = complaint.contains("source package");
            assert!(drawn_up || lacks_sources, "{}: {complaint}", plan.display());
            let sized = told.contains("sized for ");
            assert_eq!(
                sized,
                plan.parent().is_some_and(|folder| folder.ends_with("full")),
                "{}",
                plan.display()
            );
        }
    }
}

/// A scripted store whose writer keeps half its rate: a status of its own, no ratio, and no failure of the run.
#[test]
fn a_missed_rate_of_the_background_writer_is_not_compared() {
    let lab = Humdrum::new();
    let line = "compare a=fake-kv@1.0 b=fake-kv@1.1+writer_keeps=50% --suite kv --scale rows=2000 \
                --tests readww,readrandom --budget 30s --out out --quiet";
    let output = lab.exits(0, &words(line));
    assert!(text_of(&output.stdout).contains("sla-missed"), "{}", text_of(&output.stdout));
    let summary = lab.summary("out");
    let of = |name: &str| field(&summary, name).into_iter().collect::<BTreeMap<_, _>>();
    assert_eq!(of("status")["readww"], "sla-missed");
    assert!(of("rqps")["readww"].is_null() && of("qps")["readww"].is_number());
    assert_eq!(of("verdict")["readrandom"], "boring");
}

/// Four scripted releases, of which the third is 6 % slower for good: the series says so in every form.
#[test]
fn a_series_says_at_which_release_a_test_moved() {
    let lab = Humdrum::new();
    let subjects = ["fake-kv@1.0", "fake-kv@1.1", "c=fake-kv@2.0+slowdown=6%", "d=fake-kv@2.1+slowdown=6%"];
    let more = "--suite kv --scale rows=2000 --tests readrandom,fwdrange --budget 60s --out out --quiet";
    let output = lab.exits(1, &[&["compare"], &subjects[..], &words(more)].concat());
    let told = text_of(&output.stdout);
    assert!(told.contains("where each test moved") && told.contains("▼ at c 0.94"), "{told}");
    let read = |name: &str| std::fs::read_to_string(lab.path("out").join(name)).expect(name);
    let summary = lab.summary("out");
    for test in summary["series"]["tests"].as_array().expect("tests") {
        let moves = test["moves"].as_array().expect("moves");
        assert_eq!(
            (moves.len(), &moves[0]["at"], &moves[0]["after"]),
            (1, &"c".into(), &"fake-kv@1.1".into()),
            "{test:#}"
        );
        assert_eq!(test["points"][3]["step"]["verdict"], "boring", "{test:#}");
    }
    assert!(
        read("summary.md").contains("## Release by release") && read("report.html").contains("id=\"series\"")
    );
}
