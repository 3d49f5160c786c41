//! `humdrum upgrade`: what the change to another release brings to one database, in one command.
//!
//! ```text
//!   OUT/upgrade-source.json   what was asked of the running server, and how it was tried
//!   OUT/NAME/                 the workload, if it was captured
//!   OUT/source.dump           the rows, if they were dumped
//!   OUT/results/              the comparison
//!   OUT/upgrade.html, .md, .json
//! ```

mod dump;
mod replay;
mod settings;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Progress, Silent, Update};
use humdrum_model::{Fault, FaultKind, TestResult, Upgrade, UpgradeSource, Verdict};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_workload_script::{Folder, Given};

use super::capture::capture;
use super::compare::measure;
use super::report::style;
use super::report::upgrade::{ABOUT, About, read};
use crate::args::{CaptureOptions, DumpOptions, ExplainOptions, MeasureOptions, UpgradeOptions};
use crate::judged::{Judged, Wanted, judged};
use crate::lab::Lab;
use source::Source;

/// `humdrum upgrade SOURCE --to RELEASE`.
///
/// # Errors
/// Usage: a source that is none, nothing that runs on it. Environment: a dump that cannot be made. As `compare` after that.
pub fn upgrade(lab: &mut Lab, options: &UpgradeOptions) -> Result<u8, Fault> {
    options.on_busy.parse::<humdrum_sample::gate::OnBusy>()?;
    let source = Source::read(lab, &options.source, &options.to)?;
    if options.suite.is_none() && options.log.is_empty() && source.running.is_none() {
        return Err(Fault::usage("nothing says what runs on it").hint(
            "give the folder of a workload (--suite ./shop), a log of its statements (--log postgresql.log), or the URL of the \
             running server in place of a release",
        ));
    }
    let out = folder(options, &source)?;
    let said = format!("from {} to {}\nresults go to {}/", source.old, source.new, out.display());
    lab.console.update(Update::Step(&said));
    let tried = compare(lab, options, &source, &out);
    if tried.is_err() && !out.join("results").join("results.sqlite").exists() {
        // Nothing was measured, and the same command is to work again.
        let _ = fs::remove_dir_all(&out);
    }
    let code = tried.map_err(|fault| go_on(fault, &out))?;
    if options.prove {
        prove(lab, &out)?;
    }
    let upgrade = read(lab, &out)?;
    present(lab, &upgrade, &out, options.json.as_deref())?;
    Ok(code)
}

/// Gets statements, rows and settings, and measures both releases; the exit code is that of the verdicts.
fn compare(lab: &mut Lab, options: &UpgradeOptions, source: &Source, out: &Path) -> Result<u8, Fault> {
    let suite = workload(lab, options, source, out)?;
    let data = match (&options.dump.data, &source.running) {
        (Some(given), _) => Some(given.clone()),
        (None, Some(running)) if !has_rows(lab, Path::new(&suite)) => Some(dump::dump(lab, running, out)?),
        _ => None,
    };
    let mut about = about(lab, options, source)?;
    let settings = about.source.as_ref().map(|source| source.given.as_slice()).unwrap_or_default();
    let subjects = source.subjects(settings);
    let given = DumpOptions { data, on_restore_error: options.dump.on_restore_error.clone() };
    if options.suite.is_none() {
        let data = lab.given_for(given.given(), &subjects);
        let notes = replay::keep_what_replays(lab, Path::new(&suite), &data, &subjects[0])?;
        about.notes.extend(notes);
    }
    write_whole(&out.join(ABOUT), &(serde_json::to_string_pretty(&about).unwrap_or_default() + "\n"))?;
    let wanted = MeasureOptions {
        suite: Some(suite),
        dump: given,
        tests: options.tests.clone(),
        scale: options.scale.clone(),
        budget: options.budget.clone(),
        seed: options.seed,
        strict: options.strict,
        out: Some(out.join("results")),
        on_busy: options.on_busy.clone(),
        unseen: true,
        ..MeasureOptions::default()
    };
    let mut request = wanted.request(subjects.to_vec());
    // How many tests there are is known only now, and statements and rows are not to be got again for some seconds.
    request.budget_grows = true;
    measure(lab, request, &wanted).map(|measured| measured.code)
}

/// An interrupted comparison goes on by itself, and the upgrade is read from it then.
fn go_on(fault: Fault, out: &Path) -> Fault {
    if fault.kind != FaultKind::Interrupted {
        return fault;
    }
    let results = out.join("results");
    fault.hint(format!("humdrum resume {}, then humdrum report {}", results.display(), out.display()))
}

