//! What is told of an upgrade.

use humdrum_model::{TestStatus, UpgradeCost, UpgradeSource};

use super::*;

fn statement(test: &str, rqps: f64, verdict: Verdict, share: f64) -> UpgradeStatement {
    UpgradeStatement {
        test: test.into(),
        status: TestStatus::Ok,
        verdict: Some(verdict),
        rqps: Some(rqps),
        ci95: Some([rqps - 0.01, rqps + 0.01]),
        share: Some(share),
        plans: Vec::new(),
        cause: None,
    }
}

fn tried() -> Upgrade {
    let plan = PlanChange {
        statement: "SELECT * FROM orders WHERE day = $1".into(),
        base: vec!["Index Scan using orders_by_day on orders".into()],
        subject: vec!["Seq Scan on orders".into(), "  Filter: (day = $1)".into()],
        ..PlanChange::default()
    };
    let slow = UpgradeStatement {
        plans: vec![plan],
        cause: Some("the query plan changed: a statement is run in another way".into()),
        ..statement("orders_by_day", 0.71, Verdict::Regression, 0.12)
    };
    let wrong = UpgradeStatement {
        status: TestStatus::WrongAnswer,
        verdict: None,
        rqps: None,
        ci95: None,
        ..statement("totals", 1.0, Verdict::Boring, 0.01)
    };
    Upgrade {
        tool: "humdrum test".into(),
        source: Some(UpgradeSource {
            url: "postgres://me@host/shop".into(),
            version: "15.18".into(),
            bytes: 5 << 30,
            given: vec![("work_mem".into(), "64MB".into())],
            refused: vec![("old_snapshot_threshold".into(), "unrecognized configuration parameter".into())],
            others: vec!["shared_buffers".into()],
        }),
        from: "postgres@15.18".into(),
        to: "postgres@18.1".into(),
        statements: vec![
            statement("browse", 1.002, Verdict::Boring, 0.6),
            statement("checkout", 1.12, Verdict::Improvement, 0.27),
            slow,
            wrong,
        ],
        mix: Some(statement("mix", 0.98, Verdict::Regression, 1.0)),
        trouble: vec!["totals, postgres@18.1: 3 rows where the base has 4".into()],
        settings: vec![SettingChange {
            name: "io_method".into(),
            base: None,
            subject: Some("worker".into()),
            origin: humdrum_model::SettingOrigin::Default,
        }],
        proven: None,
        costs: Some([
            UpgradeCost { load_seconds: 41.0, bytes: 5 << 30 },
            UpgradeCost { load_seconds: 38.0, bytes: 4 << 30 },
        ]),
        notes: vec!["the base is 15.18, as the server".into()],
    }
}

#[test]
fn a_terminal_gets_the_parts_and_then_the_paragraph() {
    insta::assert_snapshot!(upgrade(&tried(), Style { color: false, width: 100, verbose: false }));
}

#[test]
fn a_post_begins_with_the_paragraph() {
    insta::assert_snapshot!(upgrade_markdown(&tried()));
}

#[test]
fn the_page_has_what_the_terminal_has() {
    let page = upgrade_html(&tried(), "results/report.html");
    for word in
        ["orders_by_day", "Seq Scan on orders", "io_method", "results/report.html", "0.71x", "4.0 GiB"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn nothing_hostile_reaches_a_page() {
    let mut hostile = tried();
    hostile.to = "<script>alert(1)</script>".into();
    hostile.trouble = vec!["\u{1b}[31m<b>".into()];
    assert!(!upgrade_html(&hostile, "r").contains("<script>"));
    assert!(!upgrade(&hostile, Style { color: false, width: 80, verbose: false }).contains('\u{1b}'));
}

#[test]
fn json_has_the_paragraph() {
    let value: serde_json::Value = serde_json::from_str(&upgrade_json(&tried())).expect("json");
    assert_eq!(value["schema"], 1);
    assert!(value["paragraph"].as_str().is_some_and(|text| text.contains("orders_by_day (0.71x")));
}
