//! Hosts by the kind of their processor: where the ratio of another host of a kind lies.
//!
//! ```text
//!   y_gi = θ + v_g + u_gi + e_gi    kinds g, hosts i of each; v_g: what the kind does to the ratio; u_gi: what the host does
//! ```
//!
//! Hosts of all kinds together show the variance of u, each by its distance from the mean of its kind. It is
//! taken to be one number for all kinds, so that two hosts of each of two kinds are enough. The means of the kinds show the variance of v.

use super::{LEVEL, RunEstimate, freedom_within, median_unbiased, median_unbiased_within, weighted};
use crate::dist::t_critical;

/// Degrees of freedom below which no interval is given: two hosts of one kind say nothing.
const FREEDOM_MIN: f64 = 2.0;

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
    let groups: Vec<&[RunEstimate]> = groups.iter().map(Vec::as_slice).collect();
    let freedom = freedom_within(&groups);
    if freedom < FREEDOM_MIN {
        return None;
    }
    let within = median_unbiased_within(&groups);
    let mut means = Vec::new();
    let mut kinds = Vec::new();
    for hosts in &groups {
        let found = weighted(hosts, within);
        let half = t_critical(LEVEL, freedom) * (1.0 / found.total + within).sqrt();
        let another = (hosts.len() > 1).then_some([found.mean - half, found.mean + half]);
        kinds.push(OfKind { mean: found.mean, another });
        means.push(RunEstimate { mean: found.mean, standard_error: found.total.recip().sqrt(), freedom });
    }
    let between = (means.len() > 2).then(|| median_unbiased(&means).sqrt());
    Some(Kinds { within: within.sqrt(), between, kinds })
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
