//! Settings that differ between the base and one subject, and who decided them.

use humdrum_analyse::setting_differences;
use humdrum_model::{Results, Setting, SettingChange, SettingOrigin};

/// What the user set first, then what a configuration set, then defaults; by name within each.
pub fn settings(results: &Results, subject: usize) -> Vec<SettingChange> {
    let differ = setting_differences(results).into_iter().filter_map(|row| {
        let [base, other] = [0, subject].map(|place| row.values.get(place).cloned().flatten());
        let origin = origin(results, 0, &row.name).max(origin(results, subject, &row.name));
        (base != other).then_some(SettingChange { name: row.name, base, subject: other, origin })
    });
    let mut found: Vec<SettingChange> = differ.collect();
    found.sort_by(|a, b| b.origin.cmp(&a.origin).then_with(|| a.name.cmp(&b.name)));
    found
}

fn origin(results: &Results, subject: usize, name: &str) -> SettingOrigin {
    let typed = results.plan.subjects.get(subject).is_some_and(|subject| {
        subject.settings.iter().any(|setting| match setting {
            Setting::Value { key, .. } | Setting::Named(key) => is_same(key, name),
        })
    });
    let given = results.subjects.get(subject);
    let given = given.is_some_and(|facts| facts.given.iter().any(|(key, _)| is_same(key, name)));
    match (typed, given) {
        (true, _) => SettingOrigin::User,
        (false, true) => SettingOrigin::Configuration,
        (false, false) => SettingOrigin::Default,
    }
}

/// Some engines take dashes for underscores, and capitals.
fn is_same(typed: &str, name: &str) -> bool {
    typed.len() == name.len()
        && typed.chars().zip(name.chars()).all(|(a, b)| {
            let plain = |c: char| if c == '-' { '_' } else { c.to_ascii_lowercase() };
            plain(a) == plain(b)
        })
}
