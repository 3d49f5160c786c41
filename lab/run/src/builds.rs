//! What builds from sources lack on this host, checked for all of them before the first is begun.

use humdrum_contract::{BuildPlan, Dirs, Progress, Tool};
use humdrum_model::{Fault, Place, Subject};
use humdrum_provision::tools;

use crate::catalogue::Catalogue;

/// Checks that this host has what building these subjects takes. Sources that are not here are fetched.
///
/// # Errors
/// Usage: all that is missing, for all subjects; environment for network and disk.
pub fn check_builds(
    subjects: &[Subject],
    catalogue: &Catalogue,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Result<(), Fault> {
    let mut plans = Vec::new();
    for subject in subjects.iter().filter(|subject| matches!(subject.place, Place::Source { .. })) {
        dirs.interrupt.check()?;
        let plan = catalogue.engine(subject)?.build_plan(subject, dirs, progress);
        plans.push(plan.map_err(|fault| fault.at(subject.label.clone()))?);
    }
    refuse_incomplete(&plans)
}

/// Refuses builds that are not there yet and lack something.
///
/// # Errors
/// Usage: all that is missing, for all builds.
pub fn refuse_incomplete(plans: &[BuildPlan]) -> Result<(), Fault> {
    let incomplete = || plans.iter().filter(|plan| !plan.built && !plan.missing.is_empty());
    let mut names: Vec<&str> = incomplete().map(|plan| plan.name.as_str()).collect();
    names.dedup();
    let missing: Vec<Tool> = incomplete().flat_map(|plan| plan.missing.iter().cloned()).collect();
    tools::refuse_without(&names.join(" and "), &missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(name: &str, missing: &[(&str, &str)], built: bool) -> BuildPlan {
        BuildPlan {
            name: name.into(),
            sources: String::new(),
            compiler: String::new(),
            flags: Vec::new(),
            commands: Vec::new(),
            patches: Vec::new(),
            missing: missing.iter().map(|(name, package)| Tool::new(name, package)).collect(),
            hash: String::new(),
            folder: "/builds/it".into(),
            built,
            takes: None,
            begun: false,
        }
    }

    #[test]
    fn all_builds_are_asked_before_the_first_is_made() {
        let both = [
            plan("it 1.2", &[("bison", "bison")], false),
            plan("it 1.3", &[], false),
            plan("other 7", &[("bison", "bison"), ("-ljemalloc", "libjemalloc-dev")], false),
            plan("it 1.1", &[("flex", "flex")], true),
        ];
        let fault = refuse_incomplete(&both).expect_err("two lack something");
        assert_eq!(fault.what, "to build it 1.2 and other 7, this host lacks bison, -ljemalloc");
        assert_eq!(fault.hint.as_deref(), Some("on Debian: apt-get install bison libjemalloc-dev"));
        assert_eq!(fault.exit_code(), 2);
        refuse_incomplete(&both[1..2]).expect("it has all");
    }
}
