//! A test on several hosts: a row for each, and where another host is expected. Runs of one host at several hours have none.

use humdrum_charts::{HostRow, hosts};
use humdrum_model::{RunRatio, TestResult, Verdict};
use maud::{Markup, html};

use crate::text::clean;
use crate::words::Outcome;

/// The strip of hosts; empty for runs of one host.
pub(super) fn strip(test: &TestResult) -> Markup {
    let hosts_known = test.runs.len() > 1 && test.runs.iter().all(|run| run.host.is_some());
    if !hosts_known {
        return html! {};
    }
    let rows: Vec<HostRow> = test.runs.iter().zip(1..).map(|(run, number)| row(test, run, number)).collect();
    let outcome = Outcome::of(test);
    let all = HostRow {
        label: format!("all {} hosts", rows.len()),
        rqps: test.rqps.unwrap_or(f64::NAN),
        ci95: test.ci95,
        kind: outcome.kind(),
        verdict: outcome.marked(),
    };
    let another = test.reach.as_ref().filter(|reach| reach.over_hosts).map(|reach| reach.another_run);
    html! {
        h3 { "Host by host" }
        div.scroll tabindex="0" { (hosts(&format!("{} by host", clean(&test.test)), &rows, &all, another, test.delta)) }
        p.quiet {
            "Grey: ±δ, within which a change does not matter. "
            @match another {
                Some([low, high]) => {
                    "Dashed: where the ratio of another host is expected, " (format!("{low:.3} to {high:.3}"))
                    " (of 95 in 100 such hosts)."
                }
                None => "Fewer than three hosts do not show where another host's ratio is to be expected.",
            }
        }
    }
}

fn row(test: &TestResult, run: &RunRatio, number: u32) -> HostRow {
    let outcome = Outcome::on(test, run.verdict.unwrap_or(Verdict::Inconclusive));
    HostRow {
        label: format!("{number}: {}", clean(run.host.as_deref().unwrap_or_default())),
        rqps: run.rqps.unwrap_or(f64::NAN),
        ci95: run.ci95,
        kind: outcome.kind(),
        verdict: outcome.marked(),
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
            "is expected, 0.900 to 1.060",
            "class=\"another\"",
        ] {
            assert!(page.contains(expected), "{expected}");
        }
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
