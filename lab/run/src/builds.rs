//! What builds from sources lack on this host and how they differ, looked at for all of them before the first is begun, or for a dry run.

use humdrum_contract::{BuildPlan, Dirs, Progress, Takes, Tool, Update};
use humdrum_model::{Fault, Place, Subject};
use humdrum_provision::{building, tools};

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
        plans.push(planned(subject, catalogue, dirs, progress)?);
    }
    refuse_incomplete(&plans)?;
    unlike(&plans).iter().for_each(|text| progress.update(Update::Note(text)));
    Ok(())
}

/// For a dry run: which builds are to be made, and what they lack. Sources that would have to be fetched for that are counted alone.
/// Empty where nothing is built.
///
/// # Errors
/// Environment: reading the sources.
pub fn builds_told(
    subjects: &[Subject],
    catalogue: &Catalogue,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Result<String, Fault> {
    let (mut plans, mut elsewhere) = (Vec::new(), 0);
    for subject in subjects {
        let Place::Source { path, .. } = &subject.place else { continue };
        if path.is_absolute() {
            plans.push(planned(subject, catalogue, dirs, progress)?);
        } else {
            elsewhere += 1;
        }
    }
    Ok(told(&plans, elsewhere))
}

/// What a subject's build takes; its sources are fetched if they are not here.
fn planned(
    subject: &Subject,
    catalogue: &Catalogue,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Result<BuildPlan, Fault> {
    dirs.interrupt.check()?;
    let plan = catalogue.engine(subject)?.build_plan(subject, dirs, progress);
    plan.map_err(|fault| fault.at(subject.label.clone()))
}

fn told(plans: &[BuildPlan], elsewhere: usize) -> String {
    let to_make: Vec<&BuildPlan> = plans.iter().filter(|plan| !plan.built).collect();
    let mut parts = Vec::new();
    if !to_make.is_empty() {
        let takes = to_make.iter().try_fold((0, 0), |(seconds, bytes), plan| {
            plan.takes.map(|takes| (seconds + takes.seconds, bytes.max(takes.disk_bytes)))
        });
        let takes = takes.map(|(seconds, disk_bytes)| building::foretold(Takes { seconds, disk_bytes }));
        parts.push(format!(
            "{} to make{}",
            to_make.len(),
            takes.map_or_else(String::new, |text| format!(", {text}"))
        ));
    }
    let made = plans.len() - to_make.len();
    parts.extend((made > 0).then(|| format!("{made} made before")));
    parts.extend((elsewhere > 0).then(|| format!("{elsewhere} of sources that are fetched first")));
    if parts.is_empty() {
        return String::new();
    }
    let mut text = format!("builds                {}\n", parts.join("; "));
    let missing: Vec<Tool> = to_make.iter().flat_map(|plan| plan.missing.iter().cloned()).collect();
    if !missing.is_empty() {
        let names: std::collections::BTreeSet<&str> = missing.iter().map(|tool| tool.name.as_str()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        text.push_str(&format!("this host lacks       {names} ({})\n", tools::install(&missing)));
    }
    text
}

/// Builds of which the same was asked, and that have other flags all the same: sources without their build system are compiled by a
/// recipe of ours. Each is told once, beside the first that is unlike it.
fn unlike(plans: &[BuildPlan]) -> Vec<String> {
    let differs = |at: usize| {
        let plan = &plans[at];
        let first = plans[..at].iter().find(|first| first.asked == plan.asked)?;
        let is_new = first.flags != plan.flags;
        is_new.then(|| {
            format!(
                "{} is compiled with {}, and {} with {}: a part of what they differ by may be the flags",
                first.name,
                first.flags.join(" "),
                plan.name,
                plan.flags.join(" ")
            )
        })
    };
    (1..plans.len()).filter_map(differs).collect()
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
            missing: missing.iter().map(|(name, package)| Tool::new(name, package)).collect(),
            built,
            ..BuildPlan::default()
        }
    }

    #[test]
    fn a_dry_run_tells_what_is_to_be_made_and_lacks() {
        assert_eq!(told(&[], 0), "");
        let takes = Some(Takes { seconds: 300, disk_bytes: 1 << 30 });
        let new = BuildPlan { takes, ..plan("it 1.2", &[("bison", "bison")], false) };
        let both = [
            new.clone(),
            BuildPlan { missing: Vec::new(), ..new },
            plan("it 1.1", &[("flex", "flex")], true),
        ];
        assert_eq!(
            told(&both, 1),
            "builds                2 to make, about 10 min and 1.0 GiB of disk while it compiles, less with what ccache has; \
             1 made before; 1 of sources that are fetched first\n\
             this host lacks       bison (on Debian: apt-get install bison)\n"
        );
        assert_eq!(told(&[plan("it 1.2", &[], false)], 0), "builds                1 to make\n");
    }

    #[test]
    fn builds_of_other_flags_are_told_where_nothing_else_was_asked() {
        let with = |name: &str, flags: &[&str], asked: &[&str]| BuildPlan {
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            asked: asked.iter().map(|one| (*one).to_owned()).collect(),
            ..plan(name, &[], false)
        };
        let alike = [
            with("it 1.1", &["-O2"], &[]),
            with("it 1.2", &["-O2"], &[]),
            with("it 1.2", &["-O3"], &["opt=-O3"]),
        ];
        assert_eq!(unlike(&alike), Vec::<String>::new());
        let found = unlike(&[with("it 1.1", &["-O2"], &[]), with("it 1.2", &["-O2", "-g"], &[])]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("it 1.1 is compiled with -O2, and it 1.2 with -O2 -g"), "{found:?}");
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
