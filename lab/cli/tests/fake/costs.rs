//! What an operation costs, in every form in which results are told.

use std::collections::BTreeMap;

use crate::common::{Humdrum, field, text_of};

/// The numbers of the first row of a table of tab-separated values, by column.
fn numbers(text: &str) -> BTreeMap<&str, f64> {
    let mut lines = text.lines().map(|line| line.split('\t'));
    let (names, cells) = lines.next().zip(lines.next()).expect("a header and a row");
    names.zip(cells).filter_map(|(name, cell)| Some((name, cell.parse().ok()?))).collect()
}

fn adds_up(user: f64, system: f64, all: f64) {
    assert!(
        system > 0.0 && user > 0.0 && ((user + system) / all - 1.0).abs() < 1e-3,
        "{user} {system} {all}"
    );
}

#[test]
fn the_servers_cpu_is_told_by_mode() {
    let lab = Humdrum::new();
    let subject = "work=fake@1.0+work=20%";
    let args = ["fake@1.0", subject, "--tests", "point-query", "--scale", "tiny"];
    let (code, summary, complaint) = lab.compare("out", &args);
    assert_eq!(code, 1, "{complaint}");
    let cost = &field(&summary, "cost")[0].1;
    let of = |name: &str, side: &str| cost[name][side].as_f64().unwrap_or_else(|| panic!("{name}: {cost:#}"));
    for side in ["base", "subject"] {
        let [user, system, all] =
            ["server_user_us", "server_system_us", "server_cpu_us"].map(|name| of(name, side));
        adds_up(user, system, all);
    }
    // The subject works more in user mode alone.
    assert!(of("server_user_us", "ratio") > 1.1 && (of("server_system_us", "ratio") - 1.0).abs() < 0.01);
    let told = |format: &str| text_of(&lab.exits(0, &["report", "out", "--format", format]).stdout);
    let table = told("tsv");
    let row = numbers(&table);
    adds_up(row["server_user_us"], row["server_system_us"], row["server_cpu_us"]);
    for format in ["terminal", "html", "smalldatum"] {
        assert!(told(format).contains("of it system"), "{format}");
    }
    assert!(told("markdown").contains(", system "), "{}", told("markdown"));
}

#[test]
fn a_whole_steps_cpu_is_told_by_mode_with_that_of_the_background() {
    let lab = Humdrum::new();
    let args = ["fake@1.0", "fake@1.1", "--suite", "insert", "--scale", "tiny", "--sessions", "1"];
    let (code, _, complaint) = lab.compare("out", &[&args[..], &["--tests", "l.i1"]].concat());
    assert_eq!(code, 0, "{complaint}");
    let table = std::fs::read_to_string(lab.path("out/steps.tsv")).expect("steps.tsv");
    let row = numbers(&table);
    adds_up(row["server_user_us"], row["server_system_us"], row["server_cpu_us"]);
}
