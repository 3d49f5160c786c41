//! Settings that differ between the base and one subject, and where their values come from.

use humdrum_analyse::setting_differences;
use humdrum_model::{Flag, Results, Setting, SettingChange, SettingOrigin, differing_flags, with_flags_of};

/// Parts of names of settings that are known to carry changes, the likeliest first: those that matter at every commit,
/// and those that matter for every statement.
const WRITES: [&str; 14] = [
    "gtid",
    "flush",
    "fsync",
    "doublewrite",
    "full_page",
    "synchronous",
    "sync",
    "checksum",
    "binlog",
    "log_bin",
    "change_buffer",
    "redo_log",
    "innodb_log",
    "wal",
];
const READS: [&str; 15] = [
    "optimizer_switch",
    "enable_",
    "cost",
    "planner",
    "optimizer",
    "jit",
    "adaptive_hash",
    "buffer_pool",
    "shared_buffers",
    "cache",
    "character_set",
    "collation",
    "charset",
    "work_mem",
    "temptable",
];
/// Parts of names of settings that only describe a build.
const FACTS: [&str; 5] = ["version", "build_id", "comment", "compile", "performance_schema_max"];

/// Settings that both subjects know, in the order in which to try them. Between two releases dozens of defaults differ,
/// and each takes a run to try. Chosen settings come first, as in `settings`; then those that are known to matter for
/// such a test; then those that matter for other tests.
pub fn worth_trying(differ: &[SettingChange], writes: bool) -> Vec<&SettingChange> {
    let known = differ.iter().filter(|one| one.base.is_some() && one.subject.is_some());
    let mut known: Vec<&SettingChange> = known.collect();
    known.sort_by_key(|one| (std::cmp::Reverse(one.origin), rank(&one.name, writes)));
    known
}

/// The flags in which both values of a setting differ, each as a setting of its own that can be tried: `optimizer_switch mrr`. Empty
/// for settings that are no lists of flags, and for those of one such flag, which is the setting itself.
pub fn flags_of(setting: &SettingChange) -> Vec<SettingChange> {
    let (Some(base), Some(subject)) = (&setting.base, &setting.subject) else { return Vec::new() };
    let tries = |flag: &Flag<'_>| {
        let back = with_flags_of(subject, base, Some(flag.name));
        back.or_else(|| with_flags_of(base, subject, Some(flag.name))).is_some()
    };
    let flags = differing_flags(&[Some(base), Some(subject)]).unwrap_or_default();
    let one = |flag: &Flag<'_>| SettingChange {
        name: format!("{} {}", setting.name, flag.name),
        base: flag.values[0].map(str::to_owned),
        subject: flag.values[1].map(str::to_owned),
        origin: setting.origin,
    };
    let found: Vec<SettingChange> = flags.iter().filter(|flag| tries(flag)).map(one).collect();
    if found.len() > 1 { found } else { Vec::new() }
}

/// The setting of such a name, and its flag if it has one.
pub fn setting_and_flag(name: &str) -> (&str, Option<&str>) {
    name.split_once(' ').map_or((name, None), |(setting, flag)| (setting, Some(flag)))
}

/// The value with which a subject that has `own` takes a setting from one that has `other`: all of it, or the flags that differ, or
/// one flag. `None` if nothing would change.
pub fn taken_over(flag: Option<&str>, own: Option<&str>, other: Option<&str>) -> Option<String> {
    match (own, other?) {
        (Some(own), other) if differing_flags(&[Some(own), Some(other)]).is_some() => {
            with_flags_of(own, other, flag)
        }
        (_, other) => Some(other.to_owned()),
    }
}

/// How likely a setting is to carry a change, the likeliest first.
pub(crate) fn rank(name: &str, writes: bool) -> usize {
    let (own, others): (&[&str], &[&str]) = if writes { (&WRITES, &READS) } else { (&READS, &WRITES) };
    let name = name.to_ascii_lowercase().replace('-', "_");
    if FACTS.iter().any(|part| name.contains(part)) {
        return usize::MAX;
    }
    let known = own.iter().chain(others.iter());
    known.clone().position(|part| name.contains(part)).unwrap_or(known.count())
}

/// Settings that differ: those that the user set, then those of a configuration, then defaults; each sorted by name.
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

/// Whether both are the same name. Some engines accept dashes for underscores, and capitals.
fn is_same(typed: &str, name: &str) -> bool {
    typed.len() == name.len()
        && typed.chars().zip(name.chars()).all(|(a, b)| {
            let plain = |c: char| if c == '-' { '_' } else { c.to_ascii_lowercase() };
            plain(a) == plain(b)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_weighs_on_such_a_test_is_tried_first() {
        let setting = |name: &str, origin| SettingChange {
            name: name.into(),
            base: Some("0".into()),
            subject: Some("1".into()),
            origin,
        };
        let default = |name: &str| setting(name, SettingOrigin::Default);
        let mut differ = vec![
            setting("users_own", SettingOrigin::User),
            default("back_log"),
            default("build_id"),
            default("gtid_mode"),
            default("innodb_flush_method"),
            default("optimizer_switch"),
            default("version_log"),
        ];
        // Nobody can give a server a setting that it does not have.
        differ.push(SettingChange { base: None, ..default("innodb_new_flush") });
        differ.push(SettingChange { subject: None, ..setting("users_old", SettingOrigin::User) });
        let names = |writes| {
            let found = worth_trying(&differ, writes).into_iter().map(|one| one.name.as_str());
            found.collect::<Vec<_>>().join(" ")
        };
        let last = "back_log build_id version_log";
        assert_eq!(
            names(true),
            "users_own gtid_mode innodb_flush_method optimizer_switch back_log build_id version_log"
        );
        assert!(names(false).starts_with("users_own optimizer_switch gtid_mode"), "{}", names(false));
        assert!(names(false).ends_with(last), "{}", names(false));
    }
}
