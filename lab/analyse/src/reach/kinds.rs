//! Hosts by the kind of their processor: where the ratio of another host of a kind lies, and whether hosts show where another one's lies at all.
//!
//! ```text
//!   y_gi = θ + v_g + u_gi + e_gi    kinds g, hosts i of each; v_g: what the kind does to the ratio; u_gi: what the host does
//! ```
//!
//! Hosts of all kinds together show the variance of u (`levels.rs`). The means of the kinds show the variance of v.

use super::{LEVEL, Level, RunEstimate, levels, median_unbiased};
use crate::dist::t_critical;

/// Hosts more than kinds, below which no interval is given: two hosts of one kind say nothing.
const FREEDOM_MIN: usize = 2;

/// Kinds from which on hosts show by how much kinds differ, though hardly two are of one kind. Where kinds are of two sorts, four of them
/// are of one sort in one case of eight, and do not show the other; the mean of five holds in 93.5 % of sets (`of_hosts.rs`).
const KINDS_MIN: usize = 5;

/// Whether so many hosts of so many kinds show where the ratio of another host lies. Three hosts of two kinds do not: their
/// interval held in 88 % of simulated sets, and that of their mean in 77 %.
pub(crate) fn show_another(hosts: usize, kinds: usize) -> bool {
    hosts >= kinds + FREEDOM_MIN || kinds >= KINDS_MIN
}

/// What hosts of several kinds show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kinds {
    /// Sd between hosts of one kind, ln units.
    pub within: f64,
    /// Sd between kinds, ln units; `None` for fewer than three kinds.
    pub between: Option<f64>,
    /// The kinds, in the order given.
    pub kinds: Vec<OfKind>,
}

/// What is known of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfKind {
    /// Mean ln ratio of its hosts.
    pub mean: f64,
    /// 95 % prediction interval of the true ln ratio on another host of this kind; `None` for a kind with a single host.
    pub another: Option<[f64; 2]>,
}

/// Hosts grouped by kind. `None` where they are too few to show how much hosts of one kind differ.
pub(crate) fn by_kind(groups: &[Vec<RunEstimate>]) -> Option<Kinds> {
    let hosts: usize = groups.iter().map(Vec::len).sum();
    if hosts < groups.len() + FREEDOM_MIN {
        return None;
    }
    let found = levels(&groups.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let kind = |(hosts, level): (&Vec<RunEstimate>, &Level)| {
        let half = t_critical(LEVEL, found.freedom) * (level.variance + found.within).sqrt();
        let another = (hosts.len() > 1).then_some([level.mean - half, level.mean + half]);
        OfKind { mean: level.mean, another }
    };
    let mean = |level: &Level| RunEstimate {
        mean: level.mean,
        standard_error: level.variance.sqrt(),
        freedom: found.freedom,
    };
    let means: Vec<RunEstimate> = found.levels.iter().map(mean).collect();
    Some(Kinds {
        within: found.within.sqrt(),
        between: (means.len() > 2).then(|| median_unbiased(&means).sqrt()),
        kinds: groups.iter().zip(&found.levels).map(kind).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Rng;

    fn host(mean: f64) -> RunEstimate {
        RunEstimate { mean, standard_error: 0.001, freedom: 8.0 }
    }

    #[test]
    fn kinds_that_differ_do_not_widen_each_other() {
        let of = |apart: f64| {
            let group = |at: f64| vec![host(at - 0.001), host(at), host(at + 0.001)];
            by_kind(&[group(0.0), group(apart), group(2.0 * apart)]).unwrap()
        };
        let (near, far) = (of(0.0), of(0.05));
        let width = |found: &Kinds| found.kinds[0].another.map(|[low, high]| high - low).unwrap();
        assert!((width(&near) - width(&far)).abs() < 1e-9, "{near:?} {far:?}");
        assert!((far.kinds[1].mean - 0.05).abs() < 1e-9 && width(&far) < 0.01);
        assert!(far.between.is_some_and(|sd| sd > 0.03), "{far:?}");
        assert!(near.between.is_some_and(|sd| sd < 0.001), "{near:?}");
    }

    #[test]
    fn few_hosts_of_a_kind_say_nothing_of_another() {
        assert_eq!(by_kind(&[vec![host(0.0), host(0.1)], vec![host(0.2)]]), None);
        let found = by_kind(&[vec![host(0.0), host(0.1), host(0.05)], vec![host(0.2)]]).unwrap();
        assert!(
            found.kinds[0].another.is_some() && found.kinds[1].another.is_none() && found.between.is_none()
        );
    }

    #[test]
    fn three_hosts_of_one_kind_or_five_kinds_show_where_another_lies() {
        let enough = [(3, 1), (4, 2), (5, 3), (5, 5), (6, 5)];
        assert!(enough.iter().all(|&(hosts, kinds)| show_another(hosts, kinds)));
        let too_few = [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4)];
        assert!(!too_few.iter().any(|&(hosts, kinds)| show_another(hosts, kinds)));
    }

    #[test]
    fn the_variance_within_kinds_is_found() {
        let mut rng = Rng::new(4);
        let mut sum = 0.0;
        for _ in 0..400 {
            let mut group = |at: f64| (0..4).map(|_| host(at + 0.005 * rng.normal())).collect::<Vec<_>>();
            let found = by_kind(&[group(0.0), group(0.1), group(-0.2)]).unwrap();
            sum += found.within.powi(2);
        }
        let sd = (sum / 400.0).sqrt();
        assert!((0.0045..0.0062).contains(&sd), "{sd}");
    }
}
