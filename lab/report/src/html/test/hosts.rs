//! A test on several hosts: a row for each, and where another host is expected. Runs of one host at several hours have none.

use humdrum_charts::{HostRow, hosts};
use humdrum_model::{KindOfHosts, KindsOfHosts, RunRatio, TestResult, TestStatus, Verdict};
use maud::{Markup, html};

use crate::kinds::named;
use crate::number::percent;
use crate::text::clean;
use crate::words::Outcome;

/// The strip of hosts; empty for runs of one host.
pub(super) fn strip(test: &TestResult) -> Markup {
    let hosts_known = test.runs.len() > 1 && test.runs.iter().all(|run| run.host.is_some());
    if !hosts_known {
        return html! {};
    }
    let outcome = Outcome::of(test);
    let another = test.reach.as_ref().filter(|reach| reach.over_hosts).map(|reach| reach.another_run);
    let rows = rows(test, another);
    let all = HostRow {
        label: format!("all {} hosts", rows.len()),
        rqps: test.rqps.unwrap_or(f64::NAN),
        ci95: test.ci95,
        kind: outcome.kind(),
        verdict: outcome.marked(),
        another,
    };
    html! {
        h3 { "Host by host" }
        div.scroll tabindex="0" { (hosts(&format!("{} by host", clean(&test.test)), &rows, &all, test.delta)) }
        p.quiet { "Grey: ±δ, within which a change does not matter. " (expected(test, another)) }
        @if let Some(kinds) = kinds(test) { p { (differences(kinds)) } }
    }
}

fn kinds(test: &TestResult) -> Option<&KindsOfHosts> {
    test.reach.as_ref().and_then(|reach| reach.kinds.as_ref())
}

/// What is expected of hosts that were not measured, in 95 of 100.
fn expected(test: &TestResult, another: Option<[f64; 2]>) -> String {
    let told = |[low, high]: [f64; 2]| format!("{low:.3} to {high:.3}");
    let Some(all) = another else {
        return match test.status {
            TestStatus::Ok => {
                "These hosts do not show where another host's ratio is to be expected.".to_owned()
            }
            _ => String::new(),
        };
    };
    let kind =
        |kind: &KindOfHosts| Some(format!("{} with {}", told(kind.another_host?), clean(&kind.generation)));
    let all = match kinds(test).map(|kinds| &kinds.kinds[..]) {
        Some(kinds @ [_, _, ..]) => {
            let by_kind: Vec<String> = kinds.iter().filter_map(kind).collect();
            format!("{}, {} with any of these processors", by_kind.join(", "), told(all))
        }
        _ => told(all),
    };
    format!("Dashed: where the ratio of another host is expected, in 95 of 100: {all}.")
}

/// `Hosts of one kind differ by 0.4 % (standard deviation of the ratio), kinds by 2 %.`
fn differences(kinds: &KindsOfHosts) -> String {
    let within = percent(kinds.sd_within);
    let between = match (kinds.kinds.len(), kinds.sd_between) {
        (_, Some(between)) => format!(", kinds by {}", percent(between)),
        (1, None) => String::new(),
        (_, None) => "; two kinds do not show by how much kinds differ".to_owned(),
    };
    format!("Hosts of one kind differ by {within} (standard deviation of the ratio){between}.")
}

/// A row for each host, those of one kind together, in the order of each kind's first.
fn rows(test: &TestResult, another: Option<[f64; 2]>) -> Vec<HostRow> {
    let kind = |run: &RunRatio| named(run.host.as_deref().unwrap_or_default()).to_owned();
    let first = |run: &RunRatio| test.runs.iter().position(|other| other.host == run.host);
    let mut runs: Vec<(&RunRatio, usize)> = test.runs.iter().zip(1..).collect();
    runs.sort_by_key(|(run, number)| (first(run), *number));
    let another = |run: &RunRatio| match kinds(test) {
        // Hardly two hosts are of one kind, and no kind has an interval of its own.
        None => another,
        Some(kinds) => kinds.kinds.iter().find(|one| one.generation == kind(run))?.another_host,
    };
    runs.into_iter().map(|(run, number)| row(test, run, number, another(run))).collect()
}

