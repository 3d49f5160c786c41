//! Measures the share of a change that a setting carries. For each setting, one run has four subjects side by
//! side in fresh blocks of one test: both as they are, the new one with the old value, and the old one with
//! the new value. Its folder is below the results; later explanations and reports read it again.
//!
//! ```text
//!   RESULTS/prove/TEST/SETTING/results.sqlite     old │ new │ new with old value │ old with new value
//! ```

use std::collections::VecDeque;
use std::path::PathBuf;

use humdrum_contract::{Progress, Update};
use humdrum_explain::{flags_of, settings, worth_trying};
use humdrum_model::{Carried, Fault, FaultKind, Results, SettingChange, TestResult};
use humdrum_record::ResultsFolder;
use humdrum_run::ProofOrder;

use crate::args::ExplainOptions;
use crate::kept;
use crate::lab::Lab;
use crate::verbs::compare;

/// Settings that are tried where the user names none: each costs a run of its own.
const TRIED_MAX: usize = 4;

/// Measures the share of one test's change that each differing setting carries.
///
/// # Errors
/// Usage if there is nothing to prove or a name is wrong; interrupted. A setting that cannot be tried is
/// reported.
pub fn prove(
    lab: &Lab,
    options: &ExplainOptions,
    out: &ResultsFolder,
    results: &Results,
    number: usize,
    test: &TestResult,
) -> Result<Vec<Carried>, Fault> {
    let differ = settings(results, number + 1);
    let flags: Vec<SettingChange> = differ.iter().flat_map(flags_of).collect();
    let tried = tried((&differ, &flags), options, humdrum_run::writes(results, test))?;
    let mut found: Vec<Carried> = Vec::new();
    let mut left: VecDeque<SettingChange> = tried.into_iter().cloned().collect();
    while let Some(setting) = left.pop_front() {
        lab.dirs.interrupt.check()?;
        let folder = kept::proof_folder(out, number, &test.test, &setting.name);
        lab.console.update(Update::Step(&format!("what {} carries of {}", setting.name, test.test)));
        let order = ProofOrder { results, number, test, setting: &setting, budget: options.budget.clone() };
        match measure(lab, options, &order, folder) {
            Ok(carried) => {
                // A list of flags that carries something: its flags say which.
                if carries(&carried) {
                    let mut more = flags_of(&setting);
                    more.retain(|flag| !left.contains(flag));
                    more.into_iter().rev().for_each(|flag| left.push_front(flag));
                }
                found.push(carried);
            }
            Err(fault) if fault.kind == FaultKind::Interrupted => return Err(fault),
            Err(fault) => found.push(untried(&setting, &fault)),
        }
    }
    Ok(found)
}

/// Whether a setting is known to carry a part of the change, or to bring the old plan back.
fn carries(carried: &Carried) -> bool {
    carried.share_ci95.is_some_and(|[low, _]| low > 0.0) || carried.restores_plan == Some(true)
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
        restores_plan: None,
        note: Some(match &fault.hint {
            Some(hint) => format!("could not be tried: {fault}; {hint}"),
            None => format!("could not be tried: {fault}"),
        }),
    }
}

/// Settings to try: those that were named, else the first of those that are worth it. Flags are tried where they are named.
fn tried<'d>(
    (differ, flags): (&'d [SettingChange], &'d [SettingChange]),
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
        differ.iter().chain(flags).find(|one| one.name == *name).ok_or_else(|| {
            let names: Vec<&str> = differ.iter().map(|one| one.name.as_str()).collect();
            Fault::usage(format!("`{name}` does not differ between the two"))
                .hint(format!("these do: {}", names.join(", ")))
        })
    };
    options.settings.iter().map(find).collect()
}

fn measure(
    lab: &Lab,
    options: &ExplainOptions,
    order: &ProofOrder<'_>,
    folder: PathBuf,
) -> Result<Carried, Fault> {
    let dirs = lab.dirs(options.allow_external);
    let request = order.request(&lab.catalogue, &dirs, folder.clone())?;
    // Measured anew: an earlier proof may have had another budget.
    let _ = std::fs::remove_dir_all(&folder);
    let proof = compare::measured(lab, &request, options.allow_external, |plan, out, store| {
        let places = lab.places(options.allow_external, out.logs());
        humdrum_run::measure(plan, &lab.catalogue, &places, store, &lab.console)
    })?;
    Ok(order.carried(&proof))
}
