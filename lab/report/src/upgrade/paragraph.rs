//! The paragraph for whoever decides on an upgrade.

use humdrum_model::{TestStatus, Upgrade, UpgradeCost, UpgradeStatement, Verdict};

use crate::number::{duration, interval, percent};
use crate::text::clean;
use crate::words::{first, times};

/// Least difference in size or time of a load that is worth a sentence.
const COST_MIN: f64 = 0.03;

/// One paragraph without a number that it does not need.
pub(super) fn paragraph(upgrade: &Upgrade) -> String {
    let sentences = [
        Some(tried(upgrade)),
        slower(upgrade),
        faster(upgrade),
        together(upgrade),
        trouble(upgrade),
        plans(upgrade),
        costs(upgrade),
    ];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn with(upgrade: &Upgrade, verdict: Verdict) -> Vec<&UpgradeStatement> {
    let ok = upgrade.statements.iter().filter(|one| one.status == TestStatus::Ok);
    ok.filter(|one| one.verdict == Some(verdict)).collect()
}

fn tried(upgrade: &Upgrade) -> String {
    let all = upgrade.statements.len();
    let as_before = with(upgrade, Verdict::Boring).len();
    let unclear = with(upgrade, Verdict::Inconclusive).len() + with(upgrade, Verdict::Unstable).len();
    let as_before = match as_before {
        0 => "none runs".to_owned(),
        1 => "1 runs".to_owned(),
        count => format!("{count} run"),
    };
    let undecided = match unclear {
        0 => String::new(),
        1 => ", and one is not decided".to_owned(),
        count => format!(", and {count} are not decided"),
    };
    let (from, to) = (clean(&upgrade.from), clean(&upgrade.to));
    format!(
        "The change from {from} to {to} was tried with {all} statement{}: {as_before} as before{undecided}.",
        if all == 1 { "" } else { "s" },
    )
}

fn slower(upgrade: &Upgrade) -> Option<String> {
    moved(upgrade, Verdict::Regression, "slower")
}

fn faster(upgrade: &Upgrade) -> Option<String> {
    moved(upgrade, Verdict::Improvement, "faster")
}

fn moved(upgrade: &Upgrade, verdict: Verdict, word: &str) -> Option<String> {
    let mut found = with(upgrade, verdict);
    let size = |one: &UpgradeStatement| one.rqps.map_or(0.0, |ratio| ratio.ln().abs());
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let share = |one: &UpgradeStatement| match one.share {
        Some(share) => format!(", {} of the time", percent(share)),
        None => String::new(),
    };
    let told: Vec<String> =
        found.iter().map(|one| format!("{} ({}{})", clean(&one.test), times(one.rqps), share(one))).collect();
    let are = if told.len() == 1 { "is" } else { "are" };
    (!told.is_empty()).then(|| format!("{} {are} {word}: {}.", told.len(), first(&told)))
}

fn together(upgrade: &Upgrade) -> Option<String> {
    let mix = upgrade.mix.as_ref()?;
    let ratio = mix.rqps.filter(|_| mix.status == TestStatus::Ok)?;
    let (change, ends) = ((ratio - 1.0).abs(), interval(mix.ci95));
    let word = if ratio < 1.0 { "less" } else { "more" };
    Some(match mix.verdict {
        Some(Verdict::Boring) => {
            format!(
                "All together, by how often they run, the new release does as much as the old one ({} {ends}).",
                times(Some(ratio))
            )
        }
        Some(Verdict::Regression | Verdict::Improvement) => format!(
            "All together, by how often they run, the new release does {} {word} ({} {ends}).",
            percent(change),
            times(Some(ratio))
        ),
        _ => {
            format!("All together, by how often they run, it is not decided ({} {ends}).", times(Some(ratio)))
        }
    })
}

fn trouble(upgrade: &Upgrade) -> Option<String> {
    match upgrade.trouble.len() {
        0 => Some("No statement failed, and all answers are the same.".to_owned()),
        1 => Some("One thing failed or answered otherwise, and must be looked at first.".to_owned()),
        count => Some(format!("{count} things failed or answered otherwise, and must be looked at first.")),
    }
}

fn plans(upgrade: &Upgrade) -> Option<String> {
    let changed = upgrade.statements.iter().filter(|one| !one.plans.is_empty()).count();
    let settings = upgrade.source.as_ref().map_or(0, |source| source.refused.len());
    let plans = match changed {
        0 => None,
        1 => Some("One statement has another query plan.".to_owned()),
        count => Some(format!("{count} statements have other query plans.")),
    };
    let dropped = (settings > 0)
        .then(|| format!("The new release does not take {settings} of the settings that were chosen."));
    let both: Vec<String> = [plans, dropped].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(" "))
}

fn costs(upgrade: &Upgrade) -> Option<String> {
    let [old, new] = upgrade.costs.filter(|costs| costs.iter().all(|cost| cost.bytes > 0))?;
    let relative = |of: fn(&UpgradeCost) -> f64| (of(&old) > 0.0).then(|| of(&new) / of(&old) - 1.0);
    let size = relative(|cost| cost.bytes as f64).filter(|change| change.abs() >= COST_MIN);
    let room = match size {
        Some(change) => {
            format!("{} {} room", percent(change.abs()), if change < 0.0 { "less" } else { "more" })
        }
        None => "as much room".to_owned(),
    };
    let (before, after) = (duration(old.load_seconds), duration(new.load_seconds));
    Some(format!("The data take {room} and were loaded in {after} (before: {before})."))
}
