//! Settings in which subjects differ. They often explain a changed speed.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::Results;

/// Names that must differ between two servers on one host, or only repeat the version. Alphabetical.
const NECESSARILY_DIFFERENT: &[&str] = &[
    "cluster_name",
    "config_file",
    "data_directory",
    "datadir",
    "external_pid_file",
    "hba_file",
    "hostname",
    "ident_file",
    "innodb_version",
    "listen_addresses",
    "log_error",
    "pid_file",
    "port",
    "pseudo_thread_id",
    "server_id",
    "server_uuid",
    "server_version",
    "server_version_num",
    "socket",
    "timestamp",
    "tmpdir",
    "unix_socket_directories",
    "version",
];

/// One setting that is not the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingDifference {
    /// The setting's name.
    pub name: String,
    /// By position in the plan's subjects; `None` where a subject does not know the setting.
    pub values: Vec<Option<String>>,
}

/// Effective settings that differ between subjects, by name. A subject without known settings (external or
/// not yet started) has `None` for all of them. If no subject's settings are known, there are no differences.
pub fn setting_differences(results: &Results) -> Vec<SettingDifference> {
    let tables: Vec<BTreeMap<&str, &str>> = results
        .subjects
        .iter()
        .map(|subject| subject.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect())
        .collect();
    let names: BTreeSet<&str> = tables.iter().flat_map(|table| table.keys().copied()).collect();
    let row = |name: &str| SettingDifference {
        name: name.to_owned(),
        values: tables.iter().map(|table| table.get(name).map(|value| (*value).to_owned())).collect(),
    };
    names
        .into_iter()
        .filter(|name| !NECESSARILY_DIFFERENT.contains(name))
        .map(row)
        .filter(|row| row.values.windows(2).any(|pair| pair[0] != pair[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;

    #[test]
    fn lists_what_differs_and_leaves_out_what_must() {
        let mut bench = Bench::new(&["t"], 2, 0, 1);
        let set = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
        bench.results.subjects[0].settings = set(&[("jit", "on"), ("port", "1"), ("work_mem", "4MB")]);
        bench.results.subjects[1].settings =
            set(&[("io_method", "worker"), ("jit", "off"), ("port", "2"), ("work_mem", "4MB")]);
        let found = setting_differences(&bench.results);
        assert_eq!(found.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["io_method", "jit"]);
        assert_eq!(found[0].values, [None, Some("worker".into())]);
    }

    #[test]
    fn the_list_is_alphabetical() {
        assert!(NECESSARILY_DIFFERENT.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
