//! Reads proofs and profiles of single tests, which are below the results folder of their run.
//!
//! ```text
//!   RESULTS/prove/TEST/SETTING/results.sqlite     what a setting carries of a test's change
//!   RESULTS/profile/TEST/profiles.json            in which functions a test's time goes, and what waits
//! ```

use std::path::PathBuf;

use humdrum_explain::{Experiments, carried_by, flags_of, settings};
use humdrum_model::{Carried, Explanation, Profile, Results, SettingChange, Summary};
use humdrum_record::{ResultsFolder, Store};

/// The file with all profiles of a test.
pub const PROFILES: &str = "profiles.json";

/// Explanations of what moved, with what was proven and profiled of it before, for reports.
pub fn explanations(out: &ResultsFolder, results: &Results, summary: &Summary) -> Vec<Explanation> {
    let comparisons = summary.comparisons.iter().enumerate();
    let tests = comparisons.flat_map(|(number, one)| one.tests.iter().map(move |test| (number, test)));
    tests
        .filter(|(_, test)| humdrum_explain::moved(test))
        .map(|(number, test)| {
            let apart = measured(summary, number).map_or_else(Experiments::default, |place| {
                let carried = proofs_of(out, place, &test.test, &settings(results, number + 1));
                Experiments { carried, profiles: profiles(out, place, &test.test) }
            });
            let mut one = humdrum_explain::explain(results, summary, number, test, apart);
            // `explain` measures with the base of the run.
            one.remarks
                .retain(|remark| measured(summary, number).is_some() || !remark.contains("humdrum explain"));
            one
        })
        .collect()
}

/// The number of a comparison in the run as it was measured; `None` with another base.
fn measured(summary: &Summary, number: usize) -> Option<usize> {
    let Some(choice) = &summary.choice else { return Some(number) };
    let subject = &summary.comparisons.get(number)?.subject;
    let place = choice.measured.iter().position(|label| label == subject)?;
    place.checked_sub(1).filter(|_| choice.measured_base() == summary.base)
}

/// What earlier proofs of a test found; `number` is the comparison's.
pub fn proofs(out: &ResultsFolder, results: &Results, number: usize, test: &str) -> Vec<Carried> {
    proofs_of(out, number, test, &settings(results, number + 1))
}

fn proofs_of(out: &ResultsFolder, number: usize, test: &str, settings: &[SettingChange]) -> Vec<Carried> {
    let read = |setting: &SettingChange| {
        let file = proof_folder(out, number, test, &setting.name).join("results.sqlite");
        if !file.exists() {
            return None;
        }
        // A proof that cannot be read is as good as none.
        let proof = Store::open(&file).and_then(|store| store.read()).ok()?;
        // Of a proof that was interrupted, or is running elsewhere, only some of the sessions are there.
        proof.finished.then(|| carried_by(&proof, test, setting))
    };
    let flags: Vec<SettingChange> = settings.iter().flat_map(flags_of).collect();
    settings.iter().chain(&flags).filter_map(read).collect()
}

/// What an earlier `--profile` of a test found.
pub fn profiles(out: &ResultsFolder, number: usize, test: &str) -> Vec<Profile> {
    let file = profile_folder(out, number, test).join(PROFILES);
    // Profiles that cannot be read are as good as none.
    std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// Where the proof of one setting is kept.
pub fn proof_folder(out: &ResultsFolder, number: usize, test: &str, setting: &str) -> PathBuf {
    folder(out, "prove", number, test).join(plain(setting))
}

/// Where the profiles of a test are kept.
pub fn profile_folder(out: &ResultsFolder, number: usize, test: &str) -> PathBuf {
    folder(out, "profile", number, test)
}

fn folder(out: &ResultsFolder, what: &str, number: usize, test: &str) -> PathBuf {
    let subject = if number == 0 { String::new() } else { format!("-{}", number + 1) };
    out.folder.join(what).join(format!("{}{subject}", plain(test)))
}

/// A name that can be a folder's.
fn plain(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric() && !"-_=".contains(c), "_")
}
