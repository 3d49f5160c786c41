//! The history of this host, tested through the program: `doctor` shows it, `clean` lists it and removes it
//! on request, and a damaged one does not prevent comparisons.

use crate::common::{Humdrum, text_of};
use humdrum_model::HistoryEntry;
use humdrum_record::history::{keep, path_in};

/// What `doctor` says of the history.
fn finding(humdrum: &Humdrum) -> serde_json::Value {
    let output = humdrum.run(&["doctor", "--json"]);
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("facts");
    assert!(facts["processor"]["generation"].as_str().is_some_and(|name| !name.is_empty()), "{facts}");
    let findings = facts["findings"].as_array().expect("findings");
    findings.iter().find(|one| one["name"] == "history").expect("a finding on the history").clone()
}

#[test]
fn it_is_shown_kept_and_removed_when_told() {
    let humdrum = Humdrum::new();
    let cache = humdrum.path("cache");
    assert_eq!(finding(&humdrum)["found"], "no runs yet");
    let entry =
        |run: &str| HistoryEntry { run: run.into(), test: "hot-points".into(), ..HistoryEntry::default() };
    assert_eq!(keep(&cache, &[entry("one"), entry("two")]), None);
    assert_eq!(finding(&humdrum)["found"], "2 runs with 2 results");
    let clean = |options: &[&str]| {
        let output = humdrum.exits(0, &[&["clean"], options].concat());
        let text = text_of(&output.stdout).to_owned();
        text.lines().find(|line| line.contains("history of this host: 2 runs")).expect("a line").to_owned()
    };
    assert!(clean(&[]).starts_with("kept ") && clean(&["--all"]).starts_with("kept "));
    assert!(clean(&["--history", "--dry-run"]).starts_with("would remove "));
    assert!(path_in(&cache).exists());
    assert!(clean(&["--history"]).starts_with("removed ") && !path_in(&cache).exists());
}

#[test]
fn a_damaged_one_is_told_of_and_keeps_nobody_from_comparing() {
    let humdrum = Humdrum::new();
    let cache = humdrum.path("cache");
    std::fs::create_dir_all(&cache).expect("folder");
    std::fs::write(path_in(&cache), "no database at all".repeat(100)).expect("damage");
    let found = finding(&humdrum);
    assert_eq!(found["level"], "warning");
    assert!(found["advice"].as_str().is_some_and(|advice| advice.contains("humdrum clean --history")));
    let (code, summary) = humdrum.compare_fake("fake@1.0", &["fake@1.1"], &["--tests", "hot-points"]);
    assert_eq!(code, 0, "{summary}");
    humdrum.exits(0, &["clean", "--history"]);
    assert!(!path_in(&cache).exists());
}
