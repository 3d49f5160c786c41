//! What a setting carries: both subjects as they are, the new one with the old value and the old one with the new value,
//! side by side in fresh blocks of the one test. One run of four subjects for each setting, in folders of their own
//! beneath the results, which later explanations and reports read again.
//!
//! ```text
//!   RESULTS/prove/TEST/SETTING/results.sqlite     old │ new │ new with old value │ old with new value
//! ```

use std::path::PathBuf;

use humdrum_contract::{Engine, Progress, Update};
use humdrum_explain::{Proof, carried, settings, worth_trying};
use humdrum_model::{Carried, Fault, FaultKind, Results, Setting, SettingChange, Subject, TestResult};
use humdrum_plan::Request;
use humdrum_record::Store;

use crate::args::ExplainOptions;
use crate::files::Out;
use crate::lab::Lab;
use crate::verbs::compare;

/// Settings that are tried where the user names none: each costs a run of its own.
const TRIED_MAX: usize = 4;
/// What one setting's run may take where the user does not say: four servers, whose writes need longer and are paid for.
const BUDGET: &str = "30s";
const BUDGET_WRITES: &str = "4m";
/// What subjects of a proof are called.
const LABELS: [&str; 4] = ["old", "new", "back", "forth"];

/// Measures what the settings that differ carry of one test's change.
///
/// # Errors
/// Usage where there is nothing to prove or a name is wrong; interrupted. A setting that cannot be tried is told of.
pub fn prove(
    lab: &Lab,
    options: &ExplainOptions,
    out: &Out,
    results: &Results,
    number: usize,
    test: &TestResult,
) -> Result<Vec<Carried>, Fault> {
    let differ = settings(results, number + 1);
    let tried = tried(&differ, options, super::writes(results, test))?;
    let mut found = Vec::new();
    for setting in tried {
        lab.dirs.interrupt.check()?;
        let folder = folder(out, number, &test.test, &setting.name);
        lab.console.update(Update::Step(&format!("what {} carries of {}", setting.name, test.test)));
        match measure(lab, options, results, number, test, setting, folder) {
            Ok(carried) => found.push(carried),
            Err(fault) if fault.kind == FaultKind::Interrupted => return Err(fault),
            Err(fault) => found.push(untried(setting, &fault)),
        }
    }
    Ok(found)
}

/// What earlier proofs of this test found.
pub fn earlier(out: &Out, results: &Results, number: usize, test: &str) -> Vec<Carried> {
    let read = |setting: &SettingChange| {
        let file = folder(out, number, test, &setting.name).join("results.sqlite");
        if !file.exists() {
            return None;
        }
        // A proof that cannot be read is as good as none.
        let proof = Store::open(&file).and_then(|store| store.read()).ok()?;
        // Of one that was interrupted, or goes on elsewhere, only some of the sessions are there.
        proof.finished.then(|| carried(&proof, test, setting, places(&proof)))
    };
    settings(results, number + 1).iter().filter_map(read).collect()
}

fn untried(setting: &SettingChange, fault: &Fault) -> Carried {
    Carried {
        name: setting.name.clone(),
        base: setting.base.clone(),
        subject: setting.subject.clone(),
        back: None,
        forth: None,
        share: None,
        share_ci95: None,
        note: Some(match &fault.hint {
            Some(hint) => format!("could not be tried: {fault}; {hint}"),
            None => format!("could not be tried: {fault}"),
        }),
    }
}

