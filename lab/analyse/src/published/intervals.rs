//! How far the figures of a row carry: the intervals of its hosts, and the one for another host.

use humdrum_model::{Carries, Measured};

use crate::reach::{RunEstimate, another_host};

/// Hosts from which on there is a prediction for another host. Tables of measured ratios have the names of hosts, and not
/// their processors.
const HOSTS_MIN: usize = 3;

/// The 95 % intervals of a row.
pub(super) struct Intervals {
    /// One of each host.
    pub(super) this_host: Vec<[f64; 2]>,
    /// How far these carry; `None` where nothing was measured.
    pub(super) this_host_carries: Option<Carries>,
    /// The prediction for another host.
    pub(super) another_host: Option<[f64; 2]>,
}

impl Intervals {
    pub(super) fn of(measured: &[Measured]) -> Self {
        let own = |of: fn(&Measured) -> [f64; 2], carries| (measured.iter().map(of).collect(), Some(carries));
        let (this_host, this_host_carries) = match measured {
            [] => (Vec::new(), None),
            [all] if all.over_hosts => own(|all| all.ci95, Carries::ThisRun),
            _ if measured.iter().all(|own| own.another_run.is_some()) => {
                own(Measured::interval, Carries::AnotherRun)
            }
            _ => own(|own| own.ci95, Carries::ThisRun),
        };
        Self { this_host, this_host_carries, another_host: prediction(measured) }
    }

    /// The intervals that carry farthest, and how far: the rule holds a published figure against them.
    pub(super) fn farthest(&self) -> (Vec<[f64; 2]>, Option<Carries>) {
        match self.another_host {
            Some(interval) => (vec![interval], Some(Carries::AnotherHost)),
            None => (self.this_host.clone(), self.this_host_carries),
        }
    }
}

/// The interval for another host. Results of several hosts have it themselves, and know the processors.
fn prediction(measured: &[Measured]) -> Option<[f64; 2]> {
    match measured {
        [all] if all.over_hosts => all.another_run,
        hosts if hosts.len() >= HOSTS_MIN => {
            let hosts: Vec<RunEstimate> = hosts.iter().map(estimate).collect();
            another_host(&hosts).map(|found| found.map(f64::exp))
        }
        _ => None,
    }
}

fn estimate(own: &Measured) -> RunEstimate {
    RunEstimate::within(own.ratio, own.interval())
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Agreement, BesideRow};

    use super::super::beside_published;
    use super::super::tests::{own, published};
    use super::*;

    fn row(published_ratio: f64, measured: &[Measured]) -> BesideRow {
        beside_published(&[published("scan", published_ratio)], measured, &[]).rows.remove(0)
    }

    #[test]
    fn three_hosts_have_their_own_intervals_and_one_for_another_host() {
        let hosts = [("a", 0.655), ("b", 0.861), ("c", 0.805)].map(|(host, ratio)| own(host, "scan", ratio));
        let row = row(0.69, &hosts);
        assert_eq!((row.carries, row.agreement), (Some(Carries::AnotherHost), Agreement::Agrees));
        assert_eq!((&row.intervals[..], row.another_host.is_some()), (row.another_host.as_slice(), true));
        assert!(row.intervals[0][0] < 0.655 && row.intervals[0][1] > 0.861, "{:?}", row.intervals);
        assert_eq!(row.this_host, hosts.each_ref().map(|own| own.ci95), "in the order of `measured`");
        assert_eq!(row.this_host_carries, Some(Carries::ThisRun));
    }

    #[test]
    fn two_hosts_and_one_have_no_interval_for_another_host() {
        let known = |host: &str| Measured { another_run: Some([0.6, 0.7]), ..own(host, "scan", 0.65) };
        for hosts in [vec![known("a")], vec![known("a"), known("b")]] {
            let row = row(0.61, &hosts);
            assert_eq!((row.another_host, row.carries), (None, Some(Carries::AnotherRun)));
            assert_eq!((&row.this_host, row.this_host_carries), (&row.intervals, row.carries));
            assert_eq!(row.this_host, vec![[0.6, 0.7]; hosts.len()]);
        }
        let row = row(0.61, &[known("a"), own("b", "scan", 0.65)]);
        assert_eq!((row.carries, row.intervals.len()), (Some(Carries::ThisRun), 2));
    }

    #[test]
    fn results_of_several_hosts_know_the_interval_for_another_one() {
        let fleet =
            Measured { another_run: Some([0.55, 0.77]), over_hosts: true, ..own("fleet", "scan", 0.65) };
        let row = row(0.57, std::slice::from_ref(&fleet));
        assert_eq!((row.another_host, row.carries), (fleet.another_run, Some(Carries::AnotherHost)));
        assert_eq!((row.this_host, row.this_host_carries), (vec![fleet.ci95], Some(Carries::ThisRun)));
        assert_eq!(row.agreement, Agreement::Agrees, "it lies in the interval for another host");
    }

    #[test]
    fn what_was_not_measured_has_none() {
        let row = row(0.57, &[own("a", "insert", 0.7)]);
        assert_eq!((row.this_host_carries, row.another_host, row.carries), (None, None, None));
        assert!(row.this_host.is_empty() && row.intervals.is_empty());
    }
}
