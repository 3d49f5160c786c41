//! Explanations of a change on real servers: everything that is to be looked at was looked at.

mod common;

use common::{Humdrum, text_of};
use serde_json::Value;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn hot_points_are_explained() {
    let lab = Humdrum::with_shared_builds();
    let args = ["--tests", "hot-points", "--scale", "tiny", "--budget", "15s", "--out", "out", "--quiet"];
    let mut all = vec!["compare", "postgres@16.11", "postgres@17.7"];
    all.extend(args);
    let output = lab.command(&all).output().expect("humdrum starts");
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    let output = lab.command(&["explain", "out", "--json"]).output().expect("humdrum starts");
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let found = &document["explanations"][0];
    // Not always the first: a busy host makes servers wait for a processor, which is a cause as well.
    let causes = found["causes"].as_array().expect("causes");
    let cpu = causes.iter().find(|cause| cause["kind"] == "server-cpu").expect("server-cpu");
    assert!(cpu["share"].as_f64().is_some_and(|share| share > 0.2), "{found:#}");
    // 17 looks a whole list up in one index scan, 16 a key at a time.
    let counters = found["counters"].as_array().expect("counters");
    let of = |name: &str| counters.iter().find(|one| one["name"] == name);
    let scans = of("tables.idx_scan").or_else(|| of("tables.idx_blks_hit"));
    assert!(
        scans.is_some_and(|scans| scans["ratio"].as_f64().is_some_and(|ratio| ratio < 0.5)),
        "{counters:#?}"
    );
    assert!(found["remarks"].as_array().is_some_and(|remarks| {
        remarks.iter().all(|line| !line.as_str().unwrap_or_default().contains("not looked at"))
    }));
    let part = |name: &str| {
        found["parts"].as_array().is_some_and(|parts| parts.iter().any(|part| part["name"] == name))
    };
    assert!(part("locks") && part("disk"), "{found:#}");
}
