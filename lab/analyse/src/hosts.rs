//! The interval for another host, from runs of one plan on several hosts.

use std::collections::BTreeMap;

use humdrum_model::{HostFacts, OverHosts, Results, Summary, TestResult, TestStatus};

use crate::beside::differ_in_hosts_only;
use crate::interval::means;
use crate::reach::{RunEstimate, another_host, show_another};

/// Runs of one test by their host, with the generation of its processor.
type Hosts = BTreeMap<String, (String, Vec<RunEstimate>)>;

/// Predicts the ratios on another host. Empty where the runs differ in more than their hosts, or the hosts are too few to show how much hosts differ.
/// Where records have no id of their host, two runs are of one host if processor, number of processors and memory are the same.
pub fn over_hosts(runs: &[(&Results, &Summary)]) -> OverHosts {
    let results: Vec<&Results> = runs.iter().map(|(results, _)| *results).collect();
    if !differ_in_hosts_only(&results) {
        return OverHosts::new();
    }
    let mut found: BTreeMap<(usize, String), Hosts> = BTreeMap::new();
    for (results, summary) in runs {
        let (host, generation) = (identity(&results.host), &results.host.processor.generation);
        for (place, comparison) in summary.comparisons.iter().enumerate() {
            for test in &comparison.tests {
                if let Some(estimate) = estimate(test) {
                    let hosts = found.entry((place, test.test.clone())).or_default();
                    let own = hosts.entry(host.clone()).or_insert_with(|| (generation.clone(), Vec::new()));
                    own.1.push(estimate);
                }
            }
        }
    }
    let predicted = |(test, hosts): ((usize, String), Hosts)| {
        let kinds = grouped(hosts.values().map(|(generation, _)| (generation, ()))).len();
        let estimates: Vec<RunEstimate> = hosts.values().map(|(_, runs)| pooled(runs)).collect();
        let interval = another_host(&estimates).filter(|_| show_another(hosts.len(), kinds))?;
        Some((test, interval.map(f64::exp)))
    };
    found.into_iter().filter_map(predicted).collect()
}

/// The positions of runs by host, in the order of each host's first run.
pub(crate) fn by_host(runs: &[&HostFacts]) -> Vec<Vec<usize>> {
    let places = runs.iter().enumerate().map(|(place, host)| (identity(host), place));
    grouped(places).into_iter().map(|(_, places)| places).collect()
}

/// What has one key together, in the order of each key's first.
pub(crate) fn grouped<K: PartialEq, T>(all: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut found: Vec<(K, Vec<T>)> = Vec::new();
    for (key, one) in all {
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(one),
            None => found.push((key, vec![one])),
        }
    }
    found
}

/// What tells a host from others. The id alone does not, because machines that are made from one image may share it.
pub(crate) fn identity(host: &HostFacts) -> String {
    let processor = format!("{} {} {}", host.processor.generation, host.cpu_model, host.cpus);
    match &host.id {
        Some(id) => format!("{id} {processor}"),
        None => format!("{processor} {}", host.memory_bytes),
    }
}

/// A run's estimate of its host's ratio. Its error has the variance between hours where that is known.
fn estimate(test: &TestResult) -> Option<RunEstimate> {
    let ratio = test.rqps.filter(|_| test.status == TestStatus::Ok)?;
    match &test.reach {
        Some(reach) => Some(RunEstimate::within(ratio, reach.another_run)),
        None => {
            let found = means(&test.session_log_ratios)?;
            Some(RunEstimate {
                mean: ratio.ln(),
                standard_error: found.standard_error,
                freedom: found.freedom,
            })
        }
    }
}

