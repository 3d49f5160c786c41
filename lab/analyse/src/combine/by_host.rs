//! What hosts say of one test when they do not agree: on which hosts it has which verdict, and which host stands apart.

use humdrum_model::{RunRatio, Verdict};

use super::Row;
use crate::hosts::grouped;
use crate::reach::{RunEstimate, standing_apart};

/// Verdicts in the order in which they are told.
const ORDER: [Verdict; 4] =
    [Verdict::Regression, Verdict::Improvement, Verdict::Boring, Verdict::Inconclusive];

/// Notes on a test that was measured on several hosts; none if all have one verdict and none stands apart.
pub(super) fn notes(hosts: &[(&Row, RunEstimate)]) -> Vec<String> {
    let estimates: Vec<RunEstimate> = hosts.iter().map(|(_, estimate)| *estimate).collect();
    let apart = standing_apart(&estimates).into_iter().filter_map(|(place, others)| {
        let (row, estimate) = hosts.get(place)?;
        let [low, high] = others.map(f64::exp);
        let (name, ratio) = (&row.name, estimate.mean.exp());
        Some(format!("{name} stands apart: {ratio:.3}, where the other hosts predict {low:.3} to {high:.3}"))
    });
    let ratios: Vec<&RunRatio> = hosts.iter().map(|(row, _)| &row.ratio).collect();
    verdicts(&ratios).into_iter().chain(apart).collect()
}

/// `by host: regression on AMD Zen 3 (2) and Intel Golden Cove; boring on AMD Zen 4`; `None` where all have one verdict.
pub(super) fn verdicts(hosts: &[&RunRatio]) -> Option<String> {
    let of = |verdict: &Verdict| {
        let same: Vec<&str> =
            hosts.iter().filter(|host| host.verdict == Some(*verdict)).map(|host| name(host)).collect();
        (!same.is_empty()).then(|| format!("{} on {}", verdict.word(), listed(&same)))
    };
    let told: Vec<String> = ORDER.iter().filter_map(of).collect();
    (told.len() > 1).then(|| format!("by host: {}", told.join("; ")))
}

fn name(host: &RunRatio) -> &str {
    host.host.as_deref().filter(|name| !name.is_empty()).unwrap_or("an unknown processor")
}

/// Generations in the order of their first host, with their numbers where several hosts are of one.
fn listed(names: &[&str]) -> String {
    let counted = grouped(names.iter().map(|name| (*name, ())));
    let shown: Vec<String> = counted
        .into_iter()
        .map(|(name, all)| if all.len() > 1 { format!("{name} ({})", all.len()) } else { name.to_owned() })
        .collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::TestStatus;

    use super::*;

    fn hosts(of: &[(&str, f64, Verdict)]) -> Vec<(Row, RunEstimate)> {
        let row = |((name, mean, verdict), number): (&(&str, f64, Verdict), usize)| {
            let ratio = RunRatio {
                layout: None,
                started: String::new(),
                rqps: Some(mean.exp()),
                ci95: None,
                verdict: Some(*verdict),
                host: Some((*name).to_owned()),
            };
            let estimate = RunEstimate { mean: *mean, standard_error: 0.002, freedom: 8.0 };
            let name = format!("host {number} ({name})");
            (
                Row { ratio, estimate: Some(estimate), status: TestStatus::Ok, name, runs: vec![number - 1] },
                estimate,
            )
        };
        of.iter().zip(1..).map(row).collect()
    }

    fn told(of: &[(&str, f64, Verdict)]) -> Vec<String> {
        let hosts = hosts(of);
        notes(&hosts.iter().map(|(row, estimate)| (row, *estimate)).collect::<Vec<_>>())
    }

    #[test]
    fn verdicts_are_told_where_hosts_differ() {
        use Verdict::{Boring, Inconclusive, Regression};
        let found = told(&[
            ("AMD Zen 3", -0.04, Regression),
            ("AMD Zen 4", 0.0, Boring),
            ("AMD Zen 3", -0.05, Regression),
            ("Intel Golden Cove", -0.03, Regression),
            ("AMD Zen 5", -0.01, Inconclusive),
        ]);
        let expected = "by host: regression on AMD Zen 3 (2) and Intel Golden Cove; boring on AMD Zen 4; \
                        inconclusive on AMD Zen 5";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn agreement_needs_no_note_and_one_that_stands_apart_is_named() {
        use Verdict::Regression;
        let all = ["a", "b", "c", "d", "e"].map(|name| (name, -0.04, Regression));
        assert!(told(&all).is_empty());
        let found = told(&[
            ("a", -0.041, Regression),
            ("b", -0.039, Regression),
            ("c", -0.4, Regression),
            ("d", -0.042, Regression),
            ("e", -0.038, Regression),
        ]);
        let [note] = found.try_into().expect("one note");
        assert!(
            note.starts_with("host 3 (c) stands apart: 0.670, where the other hosts predict 0.9"),
            "{note}"
        );
    }
}
