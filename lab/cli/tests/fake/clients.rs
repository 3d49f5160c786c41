//! Runs at several numbers of clients, on the fake engine: one run, one report, one family of verdicts.

use crate::common::{Humdrum, field, text_of};

const OPTIONS: [&str; 6] = ["--tests", "hot-points,scan", "--scale", "tiny,clients=1,4,8", "--budget", "3m"];
const NOISE: &str = "+noise=5%+session_noise=0.3%";

fn verdicts(summary: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    field(summary, "verdict").into_iter().map(|(test, verdict)| (test, text(verdict))).collect()
}

/// The loss is 2 % for each client beside the first, so that it is none with one, and 12.3 % with eight.
#[test]
fn contention_is_found_at_the_clients_that_have_it() {
    let lab = Humdrum::new();
    let (base, other) = (format!("a=fake@1.0{NOISE}"), format!("b=fake@1.0{NOISE}+contention=2%"));
    let (code, summary, _) = lab.compare("r", &[&[base.as_str(), &other][..], &OPTIONS].concat());
    assert_eq!(code, 1);
    for (test, verdict) in verdicts(&summary) {
        let lost = verdict == "regression";
        assert_eq!(lost, !test.ends_with(":c1"), "{test}: {verdict}");
    }
    for (test, rqps) in field(&summary, "rqps") {
        let clients: f64 =
            test.rsplit(":c").next().and_then(|clients| clients.parse().ok()).expect("clients");
        let expected = 1.0 / (1.0 + 0.02 * (clients - 1.0));
        assert!((rqps.as_f64().expect("a ratio") - expected).abs() < 0.015, "{test}: {rqps}");
    }
    assert_eq!(field(&summary, "clients").iter().map(|(_, n)| n.as_u64()).max(), Some(Some(8)));
}

#[test]
fn equal_servers_stay_equal_at_any_number_of_clients() {
    let lab = Humdrum::new();
    let (base, other) = (format!("a=fake@1.0{NOISE}"), format!("b=fake@1.0{NOISE}"));
    let (code, summary, _) = lab.compare("r", &[&[base.as_str(), &other][..], &OPTIONS].concat());
    assert_eq!(code, 0);
    let moved = verdicts(&summary)
        .iter()
        .filter(|(_, verdict)| verdict.ends_with("ment") || verdict == "regression")
        .count();
    assert_eq!(moved, 0, "{summary}");
}

#[test]
fn reports_and_explanations_know_the_clients() {
    let lab = Humdrum::new();
    let subjects = ["fake@1.0", "fake@1.0+contention=5%"];
    let (code, _, complaint) = lab.compare("r", &[&subjects[..], &OPTIONS].concat());
    assert_eq!(code, 1, "{complaint}");
    let report = text_of(&lab.exits(0, &["report", "r"]).stdout);
    assert!(report.contains("by clients (") && report.contains("QPS by clients"), "{report}");
    let typed = text_of(&lab.exits(0, &["report", "r", "--format", "html"]).stdout);
    assert!(
        typed.contains("clients=1,4,8") && typed.contains("id=\"clients\""),
        "the command measures the same again"
    );
    let why = text_of(&lab.exits(0, &["explain", "r", "scan:c8"]).stdout);
    assert!(why.contains("locks"), "{why}");
    let missing = text_of(&lab.exits(2, &["explain", "r", "scan"]).stderr);
    assert!(missing.contains("scan:c8"), "{missing}");
}

#[test]
fn several_runs_are_one_matrix() {
    let lab = Humdrum::new();
    let run = |out: &str, more: &[&str]| {
        let subjects = ["fake@1.0", "fake@1.0+contention=2%"];
        let options = ["--tests", "scan", "--sessions", "4"];
        let (code, _, complaint) = lab.compare(out, &[&subjects[..], &options, more].concat());
        assert_ne!(code, 2, "{complaint}");
    };
    run("one", &["--scale", "tiny,clients=1"]);
    run("four", &["--scale", "tiny,clients=4"]);
    let table = text_of(&lab.exits(0, &["report", "one", "four"]).stdout);
    assert!(table.contains("clients 1") && table.contains("clients 4") && table.contains("0.943"), "{table}");
    lab.exits(0, &["report", "one", "four", "--format", "html", "--out", "matrix.html"]);
    assert!(std::fs::read_to_string(lab.path("matrix.html")).expect("a page").contains("<svg"));
    let twice = text_of(&lab.exits(2, &["report", "one", "one"]).stderr);
    assert!(twice.contains("the same run"), "{twice}");
    lab.exits(2, &["report", "one", "four", "--format", "github"]);
    lab.exits(2, &["report", "one", "four", "--out", "one/report.html"]);
}