/// Settings to try: those that were named, else the first of those that are worth it.
fn tried<'d>(
    differ: &'d [SettingChange],
    options: &ExplainOptions,
    writes: bool,
) -> Result<Vec<&'d SettingChange>, Fault> {
    if differ.is_empty() {
        return Err(Fault::usage("no setting differs between the two, so there is nothing to prove").hint(
            "leave out --prove and --settings: humdrum explain RESULTS TEST says where the time goes",
        ));
    }
    if options.settings.is_empty() {
        let mut known = worth_trying(differ, writes);
        known.truncate(TRIED_MAX);
        if known.is_empty() {
            return Err(Fault::usage("of the settings that differ, each is known to one side only")
                .hint("there is no old value to put back; name a setting to see why: --settings NAME"));
        }
        return Ok(known);
    }
    let find = |name: &String| {
        differ.iter().find(|one| one.name == *name).ok_or_else(|| {
            let names: Vec<&str> = differ.iter().map(|one| one.name.as_str()).collect();
            Fault::usage(format!("`{name}` does not differ between the two"))
                .hint(format!("these do: {}", names.join(", ")))
        })
    };
    options.settings.iter().map(find).collect()
}

fn folder(out: &Out, number: usize, test: &str, setting: &str) -> PathBuf {
    super::folder(out, "prove", number, test).join(super::plain(setting))
}

fn measure(
    lab: &Lab,
    options: &ExplainOptions,
    results: &Results,
    number: usize,
    test: &TestResult,
    setting: &SettingChange,
    folder: PathBuf,
) -> Result<Carried, Fault> {
    let subjects = subjects(lab, results, number, setting)?;
    // Measured anew: an earlier proof may have had another budget.
    let _ = std::fs::remove_dir_all(&folder);
    // Whole steps take as long as they take.
    let whole = lab.workload(&results.plan.suite)?.steps().is_some();
    let budget = if super::writes(results, test) { BUDGET_WRITES } else { BUDGET };
    let budget_grows = options.budget.is_none();
    let budget = options.budget.clone().or((!whole).then(|| budget.to_owned()));
    let request = Request { budget, budget_grows, ..super::again(results, test, subjects, folder) };
    let proof = compare::measured(lab, &request, options.allow_external, |_, _, _| Ok(()))?;
    Ok(carried(&proof, &test.test, setting, places(&proof)))
}

/// Old, new, and those of the two others that can be made.
fn subjects(
    lab: &Lab,
    results: &Results,
    number: usize,
    setting: &SettingChange,
) -> Result<Vec<String>, Fault> {
    let (old, new) = (&results.plan.subjects[0], &results.plan.subjects[number + 1]);
    let mut subjects = vec![super::labelled(LABELS[0], old), super::labelled(LABELS[1], new)];
    let engine = lab.engine(new)?;
    let mut refusal = None;
    for (label, subject, value) in [(LABELS[2], new, &setting.base), (LABELS[3], old, &setting.subject)] {
        let Some(value) = value else { continue };
        let other = with(subject, &setting.name, value);
        match takes(lab, engine, &other) {
            Ok(()) => subjects.push(super::labelled(label, &other)),
            Err(fault) => refusal = Some(fault),
        }
    }
    match refusal {
        Some(fault) if subjects.len() == 2 => Err(fault),
        _ if subjects.len() == 2 => Err(Fault::usage("only one side knows this setting")),
        _ => Ok(subjects),
    }
}

/// Whether a server of this subject comes up: many settings are facts of the build that nobody can set.
fn takes(lab: &Lab, engine: &dyn Engine, subject: &Subject) -> Result<(), Fault> {
    engine.check(subject, &lab.dirs)?;
    let run = humdrum_provision::run_folder::RunFolder::new(&lab.dirs)?;
    let build = engine.install(subject, &lab.dirs, &humdrum_contract::Silent)?;
    let sizing = humdrum_contract::Sizing { memory_bytes: 256 << 20, cpus: 1, connections: 8 };
    let mut server = build.create(&run.home("trial")?, &sizing)?;
    server.start()?;
    server.stop()
}

/// A subject with one setting more, which wins over earlier ones.
fn with(subject: &Subject, name: &str, value: &str) -> Subject {
    let mut other = subject.clone();
    other.settings.push(Setting::Value { key: name.to_owned(), value: value.to_owned() });
    other
}

fn places(proof: &Results) -> Proof {
    let place = |label: &str| proof.plan.subjects.iter().position(|subject| subject.label == label);
    Proof { back: place(LABELS[2]), forth: place(LABELS[3]) }
}
