//! Results of one host in the place of published figures, so that another host's stand beside them by the same rule.

use humdrum_model::{Beside, Measured, Published};

use super::beside_published;

/// Sets what `others` measured beside each ratio of `reference`, the results of one host.
pub fn beside_own(reference: &[Measured], others: &[Measured]) -> Beside {
    let figures: Vec<Published> = reference.iter().map(figure).collect();
    let host = reference.first().map(|own| own.host.clone());
    Beside { reference: host, ..beside_published(&figures, others, &[]) }
}

fn figure(own: &Measured) -> Published {
    Published {
        title: own.host.clone(),
        engine: own.engine.clone(),
        benchmark: own.suite.clone(),
        condition: own.settings.clone(),
        base: own.base.clone(),
        subject: own.subject.clone(),
        test: own.test.clone(),
        ratio: own.ratio,
        ci95: Some(own.interval()),
        ..Published::default()
    }
}

/// Whether the difference of two measured ratios (of their logarithms) has a 95 % interval that includes 0. Their errors are
/// independent, since hosts share nothing.
pub(super) fn is_equal(one: [f64; 2], other: [f64; 2]) -> bool {
    let middle_and_half = |[low, high]: [f64; 2]| {
        let (low, high) = (low.ln(), high.ln());
        (f64::midpoint(low, high), (high - low) / 2.0)
    };
    let ((a, half_a), (b, half_b)) = (middle_and_half(one), middle_and_half(other));
    (a - b).abs() <= half_a.hypot(half_b)
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Agreement, Carries};

    use super::super::tests::own;
    use super::*;

    fn agreement(reference: f64, ratio: f64) -> Agreement {
        beside_own(&[own("xeon", "scan", reference)], &[own("zen", "scan", ratio)]).rows[0].agreement
    }

    /// Each interval is 1 % to either side, so that of the difference is 1.41 %.
    #[test]
    fn two_measured_ratios_agree_when_their_difference_may_be_nothing() {
        assert_eq!(agreement(0.70, 0.709), Agreement::Agrees);
        assert_eq!(
            agreement(0.70, 0.7105),
            Agreement::SameDirection,
            "the intervals overlap, the difference is not 0"
        );
        assert_eq!(agreement(0.97, 1.03), Agreement::Differs);
        assert_eq!(agreement(1.20, 1.0), Agreement::Differs);
    }

    #[test]
    fn the_first_host_is_the_reference_and_its_interval_for_another_run_counts() {
        let mut wide = own("xeon", "scan", 0.70);
        wide.another_run = Some([0.63, 0.77]);
        let found = beside_own(&[wide, own("xeon", "insert", 0.9)], &[own("zen", "scan", 0.75)]);
        assert_eq!(found.reference.as_deref(), Some("xeon"));
        assert_eq!(found.hosts, ["zen"]);
        let agreements: Vec<Agreement> = found.rows.iter().map(|row| row.agreement).collect();
        assert_eq!(agreements, [Agreement::Agrees, Agreement::NotComparable]);
        assert_eq!(found.rows[0].carries, Some(Carries::ThisRun));
        assert_eq!(found.totals.agree.map(|rate| (rate.count, rate.of)), Some((1, 1)));
    }
}
