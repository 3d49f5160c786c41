//! `humdrum ci`: a check of a pull request. Compares two revisions, and judges the result by the project's policy.

mod history;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use humdrum_model::{Fault, Gated};
use humdrum_plan::{POLICY_FILE, Policy};
use humdrum_provision::results_branch::ResultsBranch;
use humdrum_record::{ResultsFolder, today};

use super::compare::{Measured, measure};
use super::report::extras;
use crate::args::CiOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::lab::Lab;

/// `humdrum ci --base REVISION`.
///
/// # Errors
/// Usage: a policy with a mistake, a revision without an engine; else as `compare`.
pub fn ci(lab: &mut Lab, options: &CiOptions) -> Result<u8, Fault> {
    let mut policy = policy(options.policy.as_deref())?;
    let engine = options.engine.as_deref().or(policy.engine.as_deref());
    let subjects = [&options.base, &options.head]
        .map(|revision| subject(engine, &options.repo, revision))
        .into_iter()
        .collect::<Result<Vec<String>, Fault>>()?;
    let history =
        options.history.as_deref().map(|name| ResultsBranch::find(&options.repo, name)).transpose()?;
    if let Some(branch) = &history {
        history::read_all(branch, &branch.read()?)?;
    }
    let request = policy.plan.clone().merge(options.measure.request(subjects));
    policy.gate.fail_undecided |= request.strict;
    let Measured { code, out } = measure(lab, request, &options.measure)?;
    let Some(out) = out else { return Ok(code) };
    let judged = judged(lab, &out, &out.folder, Wanted::default())?;
    let gated = conclude(&judged, &policy, &out)?;
    // Standard output is the summary alone where that was asked for.
    if options.measure.json.as_deref() != Some(Path::new("-")) {
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            humdrum_report::annotations(&gated).iter().for_each(|line| anstream::println!("{line}"));
        }
        anstream::println!("\n{}", humdrum_report::check_sentence(&gated));
    }
    match history.map_or(Ok(()), |branch| history::keep(lab, &branch, &judged)) {
        // The verdict is what the caller waits for.
        Err(fault) if gated.exit_code() != 0 => {
            anstream::eprintln!("{}", humdrum_report::printable(&fault.to_string()));
            Ok(gated.exit_code())
        }
        kept => kept.map(|()| gated.exit_code()),
    }
}

fn policy(named: Option<&Path>) -> Result<Policy, Fault> {
    match named {
        Some(path) => Policy::read(path),
        None if Path::new(POLICY_FILE).exists() => Policy::read(Path::new(POLICY_FILE)),
        None => Ok(Policy::default()),
    }
}

/// A revision as a subject; a subject as it is.
fn subject(engine: Option<&str>, repo: &Path, revision: &str) -> Result<String, Fault> {
    if revision.contains('@') && !revision.contains("@{") {
        return Ok(revision.to_owned());
    }
    let engine = engine.ok_or_else(|| {
        Fault::usage(format!("`{revision}` is a revision, and no engine is named that is built from it"))
            .hint("type --engine postgres, or `engine = \"postgres\"` in humdrum.toml")
    })?;
    Ok(format!("{engine}@src:{}#{revision}", repo.display()))
}

/// Judges by the policy and tells everybody who listens.
fn conclude(judged: &Judged, policy: &Policy, out: &ResultsFolder) -> Result<Gated, Fault> {
    let Judged { results, summary } = judged;
    let gated = humdrum_analyse::gate(summary, &policy.gate, &today());
    let comment = humdrum_report::check_comment(&gated, summary, results, &extras(results, summary, out));
    out.write("comment.md", &comment)?;
    // Writing plain data to memory cannot fail.
    out.write("check.json", &serde_json::to_string_pretty(&gated).unwrap_or_default())?;
    append("GITHUB_STEP_SUMMARY", &comment)?;
    append("GITHUB_OUTPUT", &format!("results={}\ncode={}\n", out.folder.display(), gated.exit_code()))?;
    Ok(gated)
}

/// Appends to the file that a runner names in its environment, if it does.
fn append(variable: &str, text: &str) -> Result<(), Fault> {
    let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) else { return Ok(()) };
    let appended = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    appended.map_err(|error| {
        Fault::environment(format!("cannot write to the file that {variable} names: {error}"))
    })
}
