//! An upgrade of a real running server, which is only read; and an index that one subject alone drops after its load.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Humdrum, text_of};
use serde_json::Value;

/// A server that logs every statement, until the end of the test.
struct Running<'h> {
    humdrum: &'h Humdrum,
    subject: String,
    url: String,
    log: PathBuf,
}

impl<'h> Running<'h> {
    fn up(humdrum: &'h Humdrum, subject: &str) -> Self {
        let told = text_of(&humdrum.exits(0, &["up", subject]).stdout);
        let url = told.lines().map(str::trim).find(|line| line.starts_with("postgres://")).expect("a URL");
        let socket = url.split("host=").nth(1).and_then(|rest| rest.split('&').next()).expect("a socket");
        let log = PathBuf::from(socket).parent().expect("the server's folder").join("server.log");
        Self { humdrum, subject: subject.to_owned(), url: url.to_owned(), log }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.humdrum.run(&["down", &self.subject]);
    }
}

#[test]
#[ignore = "slow: three servers, two minutes"]
fn a_running_server_is_read_and_its_settings_hold_on_both_sides() {
    let humdrum = Humdrum::with_shared_builds();
    let server = Running::up(&humdrum, "postgres@15.18+log_statement=all+work_mem=8MB+enable_hashjoin=off");
    humdrum.exits(0, &["suite", "new", "shop", "--quiet"]);
    let args = ["--to", "17.7", "--suite", "./shop", "--budget", "90s", "--out", "up", "--quiet"];
    let output = humdrum.run(&[&["upgrade", &server.url], &args[..]].concat());
    let said = text_of(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let text = fs::read_to_string(humdrum.path("up/upgrade.json")).expect("written");
    let password = server.url.split(':').nth(2).and_then(|rest| rest.split('@').next()).expect("a password");
    let page = fs::read_to_string(humdrum.path("up/upgrade.html")).expect("written");
    assert!(password.len() > 8 && ![&text, &page, &said].iter().any(|text| text.contains(password)));

    let found: Value = serde_json::from_str(&text).expect("json");
    assert_eq!(found["source"]["version"], "15.18");
    let given = found["source"]["given"].as_array().expect("settings");
    for pair in [["work_mem", "8MB"], ["enable_hashjoin", "off"]] {
        assert!(given.contains(&serde_json::json!(pair)), "{pair:?}: {given:?}");
    }
    let plan = humdrum.results("up/results").plan;
    let typed: Vec<String> = plan.subjects.iter().map(ToString::to_string).collect();
    assert!(typed.iter().all(|subject| subject.contains("+enable_hashjoin=off")), "{typed:?}");
    assert!(found["costs"][1]["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{found:#}");

    // The server has logged every statement of the lab, and none that changes anything.
    let log = fs::read_to_string(&server.log).expect("the log");
    let asked: Vec<&str> = log.lines().filter_map(|line| line.split("statement: ").nth(1)).collect();
    let ours = asked.iter().position(|sql| sql.starts_with("SHOW server_version")).expect("asked");
    let changes = |sql: &&&str| !["SELECT", "SHOW", "SET", "BEGIN"].iter().any(|word| sql.starts_with(word));
    let changed: Vec<_> = asked[ours..].iter().filter(changes).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

#[test]
#[ignore = "slow: two servers, one minute"]
fn an_index_that_one_subject_drops_is_named_as_the_cause() {
    let humdrum = Humdrum::with_shared_builds();
    fs::write(humdrum.path("drop.sql"), "DROP INDEX k_1;\n").expect("written");
    let args =
        ["compare", "with=postgres@17.7", "without=postgres@17.7+after_load=drop.sql", "--budget", "45s"];
    let more = ["--tests", "points-covered-si", "--scale", "tiny", "--out", "out", "--quiet"];
    humdrum.exits(1, &[&args[..], &more].concat());
    let output = humdrum.exits(0, &["explain", "out", "points-covered-si", "--json", "--quiet"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let causes = &document["explanations"][0]["causes"];
    let told = |number: usize| causes[number]["what"].as_str().unwrap_or_default().to_owned();
    assert!(causes[0]["kind"] == "after-load" && told(0).contains("without: DROP INDEX k_1"), "{causes:#}");
    let kinds = causes.as_array().expect("a list").iter().map(|cause| &cause["kind"]);
    assert!(kinds.into_iter().any(|kind| kind == "plan"), "{causes:#}");
    let report = text_of(&humdrum.exits(0, &["report", "out"]).stdout);
    assert!(report.contains("DROP INDEX k_1"), "{report}");
}