/// The folder of this upgrade, which is made.
fn folder(options: &UpgradeOptions, source: &Source) -> Result<PathBuf, Fault> {
    let name = format!("upgrade-{}-to-{}", source.old, source.new);
    let numbered = (1..).map(|number: u32| match number {
        1 => Path::new("humdrum-results").join(&name),
        number => Path::new("humdrum-results").join(format!("{name}-{number}")),
    });
    let mut free = numbered.filter(|folder| !folder.exists());
    let out = options.out.clone().or_else(|| free.next()).unwrap_or_else(|| PathBuf::from(&name));
    let holds = fs::read_dir(&out).is_ok_and(|mut files| files.next().is_some());
    if holds {
        let what = format!("{} is not empty", out.display());
        return Err(Fault::usage(what).at("--out").hint("give another folder, or remove it first"));
    }
    fs::create_dir_all(&out)
        .map_err(|error| Fault::usage(format!("{} cannot be made: {error}", out.display())).at("--out"))?;
    Ok(out)
}

/// The folder of the workload: the one that was named, or one from a log.
fn workload(lab: &Lab, options: &UpgradeOptions, source: &Source, out: &Path) -> Result<String, Fault> {
    if let Some(suite) = &options.suite {
        return Ok(suite.clone());
    }
    let folder = out.join(source.workload_name());
    let logs = !options.log.is_empty();
    let running = source.running.iter().map(|running| PathBuf::from(&running.url));
    let wanted = CaptureOptions {
        sources: if logs { options.log.clone() } else { running.collect() },
        time: options.capture.clone().filter(|_| !logs),
        out: folder.clone(),
        top: options.top,
        samples: 1000,
        mask: false,
        data: None,
        format: None,
        seed: options.seed.unwrap_or(1),
        json: None,
        goes_on: true,
    };
    capture(lab, &wanted)?;
    Ok(folder.display().to_string())
}

/// Whether a folder makes its tables itself, so that the rows of a server are not asked for.
fn has_rows(lab: &Lab, folder: &Path) -> bool {
    let found = Folder::read_with(folder, &Given::default(), &Silent, &lab.dirs.interrupt);
    found.is_ok()
}

/// What the report has to say beside the comparison.
fn about(lab: &Lab, options: &UpgradeOptions, source: &Source) -> Result<About, Fault> {
    let mut about = About { source: None, notes: source.notes.clone() };
    let Some(running) = &source.running else { return Ok(about) };
    let mut found = UpgradeSource {
        url: humdrum_model::url_without_password(&running.url),
        version: running.survey.version.clone(),
        bytes: running.survey.bytes,
        others: running.survey.others.clone(),
        ..UpgradeSource::default()
    };
    if options.without_settings {
        found.others.extend(running.survey.chosen.iter().map(|(name, _)| name.clone()));
    } else {
        settings::give(lab, source, &running.survey.chosen, &mut found)?;
    }
    about.source = Some(found);
    Ok(about)
}

/// Measures what each changed default carries of the worst loss.
fn prove(lab: &mut Lab, out: &Path) -> Result<(), Fault> {
    let folder = out.join("results");
    let Judged { summary, .. } = judged(lab, &ResultsFolder::open(&folder)?, &folder, Wanted::default())?;
    let tests = summary.comparisons.first().map(|one| one.tests.as_slice()).unwrap_or_default();
    let lost = tests.iter().filter(|test| test.verdict == Some(Verdict::Regression));
    let loss = |test: &&TestResult| test.rqps.unwrap_or(1.0);
    let Some(worst) = lost.min_by(|a, b| loss(a).total_cmp(&loss(b))) else {
        lab.console.update(Update::Note("no test lost, so that no setting is put back"));
        return Ok(());
    };
    let options = ExplainOptions {
        examine: false,
        results: folder,
        test: Some(worst.test.clone()),
        subject: None,
        json: false,
        prove: true,
        profile: false,
        settings: Vec::new(),
        budget: None,
        allow_external: false,
    };
    super::explain::explain(lab, &options).map(drop)
}

fn present(lab: &Lab, upgrade: &Upgrade, out: &Path, json: Option<&Path>) -> Result<(), Fault> {
    let data = humdrum_report::upgrade_json(upgrade);
    write_whole(&out.join("upgrade.html"), &humdrum_report::upgrade_html(upgrade, "results/report.html"))?;
    write_whole(&out.join("upgrade.md"), &humdrum_report::upgrade_markdown(upgrade))?;
    write_whole(&out.join("upgrade.json"), &data)?;
    json.map_or(Ok(()), |path| write_whole(path, &data))?;
    if json != Some(Path::new("-")) {
        anstream::print!("{}", humdrum_report::upgrade(upgrade, style(lab)));
        anstream::println!("\nreport: {}", out.join("upgrade.html").display());
    }
    Ok(())
}
