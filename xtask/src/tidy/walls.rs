//! The two walls between crates, from `cargo metadata`.
//!
//! Wall 1: stages use traits, plug-in folders implement them, only `cli` depends on both. Wall 2: crates that
//! read results never depend on crates that make them.

use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};

use super::Finding;

/// A member of the workspace.
#[derive(Clone, Debug)]
pub struct Member {
    /// The crate's name.
    pub name: String,
    /// Its folder, relative to the workspace.
    pub folder: String,
    /// (crate, only for its tests) of the members it depends on.
    pub uses: Vec<(String, bool)>,
}

/// Who may know concrete engines, workloads and probes: the program, the tests of each suite on each engine, and the
/// chores, which measure the program's own client.
const KNOWS_BOTH: [&str; 3] = ["lab/cli", "lab/matrix", "xtask"];
/// What engines share: all of them, or those of one family.
const SHARED_BY_ENGINES: [&str; 7] = [
    "engines/kit",
    "engines/mysql-family",
    "engines/mysql-session",
    "engines/orderby",
    "engines/postgres-session",
    "engines/transport",
    "engines/worker",
];
/// What workloads share.
const SHARED_BY_WORKLOADS: [&str; 1] = ["lab/workloads/common"];
/// The readers, and the members that they may use: a list of what is allowed, so that no detour is possible.
const READERS: [&str; 5] = ["lab/analyse", "lab/bisect", "lab/charts", "lab/explain", "lab/report"];
const READERS_MAY_USE: [&str; 5] = ["lab/analyse", "lab/charts", "lab/explain", "lab/model", "lab/report"];

/// All members.
pub fn crates(root: &Path) -> Result<Vec<Member>, String> {
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec();
    let metadata = metadata.map_err(|error| format!("cargo metadata: {error}"))?;
    let names: Vec<String> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let members = metadata.packages.iter().map(|package| {
        let folder = package
            .manifest_path
            .parent()
            .and_then(|folder| folder.strip_prefix(&metadata.workspace_root).ok());
        let uses = package.dependencies.iter().filter(|dependency| names.contains(&dependency.name));
        Member {
            name: package.name.to_string(),
            folder: folder.map(|folder| folder.as_str().replace('\\', "/")).unwrap_or_default(),
            uses: uses.map(|used| (used.name.clone(), used.kind == DependencyKind::Development)).collect(),
        }
    });
    Ok(members.collect())
}

/// All breaches of both walls.
pub fn check(members: &[Member]) -> Vec<Finding> {
    let folder_of =
        |name: &str| members.iter().find(|member| member.name == name).map(|member| member.folder.as_str());
    let mut findings = Vec::new();
    for member in members {
        for (used, only_tests) in &member.uses {
            let Some(folder) = folder_of(used) else { continue };
            if let Some(what) = breach(&member.folder, folder, *only_tests) {
                findings.push(Finding::new(format!("{}/Cargo.toml", member.folder), what));
            }
        }
    }
    findings
}

fn breach(user: &str, used: &str, only_tests: bool) -> Option<String> {
    if READERS.contains(&user) && !READERS_MAY_USE.contains(&used) {
        return Some(format!("wall 2: {user} reads results and must not depend on {used}"));
    }
    let table = user == "engines/all" && used.starts_with("engines/");
    // Tests of a stage may run on the fake engine: that is what it is for.
    let trial = only_tests && used == "engines/fake";
    // Engines share folders that are no engine themselves, and so do workloads.
    let shared = (user.starts_with("engines/") && SHARED_BY_ENGINES.contains(&used))
        || (user.starts_with("lab/workloads/") && SHARED_BY_WORKLOADS.contains(&used));
    if is_concrete(used) && !KNOWS_BOTH.contains(&user) && !table && !trial && !shared {
        return Some(format!("wall 1: only lab/cli may depend on {used}, and {user} does"));
    }
    None
}

fn is_concrete(folder: &str) -> bool {
    folder.starts_with("engines/") || folder.starts_with("lab/workloads/") || folder == "lab/probes"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_know_no_concrete_thing() {
        assert!(breach("lab/drive", "engines/postgres", false).is_some());
        assert!(breach("lab/drive", "engines/all", false).is_some());
        assert!(breach("lab/plan", "lab/workloads/sysbench", true).is_some());
        assert!(breach("lab/sample", "lab/probes", false).is_some());
        assert!(breach("engines/postgres", "engines/fake", false).is_some());
        assert!(breach("lab/drive", "engines/fake", true).is_none());
        assert!(breach("engines/mariadb", "engines/mysql-family", false).is_none());
        assert!(breach("engines/postgres", "engines/kit", false).is_none());
        assert!(breach("lab/drive", "engines/kit", false).is_some());
        assert!(breach("lab/drive", "engines/transport", false).is_some());
        assert!(breach("lab/workloads/insert", "lab/workloads/common", false).is_none());
        assert!(breach("lab/workloads/insert", "lab/workloads/sysbench", false).is_some());
        assert!(breach("lab/drive", "lab/workloads/common", false).is_some());
        assert!(breach("engines/mariadb", "engines/mysql", false).is_some());
        assert!(breach("lab/drive", "engines/mysql-session", false).is_some());
        assert!(breach("lab/cli", "engines/all", false).is_none());
        assert!(breach("engines/all", "engines/postgres", false).is_none());
        assert!(breach("engines/all", "lab/probes", false).is_some());
        assert!(breach("engines/postgres", "lab/provision", false).is_none());
    }

    #[test]
    fn readers_know_the_model_alone() {
        assert!(breach("lab/report", "lab/charts", false).is_none());
        assert!(breach("lab/analyse", "lab/model", false).is_none());
        assert!(breach("lab/analyse", "lab/contract", true).is_some());
        assert!(breach("lab/report", "lab/record", false).is_some());
        assert!(breach("lab/charts", "engines/fake", true).is_some());
    }

    #[test]
    fn a_breach_is_found_in_a_list_of_members() {
        let member = |name: &str, folder: &str, uses: &[&str]| Member {
            name: name.into(),
            folder: folder.into(),
            uses: uses.iter().map(|used| ((*used).to_owned(), false)).collect(),
        };
        let members = [member("d", "lab/drive", &["p"]), member("p", "engines/p", &[])];
        assert_eq!(check(&members)[0].place, "lab/drive/Cargo.toml");
    }
}
