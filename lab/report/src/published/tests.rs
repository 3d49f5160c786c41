//! Tests of the forms in which published ratios stand beside measured ones.

use humdrum_model::{BesideTotals, Measured, Verdict};

use super::*;

pub(crate) fn found() -> Beside {
    let published = |test: &str, ratio: f64| Published {
        post: "fake-5.6-to-9.7".into(),
        title: "Many old regressions".into(),
        date: "2026-03-24".into(),
        engine: "fake".into(),
        benchmark: String::new(),
        server: "PN53".into(),
        condition: "1 clients".into(),
        base: "5.6.51".into(),
        subject: "8.0.45".into(),
        test: test.into(),
        ratio,
        rounding: 0.005,
        ci95: None,
        note: String::new(),
    };
    let measured = Measured {
        host: "AMD EPYC (Zen 4)".into(),
        engine: "fake".into(),
        suite: String::new(),
        base: "5.6.14".into(),
        subject: "8.0.33".into(),
        settings: String::new(),
        group: String::new(),
        test: "hot-points".into(),
        ratio: 0.653,
        ci95: [0.649, 0.656],
        another_run: None,
        verdict: Some(Verdict::Regression),
        delta: 0.01,
    };
    let row = |test: &str, ratio: f64, agreement: Agreement, measured: Vec<Measured>| BesideRow {
        published: published(test, ratio),
        ratio: measured.first().map(|own| own.ratio),
        intervals: measured.iter().map(|own| own.ci95).collect(),
        carries: measured.first().map(|_| Carries::ThisRun),
        other_release: !measured.is_empty(),
        measured,
        agreement,
    };
    let one = Rate { count: 1, of: 1, ci95: [0.05, 1.0] };
    let none = Rate { count: 0, of: 1, ci95: [0.0, 0.95] };
    Beside {
        reference: None,
        rows: vec![
            row("hot-points", 0.65, Agreement::Agrees, vec![measured]),
            row("scan|<b>", 0.67, Agreement::NotComparable, Vec::new()),
        ],
        totals: BesideTotals {
            agree: Some(one),
            same_direction: Some(one),
            changes: [0.05, 0.1].map(|beyond| CalledChanges { beyond, called: one, opposite: none }).to_vec(),
            rank_correlation: None,
        },
        hosts: vec!["AMD EPYC (Zen 4)".into()],
        other_figures: 3,
    }
}

pub(crate) fn plain() -> Style {
    Style { color: false, width: 100, verbose: false }
}

#[test]
fn looks_like_this() {
    insta::assert_snapshot!(beside_published(&found(), Format::Terminal, plain()));
}

#[test]
fn markdown_looks_like_this() {
    insta::assert_snapshot!(beside_published(&found(), Format::Markdown, plain()));
}

#[test]
fn tables_have_a_line_for_each_published_ratio() {
    let text = beside_published(&found(), Format::Tsv, plain());
    let columns: Vec<usize> = text.lines().map(|line| line.split('\t').count()).collect();
    assert_eq!(columns, [11, 11, 11]);
    let value: serde_json::Value =
        serde_json::from_str(&beside_published(&found(), Format::Json, plain())).unwrap();
    assert_eq!(
        (value["rows"][0]["agreement"].as_str(), value["totals"]["agree"]["count"].as_u64()),
        (Some("agrees"), Some(1))
    );
}

#[test]
fn the_page_has_every_row_and_no_foreign_markup() {
    let page = beside_published(&found(), Format::Html, plain());
    assert!(page.contains("hot-points") && page.contains("<svg") && page.contains("not measured"));
    assert!(!page.contains("<b>"));
}
