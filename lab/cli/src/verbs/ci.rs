//! `humdrum ci`: a check of a pull request. Compares two revisions, and judges the result by the project's policy.

mod history;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use humdrum_contract::Workload;
use humdrum_model::{Fault, Gated, Place, Plan};
use humdrum_plan::{POLICY_FILE, Policy, from, parse_subject};
use humdrum_provision::results_branch::ResultsBranch;
use humdrum_record::{ResultsFolder, today};

use super::compare::{Measured, measure_if};
use super::report::extras;
use crate::args::CiOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::lab::Lab;

/// `humdrum ci --base REVISION`.
///
/// # Errors
/// Usage: a policy with a mistake, a revision without an engine; else as `compare`.
pub fn ci(lab: &mut Lab, options: &CiOptions) -> Result<u8, Fault> {
    if options.measure.shard.is_some() {
        let hint =
            "measure shards with `humdrum run PLAN --shard`, and put them together with `humdrum merge`";
        return Err(Fault::usage("a part of a plan is no check").hint(hint));
    }
    let mut policy = policy(options.policy.as_deref())?;
    let engine = options.engine.as_deref().or(policy.engine.as_deref());
    if options.build_key {
        let base = subject(lab, engine, &options.repo, &options.base)?;
        let from = policy.plan.clone().merge(options.measure.request(Vec::new())).from;
        anstream::println!("{}", build_key(lab, &base, from.as_deref())?);
        return Ok(0);
    }
    let subjects = [&options.base, &options.head]
        .map(|revision| subject(lab, engine, &options.repo, revision))
        .into_iter()
        .collect::<Result<Vec<String>, Fault>>()?;
    let history =
        options.history.as_deref().map(|name| ResultsBranch::find(&options.repo, name)).transpose()?;
    if let Some(branch) = &history {
        history::read_all(branch, &branch.read()?)?;
    }
    let request = policy.plan.clone().merge(options.measure.request(subjects));
    policy.gate.fail_undecided |= request.strict;
    let also = |plan: &Plan, workload: &dyn Workload| policy.check_tests(plan, workload);
    let Measured { code, out } = measure_if(lab, request, &options.measure, also)?;
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

/// What a runner caches a subject's build by. For sources it is the name under which the build is kept, which is a hash of sources, compiler
/// and commands; a release is pinned by its checksum, and a folder is not kept.
fn build_key(lab: &Lab, text: &str, wanted: Option<&str>) -> Result<String, Fault> {
    let subject = parse_subject(text)?;
    let engine = lab.catalogue.engine(&subject)?;
    let subject = from(subject, wanted, engine)?;
    let asked = subject.for_engine();
    let release = engine.check(&asked, &lab.dirs).map_err(|fault| fault.at(subject.label.clone()))?;
    let name = match subject.place {
        Place::Source { .. } => {
            let folder = engine.build_plan(&asked, &lab.dirs, &lab.console)?.folder;
            lab.console.clear();
            folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        Place::Version(_) => format!("{}-{release}", subject.engine),
        _ => subject.to_string(),
    };
    // A cache of GitHub takes no commas, and a step's output one line.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    Ok(name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect())
}

fn policy(named: Option<&Path>) -> Result<Policy, Fault> {
    match named {
        Some(path) => Policy::read(path),
        None if Path::new(POLICY_FILE).exists() => Policy::read(Path::new(POLICY_FILE)),
        None => Ok(Policy::default()),
    }
}

/// A revision as a subject; a subject as it is.
fn subject(lab: &Lab, engine: Option<&str>, repo: &Path, revision: &str) -> Result<String, Fault> {
    if is_subject(lab, revision) {
        return Ok(revision.to_owned());
    }
    let engine = engine.ok_or_else(|| {
        Fault::usage(format!("`{revision}` is a revision, and no engine is named that is built from it"))
            .hint("type --engine postgres, or `engine = \"postgres\"` in humdrum.toml")
    })?;
    let shown = repo.display().to_string();
    if shown.contains(['+', '#']) {
        let what = format!("the path {shown} has a sign that subjects give another meaning");
        return Err(Fault::usage(what).hint("give --repo a path without `+` and `#`, such as a link to it"));
    }
    if !revision.contains('+') {
        return Ok(format!("{engine}@src:{shown}#{revision}"));
    }
    // A `+` begins a setting, so the commit stands for the branch, which stays the name of the subject.
    let label = revision.replace(['+', '@', '='], "-");
    let id = humdrum_provision::commits::commit_id(repo, revision)?;
    Ok(format!("{label}={engine}@src:{shown}#{id}"))
}

/// Whether a text is meant as a subject: `postgres@17.7`, `new=postgres@/opt/pg`. Names of branches may have an `@` as well.
fn is_subject(lab: &Lab, text: &str) -> bool {
    let Some((engine, place)) = text.split_once('@') else { return false };
    let engine = engine.split_once('=').map_or(engine, |(_, engine)| engine);
    // An engine that is misspelt is told as one.
    let is_place = place.starts_with(|c: char| c.is_ascii_digit() || c == '/') || place.starts_with("src:");
    is_place || lab.catalogue.engine_named(engine).is_ok()
}

/// Judges by the policy and tells everybody who listens.
fn conclude(judged: &Judged, policy: &Policy, out: &ResultsFolder) -> Result<Gated, Fault> {
    let Judged { results, summary } = judged;
    let gated = humdrum_analyse::gate(summary, &policy.gate, &today());
    let extras = extras(results, summary, out);
    let comment = humdrum_report::check_comment(&gated, summary, results, &extras, run_page().as_deref());
    out.write("comment.md", &comment)?;
    // Writing plain data to memory cannot fail.
    out.write("check.json", &serde_json::to_string_pretty(&gated).unwrap_or_default())?;
    append("GITHUB_STEP_SUMMARY", &comment)?;
    append("GITHUB_OUTPUT", &format!("results={}\ncode={}\n", out.folder.display(), gated.exit_code()))?;
    Ok(gated)
}

/// The page on which a runner of GitHub or GitLab keeps what this check has written.
fn run_page() -> Option<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let of_github = || {
        let [server, repository, run] =
            ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(named);
        Some(format!("{}/{}/actions/runs/{}", server?, repository?, run?))
    };
    let page = of_github().or_else(|| named("CI_JOB_URL"))?;
    // It becomes a link in Markdown.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%".contains(c);
    page.chars().all(is_plain).then_some(page)
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
