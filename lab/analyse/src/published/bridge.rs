//! The walk from a ratio of ours to a published one: results under several set-ups, each a step nearer to the publication's. A step
//! shows what its change of the set-up does to the ratio, and what none of them does is left.

use humdrum_model::{Bridge, BridgeStep, Difference, Measured, Published, Walk};

use super::nearest::nearest;

/// Walks to every published ratio that two of the steps measured; what one alone has is counted. `steps` are the results under
/// each set-up, in order.
pub fn bridge(published: &[Published], steps: &[Vec<Measured>]) -> Bridge {
    let name = |step: &Vec<Measured>| step.first().map(|own| own.host.clone());
    let walks = published.iter().filter_map(|one| walk(one, steps));
    let (walks, alone): (Vec<Walk>, Vec<Walk>) = walks.partition(|walk| walk.steps.len() > 1);
    Bridge { steps: steps.iter().filter_map(name).collect(), walks, alone: alone.len() }
}

fn walk(published: &Published, all: &[Vec<Measured>]) -> Option<Walk> {
    let mut steps: Vec<BridgeStep> = Vec::new();
    for measured in all.iter().filter_map(|step| nearest(published, step).into_iter().next()) {
        let change = steps.last().map(|before| change(&before.measured, &measured));
        steps.push(BridgeStep { measured, change });
    }
    let last = &steps.last()?.measured;
    let [low, high] = last.interval();
    let (ratio, rounding) = (published.ratio, published.rounding);
    let left = Difference {
        ratio: ratio / last.ratio,
        ci95: [(ratio - rounding).max(0.0) / high, (ratio + rounding) / low],
    };
    Some(Walk { published: published.clone(), left, steps })
}

/// The errors of two runs are independent, so that the half-widths of their intervals (of logarithms) add as squares.
fn change(before: &Measured, after: &Measured) -> Difference {
    let half = |own: &Measured| {
        let [low, high] = own.interval().map(f64::ln);
        (high - low) / 2.0
    };
    let (mean, half) = ((after.ratio / before.ratio).ln(), half(before).hypot(half(after)));
    Difference { ratio: mean.exp(), ci95: [(mean - half).exp(), (mean + half).exp()] }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{own, published};
    use super::*;

    #[test]
    fn a_walk_goes_from_step_to_step_and_names_what_is_left() {
        let steps =
            [("160k", 1.0), ("10M", 0.9), ("tcp", 0.9)].map(|(step, ratio)| vec![own(step, "scan", ratio)]);
        let found = bridge(&[published("scan", 0.8), published("insert", 0.7)], &steps);
        assert_eq!(found.steps, ["160k", "10M", "tcp"]);
        assert_eq!(found.alone, 0);
        let [walk] = &found.walks[..] else { panic!("insert was not measured: {found:?}") };
        let changes: Vec<Option<Difference>> = walk.steps.iter().map(|step| step.change).collect();
        assert_eq!(changes[0], None);
        let rows = changes[1].expect("rows");
        assert!((rows.ratio - 0.9).abs() < 1e-12 && rows.ci95[1] < 0.914 && rows.ci95[0] > 0.886, "{rows:?}");
        let tcp = changes[2].expect("tcp");
        assert!(tcp.ci95[0] < 1.0 && tcp.ci95[1] > 1.0, "{tcp:?}");
        assert!((walk.left.ratio - 0.8 / 0.9).abs() < 1e-12, "{walk:?}");
        assert!((walk.left.ci95[1] - 0.805 / (0.9 * 0.99)).abs() < 1e-9, "{walk:?}");
    }

    /// All changes and what is left make the whole way.
    #[test]
    fn changes_multiply_to_the_way_and_a_step_without_the_test_is_passed() {
        let steps = [vec![own("a", "scan", 1.3)], vec![own("b", "insert", 0.6)], vec![own("c", "scan", 1.1)]];
        let found = bridge(&[published("scan", 1.05)], &steps);
        let walk = &found.walks[0];
        let names: Vec<&str> = walk.steps.iter().map(|step| step.measured.host.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let way: f64 = walk.steps.iter().filter_map(|step| Some(step.change?.ratio)).product();
        assert!((1.3 * way * walk.left.ratio - 1.05).abs() < 1e-12, "{walk:?}");
    }

    #[test]
    fn a_ratio_of_one_step_alone_is_counted() {
        let first = vec![own("a", "scan", 1.0), own("a", "insert", 0.7)];
        let found = bridge(
            &[published("insert", 0.8), published("scan", 0.8)],
            &[first, vec![own("b", "scan", 0.9)]],
        );
        let walks: Vec<&str> = found.walks.iter().map(|walk| &walk.published.test[..]).collect();
        assert_eq!((walks, found.alone), (vec!["scan"], 1));
    }

    #[test]
    fn what_is_known_of_other_runs_widens_a_step() {
        let mut wide = own("b", "scan", 0.9);
        wide.another_run = Some([0.8, 1.0125]);
        let found = bridge(&[published("scan", 0.8)], &[vec![own("a", "scan", 1.0)], vec![wide]]);
        let change = found.walks[0].steps[1].change.expect("a change");
        assert!(change.ci95[0] < 0.81 && change.ci95[1] > 1.0, "{change:?}");
    }
}
