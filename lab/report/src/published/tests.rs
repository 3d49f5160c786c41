//! Tests of the forms in which published ratios stand beside measured ones.

use humdrum_model::{
    Agreement, BesideTotals, CalledChanges, Carries, Measured, NotComparable, OtherFigure, Published, Rate,
    Share, ShareRow, Verdict,
};

use super::*;

/// What was measured of hot-points.
fn measured() -> Measured {
    Measured {
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
        over_hosts: false,
        verdict: Some(Verdict::Regression),
        delta: 0.01,
    }
}

pub(crate) fn found() -> Beside {
    let published = |test: &str, ratio: f64| Published {
        post: "fake-5.6-to-9.7".into(),
        title: "Many old regressions".into(),
        date: "2026-03-24".into(),
        engine: "fake".into(),
        benchmark: String::new(),
        server: "PN53".into(),
        condition: "1 clients".into(),
        clients: Some(1),
        base: "5.6.51".into(),
        subject: "8.0.45".into(),
        test: test.into(),
        ratio,
        rounding: 0.005,
        ci95: None,
        note: String::new(),
    };
    let row = |test: &str, ratio: f64, agreement: Agreement, measured: Vec<Measured>| BesideRow {
        published: published(test, ratio),
        ratio: measured.first().map(|own| own.ratio),
        intervals: measured.iter().map(|own| own.ci95).collect(),
        carries: measured.first().map(|_| Carries::ThisRun),
        this_host: measured.iter().map(|own| own.ci95).collect(),
        this_host_carries: measured.first().map(|_| Carries::ThisRun),
        another_host: None,
        why: measured.is_empty().then_some(NotComparable::NoSuchTest),
        other_release: !measured.is_empty(),
        measured,
        agreement,
    };
    let one = Rate { count: 1, of: 1, ci95: [0.05, 1.0] };
    let none = Rate { count: 0, of: 1, ci95: [0.0, 0.95] };
    Beside {
        reference: None,
        rows: vec![
            row("hot-points", 0.65, Agreement::Agrees, vec![measured()]),
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
        other_metrics: Vec::new(),
        dead_rows: Vec::new(),
    }
}

/// The same of three hosts, with a figure of another metric and one of another release.
fn of_three_hosts() -> Beside {
    let mut found = found();
    found.hosts = ["zen3", "zen4", "xeon"].map(str::to_owned).to_vec();
    found.rows[1].why = Some(NotComparable::OtherRelease);
    let row = &mut found.rows[0];
    row.this_host = vec![[0.649, 0.656], [0.70, 0.72], [0.61, 0.63]];
    row.another_host = Some([0.5, 0.9]);
    (row.intervals, row.carries) = (vec![[0.5, 0.9]], Some(Carries::AnotherHost));
    let own = row.published.clone();
    found.other_metrics = vec![OtherFigure {
        post: own.post,
        title: own.title,
        date: own.date,
        engine: own.engine,
        server: own.server,
        condition: own.condition,
        base: own.base,
        subject: own.subject,
        test: "l.i0".into(),
        metric: "cpu_per_op_ratio".into(),
        value: "1.20".into(),
        why: NotComparable::OtherMetric,
    }];
    found
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
    assert_eq!(columns, [16, 16, 16]);
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
    assert!(
        page.contains("hot-points") && page.contains("<svg") && page.contains("not comparable: no such test")
    );
    assert!(!page.contains("<b>"));
}

/// The reasons are the words of the JSON.
#[test]
fn a_row_that_cannot_be_compared_says_why_in_every_format() {
    let of = |format| beside_published(&of_three_hosts(), format, plain());
    let json: serde_json::Value = serde_json::from_str(&of(Format::Json)).expect("JSON");
    assert_eq!((&json["rows"][0]["why"], &json["rows"][1]["why"]), (&().into(), &"other-release".into()));
    assert_eq!(json["other_metrics"][0]["why"], "other-metric");
    assert_eq!(json["rows"][1]["agreement"], "not-comparable");
    for format in [Format::Terminal, Format::Markdown, Format::Html] {
        let text = of(format).replace("\\_", "_");
        for words in ["other release", "other metric", "1.20 cpu_per_op_ratio"] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }
    assert!(of(Format::Tsv).contains("\tnot measured\t\tother-release\t"), "{}", of(Format::Tsv));
}

#[test]
fn every_reason_has_the_word_of_the_json() {
    use NotComparable::{NoSuchTest, OtherBenchmark, OtherMetric, OtherRelease, OtherScale};
    for why in [NoSuchTest, OtherBenchmark, OtherRelease, OtherScale, OtherMetric] {
        assert_eq!(serde_json::json!(why), reason(why).replace(' ', "-"));
    }
}

#[test]
fn a_subject_without_a_figure_that_can_be_compared_has_a_sentence() {
    let mut found = of_three_hosts();
    found.rows.remove(0);
    found.other_metrics[0].base = String::new();
    let text = beside_published(&found, Format::Markdown, plain());
    assert!(
        text.contains("Its one figure, of scan\\|&lt;b&gt;, is not comparable: other release."),
        "{text}"
    );
    assert!(text.contains("## fake 8.0.45: Many old regressions"), "an absolute figure has no base: {text}");
    let same = found.rows[0].clone();
    found.rows.push(same.clone());
    assert!(
        beside_published(&found, Format::Terminal, plain())
            .contains("None of its 2 figures is comparable: other release.")
    );
    found.rows.push(BesideRow { why: Some(NotComparable::NoSuchTest), ..same });
    let text = beside_published(&found, Format::Html, plain());
    assert!(text.contains("None of its 3 figures is comparable: 1 no such test, 2 other release."), "{text}");
}

#[test]
fn both_intervals_are_shown_where_both_are_known() {
    let text = beside_published(&of_three_hosts(), Format::Markdown, plain());
    assert!(text.contains("| 95 % interval | another host | agreement |"), "{text}");
    let here = "\\[0.649, 0.656\\] \\[0.700, 0.720\\] \\[0.610, 0.630\\]";
    assert!(text.contains(&format!("| {here} | \\[0.500, 0.900\\] | agrees |")), "{text}");
    assert!(text.contains("| – | – | not comparable: other release |  |"), "{text}");
    assert!(text.contains("lies in the 95 % interval for another host;"), "{text}");
    let tsv = beside_published(&of_three_hosts(), Format::Tsv, plain());
    let second = "0.500000\t0.900000\tagrees\t8.0.33 over 5.6.14\t\t0.610000\t0.720000\t0.500000\t0.900000\n";
    assert!(tsv.contains(second), "{tsv}");
    let page = beside_published(&of_three_hosts(), Format::Html, plain());
    assert!(
        page.contains("another host from 0.500 to 0.900") && page.contains("class=\"another\""),
        "{page}"
    );

    let alone = beside_published(&found(), Format::Markdown, plain());
    assert!(!alone.contains("another host"), "{alone}");
}

#[test]
fn many_hosts_share_a_cell() {
    let mut found = of_three_hosts();
    found.rows[0].this_host.push([0.4, 0.95]);
    let text = beside_published(&found, Format::Terminal, plain());
    assert!(text.contains("[0.400, 0.950] over 4 hosts"), "{text}");
}

/// Shares of one release after two steps, of which one was measured on both hosts. The publication has no ratios.
fn shares_alone() -> Beside {
    let row = |test: &str, value: f64, measured: &[(&str, f64)]| ShareRow {
        published: Published {
            test: test.into(),
            base: String::new(),
            ratio: value,
            rounding: 0.000_5,
            ..found().rows[0].published.clone()
        },
        measured: measured
            .iter()
            .map(|(host, share)| Share { host: (*host).into(), subject: "fake@8.0.33".into(), share: *share })
            .collect(),
    };
    let dead_rows =
        vec![row("l.i1", 0.065, &[("a", 0.0714), ("b", 0.0699)]), row("l.i2", 0.045, &[("b", 0.0433)])];
    Beside { rows: Vec::new(), dead_rows, ..found() }
}

#[test]
fn shares_stand_side_by_side_without_an_interval_and_without_a_word() {
    let of = |format| beside_published(&shares_alone(), format, plain());
    let title = "## fake 8.0.45, dead rows / all rows after each step: Many old regressions (2026-03-24; PN53; 1 clients)";
    let table = "| step | published | `fake@8.0.33 (a)` | `fake@8.0.33 (b)` |\n| --- | --: | --: | --: |\n\
        | l.i1 | 0.065 | 0.071 | 0.070 |\n| l.i2 | 0.045 | – | 0.043 |\n";
    let markdown = of(Format::Markdown);
    assert!(markdown.starts_with(&format!("{title}\n\n{table}\n- A share")), "{markdown}");
    for text in [markdown, of(Format::Terminal), of(Format::Html)] {
        assert!(text.contains("0.071") && text.contains("It has no"), "{text}");
        assert!(!text.contains("agrees") && !text.contains("of other engines"), "{text}");
    }
    assert_eq!(of(Format::Tsv).lines().count(), 1, "the columns of ratios");
    assert!(!beside_published(&found(), Format::Markdown, plain()).contains("It has no"));
}

#[test]
fn shares_follow_the_tables_of_ratios() {
    let both = Beside { rows: found().rows, ..shares_alone() };
    for format in [Format::Terminal, Format::Markdown, Format::Html] {
        let text = beside_published(&both, format, plain());
        let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
        assert!(place("hot-points") < place("dead rows / all rows"), "{text}");
        assert!(text.contains("of other engines") && text.contains("It has no"), "{text}");
    }
    let one_host = Beside { dead_rows: shares_alone().dead_rows.split_off(1), ..both };
    let text = beside_published(&one_host, Format::Markdown, plain());
    assert!(text.contains("| step | published | `fake@8.0.33` |"), "{text}");
}