fn row(test: &TestResult, run: &RunRatio, number: usize, another: Option<[f64; 2]>) -> HostRow {
    let outcome = Outcome::on(test, run.verdict.unwrap_or(Verdict::Inconclusive));
    HostRow {
        label: format!("{number}: {}", clean(named(run.host.as_deref().unwrap_or_default()))),
        rqps: run.rqps.unwrap_or(f64::NAN),
        ci95: run.ci95,
        kind: outcome.kind(),
        verdict: outcome.marked(),
        another,
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::Reach;

    use super::*;
    use crate::fixture;

    fn run(host: Option<&str>, rqps: f64, verdict: Verdict) -> RunRatio {
        RunRatio {
            layout: None,
            started: "2026-01-02T03:04:05Z".into(),
            rqps: Some(rqps),
            ci95: Some([rqps - 0.01, rqps + 0.01]),
            verdict: Some(verdict),
            host: host.map(str::to_owned),
        }
    }

    #[test]
    fn a_test_of_several_hosts_has_a_row_for_each_and_the_interval_of_another() {
        let (mut summary, results, extras) = fixture::run();
        let test = &mut summary.comparisons[0].tests[0];
        test.runs = vec![
            run(Some("AMD Zen 3"), 0.96, Verdict::Regression),
            run(Some("Intel <Golden> Cove"), 0.95, Verdict::Regression),
            run(Some("AMD Zen 4"), 1.0, Verdict::Boring),
        ];
        let another_run = [0.9, 1.06];
        let basis = "3 hosts".to_owned();
        test.reach = Some(Reach { another_run, basis, bears_out: false, over_hosts: true, kinds: None });
        let page = crate::html(&summary, &results, &extras);
        assert_eq!(page.matches("<h3>Host by host</h3>").count(), 1);
        for expected in [
            "1: AMD Zen 3",
            "2: Intel &lt;Golden&gt; Cove",
            "all 3 hosts",
            "is expected, in 95 of 100: 0.900 to 1.060.",
            "class=\"another\"",
        ] {
            assert!(page.contains(expected), "{expected}");
        }
    }

    #[test]
    fn hosts_of_one_kind_stand_together_over_the_interval_of_another_one() {
        let (mut summary, ..) = fixture::run();
        fixture::on_hosts(&mut summary);
        let test = &mut summary.comparisons[0].tests[1];
        let strip_of_kinds = strip(test).into_string();
        let place =
            |what: &str| strip_of_kinds.find(what).unwrap_or_else(|| panic!("{what}: {strip_of_kinds}"));
        let order = [
            "<text x=\"198\" y=\"24\" text-anchor=\"end\">1: AMD Zen 3",
            ">3: AMD Zen 3",
            ">6: AMD Zen 3",
            ">2: AMD Zen 4",
            ">5: ",
            ">4: Intel",
        ];
        assert!(order.map(place).is_sorted(), "{strip_of_kinds}");
        assert_eq!(strip_of_kinds.matches("\"another\"").count(), 3, "two kinds and all: {strip_of_kinds}");
        let told = "expected, in 95 of 100: 0.996 to 1.008 with AMD Zen 3, 0.993 to 1.011 with AMD Zen 4, 0.942 to 1.062 \
                    with any of these processors.";
        assert!(strip_of_kinds.contains(told), "{strip_of_kinds}");
        let told = "Hosts of one kind differ by 0.4 % (standard deviation of the ratio), kinds by 2 %.";
        assert!(strip_of_kinds.contains(told), "{strip_of_kinds}");
        let kinds = test.reach.as_mut().unwrap().kinds.as_mut().unwrap();
        kinds.sd_between = None;
        kinds.kinds.truncate(2);
        assert!(strip(test).into_string().contains("; two kinds do not show by how much kinds differ."));
    }

    #[test]
    fn two_hosts_predict_nothing_and_hours_are_no_hosts() {
        let (mut summary, ..) = fixture::run();
        let test = &mut summary.comparisons[0].tests[0];
        test.reach = None;
        test.runs = ["a", "b"].map(|host| run(Some(host), 1.0, Verdict::Boring)).into();
        let strip_of_two = strip(test).into_string();
        assert!(
            strip_of_two.contains("do not show") && !strip_of_two.contains("\"another\""),
            "{strip_of_two}"
        );
        test.runs = vec![run(None, 1.0, Verdict::Boring), run(None, 1.0, Verdict::Boring)];
        assert_eq!(strip(test).into_string(), "");
    }
}
