//! What a setting carries of a change, from fresh blocks of four subjects that ran beside each other: both as they
//! are, the new one with the old value, the old one with the new value.

use humdrum_analyse::{Mean, log_ratios, mean_of};
use humdrum_model::{Carried, Change, Results, SettingChange};

/// Who is who among the subjects of a proof; the old one is the base, 0, and the new one 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The new one with the old value.
    pub back: Option<usize>,
    /// The old one with the new value.
    pub forth: Option<usize>,
}

/// Reads a proof. Shares are of the change that the same blocks show between old and new, so that they belong
/// together; their interval knows that both are uncertain (a ratio of means, linearised).
pub fn carried(results: &Results, test: &str, setting: &SettingChange, proof: Proof) -> Carried {
    let whole = log_ratios(results, test, 1, 0);
    let back = proof.back.map(|subject| log_ratios(results, test, subject, 1));
    let forth = proof.forth.map(|subject| log_ratios(results, test, subject, 0));
    let share = share(&whole, back.as_deref(), forth.as_deref());
    Carried {
        name: setting.name.clone(),
        base: setting.base.clone(),
        subject: setting.subject.clone(),
        back: back.as_deref().and_then(change),
        forth: forth.as_deref().and_then(change),
        share: share.map(|share| share.mean),
        share_ci95: share.and_then(|share| share.ci95),
        note: share.is_none().then(|| "too few sessions, or nothing moved in the fresh blocks".to_owned()),
    }
}

fn change(log_ratios: &[f64]) -> Option<Change> {
    let mean = mean_of(log_ratios)?;
    Some(Change { base: 0.0, subject: mean.mean, change: mean.mean, ci95: mean.ci95 })
}

/// Going back takes away what the setting brought; going forth brings it.
fn share(whole: &[f64], back: Option<&[f64]>, forth: Option<&[f64]>) -> Option<Mean> {
    let ways: Vec<Vec<f64>> =
        [back.map(|values| values.iter().map(|value| -value).collect()), forth.map(<[f64]>::to_vec)]
            .into_iter()
            .flatten()
            .filter(|values: &Vec<f64>| values.len() == whole.len())
            .collect();
    let total =
        mean_of(whole).filter(|total| total.ci95.is_some_and(|[low, high]| low > 0.0 || high < 0.0))?;
    if ways.is_empty() {
        return None;
    }
    let carried = |session: usize| ways.iter().map(|way| way[session]).sum::<f64>() / ways.len() as f64;
    let carried: Vec<f64> = (0..whole.len()).map(carried).collect();
    let ratio = mean_of(&carried)?.mean / total.mean;
    let off: Vec<f64> =
        carried.iter().zip(whole).map(|(part, whole)| (part - ratio * whole) / total.mean).collect();
    let off = mean_of(&off)?;
    Some(Mean { mean: ratio, ci95: off.ci95.map(|[low, high]| [ratio + low, ratio + high]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_carries_half_is_seen_to() {
        let whole = [-0.20, -0.21, -0.19, -0.20];
        let back = [0.10, 0.11, 0.09, 0.10];
        let forth = [-0.10, -0.10, -0.10, -0.10];
        let found = share(&whole, Some(&back), Some(&forth)).unwrap();
        let [low, high] = found.ci95.unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9 && low < 0.5 && high > 0.5 && high - low < 0.1, "{found:?}");
    }

    #[test]
    fn nothing_is_carried_of_no_change() {
        assert!(share(&[0.01, -0.01, 0.005], Some(&[0.0, 0.01, 0.0]), None).is_none());
        assert!(share(&[-0.2, -0.2, -0.21], None, None).is_none());
    }
}
