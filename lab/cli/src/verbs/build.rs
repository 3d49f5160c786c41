//! `humdrum build`: builds from sources and keeps the result.

use humdrum_contract::{BuildPlan, Dirs};
use humdrum_model::{Fault, Subject};
use humdrum_plan::{from, parse_subject, patch};
use humdrum_provision::tools;
use humdrum_report::printable;

use crate::args::BuildOptions;
use crate::lab::Lab;

/// `humdrum build SUBJECT...`.
///
/// # Errors
/// Usage for a bad subject and for missing tools; environment for a build that fails.
pub fn build(lab: &Lab, options: &BuildOptions) -> Result<u8, Fault> {
    let subjects = options.subjects.iter().map(|text| wanted(lab, text, options));
    let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
    let mut plans = Vec::new();
    for subject in &subjects {
        let plan = lab.catalogue.engine(subject)?.build_plan(subject, &lab.dirs, &lab.console);
        plans.push(plan.map_err(|fault| fault.at(subject.label.clone()))?);
    }
    lab.console.clear();
    if !options.dry_run {
        humdrum_run::refuse_incomplete(&plans)?;
    }
    for (subject, plan) in subjects.iter().zip(&plans) {
        one(lab, subject, plan, options).map_err(|fault| fault.at(subject.label.clone()))?;
    }
    Ok(0)
}

fn wanted(lab: &Lab, text: &str, options: &BuildOptions) -> Result<Subject, Fault> {
    let subject = parse_subject(text)?;
    let engine = lab.catalogue.engine(&subject)?;
    let mut subject = from(subject, Some(&options.from), engine)?;
    for file in &options.patch {
        subject.settings.push(patch(file)?);
    }
    engine.check(&subject, &lab.dirs).map_err(|fault| fault.at(subject.label.clone()))?;
    Ok(subject)
}

fn one(lab: &Lab, subject: &Subject, plan: &BuildPlan, options: &BuildOptions) -> Result<(), Fault> {
    let dry_run = options.dry_run;
    let engine = lab.catalogue.engine(subject)?;
    anstream::println!("{}", printable(text(plan, dry_run || lab.verbose).trim_end()));
    if dry_run || plan.built {
        return Ok(());
    }
    let dirs = Dirs { reuse_trees: options.reuse_tree, ..lab.dirs.clone() };
    let facts = engine.install(subject, &dirs, &lab.console)?.facts();
    lab.console.clear();
    anstream::println!("built: {}", printable(&facts.build.join("; ")));
    Ok(())
}

/// What a build takes, a line each.
fn text(plan: &BuildPlan, commands: bool) -> String {
    let state = match (plan.built, plan.begun) {
        (true, _) => "built before",
        (false, true) => "begun before, to go on where it was",
        (false, false) => "to be built",
    };
    let mut text = format!(
        "{}, {state}\n  sources   {}\n  compiler  {}\n  flags     {}\n  hash      {}\n  folder    {}\n",
        plan.name,
        plan.sources,
        plan.compiler,
        plan.flags.join(" "),
        plan.hash,
        plan.folder.display()
    );
    if let Some(takes) = plan.takes.filter(|_| !plan.built) {
        text.push_str(&format!("  takes     {}\n", humdrum_provision::building::foretold(takes)));
    }
    plan.patches.iter().for_each(|patch| text.push_str(&format!("  patch     {patch}\n")));
    if !plan.others.is_empty() {
        let others = plan.others.join(", ");
        text.push_str(&format!("  no part   {others}: of the server, not of its build (docs/from-source.md lists settings of builds)\n"));
    }
    if !plan.missing.is_empty() {
        let names: Vec<&str> = plan.missing.iter().map(|tool| tool.name.as_str()).collect();
        text.push_str(&format!("  missing   {} ({})\n", names.join(", "), tools::install(&plan.missing)));
    }
    if commands {
        plan.commands.iter().for_each(|command| text.push_str(&format!("  command   {command}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{Takes, Tool};

    use super::*;

    #[test]
    fn a_plan_is_shown_with_what_is_missing() {
        let plan = BuildPlan {
            name: "it 1.2".into(),
            others: vec!["work_mem=1MB".into()],
            sources: "/src".into(),
            compiler: "cc 1".into(),
            flags: vec!["-O2".into(), "-g".into()],
            commands: vec!["make all".into()],
            patches: vec!["it's 1.2/x.patch: Without it, cc 2: x".into()],
            missing: vec![Tool::new("<lz4.h>", "liblz4-dev"), Tool::new("bison", "bison")],
            hash: "ab".into(),
            folder: "/cache/it".into(),
            takes: Some(Takes { seconds: 4000, disk_bytes: 4 << 30 }),
            ..BuildPlan::default()
        };
        let short = text(&plan, false);
        assert!(
            short.starts_with("it 1.2, to be built\n") && short.contains("flags     -O2 -g\n"),
            "{short}"
        );
        assert!(short.contains("patch     it's 1.2/x.patch: Without it, cc 2: x\n"), "{short}");
        assert!(
            short.contains("missing   <lz4.h>, bison (on Debian: apt-get install bison liblz4-dev)\n")
                && !short.contains("make all")
        );
        assert!(short.contains("  no part   work_mem=1MB: of the server"), "{short}");
        assert!(text(&plan, true).ends_with("  command   make all\n"));
        let takes =
            "  takes     about 67 min and 4.0 GiB of disk while it compiles, less with what ccache has\n";
        assert!(short.contains(takes), "{short}");
        assert!(!text(&BuildPlan { built: true, ..plan.clone() }, false).contains("takes"));
        assert!(
            text(&BuildPlan { begun: true, ..plan }, false).starts_with("it 1.2, begun before, to go on")
        );
    }
}