/// Independent runs of one host as one estimate, each by the inverse of its variance.
fn pooled(runs: &[RunEstimate]) -> RunEstimate {
    let weight = |run: &RunEstimate| 1.0 / run.standard_error.powi(2).max(f64::MIN_POSITIVE);
    let total: f64 = runs.iter().map(weight).sum();
    RunEstimate {
        mean: runs.iter().map(|run| run.mean * weight(run)).sum::<f64>() / total,
        standard_error: total.recip().sqrt(),
        freedom: runs.iter().map(|run| run.freedom).sum(),
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::Stage;

    use super::*;
    use crate::summary::summarise;
    use crate::testkit::Bench;

    /// A run of nine sessions on a host of that generation, whose ratio is `effect`, in ln units. Each seed is another host.
    fn run(seed: u64, generation: &str, effect: f64) -> (Results, Summary) {
        let mut bench = Bench::new(&["t"], 2, 0, 9);
        bench.reseed(seed);
        bench.block_noise = 0.002;
        bench.results.host.processor.generation = generation.into();
        bench.results.host.id = Some(format!("host {seed}"));
        for _ in 0..9 {
            bench.session(Stage::Confirmation, |_| true, 30, |_, _| effect);
        }
        bench.results.finished = true;
        let summary = summarise(&bench.results);
        (bench.results, summary)
    }

    fn predicted(runs: &[(Results, Summary)]) -> OverHosts {
        over_hosts(&runs.iter().map(|(results, summary)| (results, summary)).collect::<Vec<_>>())
    }

    #[test]
    fn three_hosts_predict_another_one_by_how_much_they_differ() {
        let of = |effects: [f64; 3]| {
            let runs: Vec<_> =
                effects.iter().zip(1..).map(|(effect, seed)| run(seed, "AMD Zen 3", *effect)).collect();
            let found = predicted(&runs);
            found[&(0, "t".to_owned())]
        };
        let [low, high] = of([-0.2, -0.2, -0.2]);
        let (alike, truth) = (high - low, (-0.2_f64).exp());
        assert!(low < truth && truth < high && alike < 0.06, "{low} {high}");
        let [low, high] = of([-0.3, -0.2, -0.1]);
        assert!(low < truth && truth < high && high - low > 10.0 * alike, "{low} {high}");
    }

    #[test]
    fn machines_of_one_image_and_containers_without_an_id_are_told_apart_by_their_processors() {
        let host = |id: Option<&str>, generation: &str| {
            let mut host = HostFacts { id: id.map(str::to_owned), cpus: 2, ..HostFacts::default() };
            host.processor.generation = generation.into();
            host
        };
        let of = |hosts: &[HostFacts]| by_host(&hosts.iter().collect::<Vec<_>>());
        let [a, b, none] = [Some("a"), Some("b"), None];
        assert_eq!(of(&[host(a, "Zen 3"), host(b, "Zen 3"), host(a, "Zen 3")]), [vec![0, 2], vec![1]]);
        assert_eq!(of(&[host(a, "Zen 3"), host(a, "Zen 4")]).len(), 2);
        assert_eq!(of(&[host(none, "Zen 3"), host(none, "Zen 4"), host(a, "Zen 3")]).len(), 3);
        assert_eq!(of(&[host(none, "Zen 3"), host(none, "Zen 3")]).len(), 1);
    }

    #[test]
    fn two_hosts_predict_nothing_however_many_runs_they_have() {
        let mut runs: Vec<_> = (1..=4_u64).map(|seed| run(seed, "AMD Zen 3", 0.0)).collect();
        for (place, (results, _)) in runs.iter_mut().enumerate() {
            results.host.id = Some(format!("host {}", place % 2));
        }
        assert!(predicted(&runs).is_empty());
    }

    #[test]
    fn hosts_of_as_many_kinds_predict_nothing_until_there_are_five() {
        let of = |kinds: &[&str]| {
            let runs: Vec<_> = kinds.iter().zip(1..).map(|(kind, seed)| run(seed, kind, 0.0)).collect();
            predicted(&runs).len()
        };
        let kinds = ["AMD Zen 3", "AMD Zen 4", "AMD Zen 5", "Intel Golden Cove", "Intel Lion Cove"];
        assert_eq!((of(&kinds[..3]), of(&kinds[..4]), of(&kinds)), (0, 0, 1));
        assert_eq!(of(&["AMD Zen 3", "AMD Zen 4", "AMD Zen 4"]), 0);
        assert_eq!(of(&["AMD Zen 3", "AMD Zen 4", "AMD Zen 4", "AMD Zen 3"]), 1);
    }

    #[test]
    fn runs_that_differ_in_more_than_their_hosts_predict_nothing() {
        let mut runs: Vec<_> = (1..=3).map(|seed| run(seed, "AMD Zen 3", 0.0)).collect();
        assert_eq!(predicted(&runs).len(), 1);
        runs[1].0.plan.scale.clients = 16;
        assert!(predicted(&runs).is_empty());
    }
}
