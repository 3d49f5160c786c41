//! `humdrum watch`: measures releases that came out after a plan was made, each with the one before it and the plan's base.
//!
//! ```text
//!   plan ──► releases it names ──┐
//!   watch.json ──► done so far ──┼──► what is newer ──► one comparison each ──► watch.json, site
//!   origins ──► what is offered ─┘      (or go on with one that was begun)
//! ```

mod measure;
mod state;

use std::path::{Path, PathBuf};

use humdrum_contract::{Engine, Progress, Update};
use humdrum_model::{Fault, Place, Plan, Subject, Watch, WatchCall, WatchState};
use humdrum_plan::{Newer, Request, newer, newest, parse_subject};
use humdrum_record::{SiteFolder, write_whole};
use humdrum_report::{Generations, watch_sentence};
use humdrum_sample::gate::OnBusy;

use super::published::Figures;
use super::site::{self, Content};
use crate::args::WatchOptions;
use crate::lab::Lab;
use measure::Watched;
use state::{Kept, Lock};

/// Where attempts that failed are kept, in the folder of the watch.
const FAILED: &str = "failed";

/// `humdrum watch PLAN`.
///
/// # Errors
/// Usage: a plan that cannot be measured, or names no release; environment: no origin can be asked, another call runs;
/// interrupted.
pub fn watch(lab: &mut Lab, options: &WatchOptions) -> Result<u8, Fault> {
    names_a_release(&Request::from_toml(&options.plan)?)?;
    let _: OnBusy = options.on_busy.parse()?;
    let published = Figures::read(&options.published)?;
    let (request, plan) = lab.planned(&options.plan)?;
    let subject = watchable(lab, &plan)?;
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&options.plan));
    let _lock = if options.dry_run { None } else { Some(Lock::take(&folder)?) };
    let mut kept = Kept::open(&folder, begun(lab, &request, &plan, &subject)?)?;
    let offered = offered(lab, &subject)?;
    let due = due(&kept, &offered, options.maintenance);
    let watched = Watched::new(lab, options, request, &plan, subject)?;
    let newest = newest(&kept.known()).cloned().unwrap_or_default();
    announce(lab, &watched, &kept, &newest, &due);
    let mut call = WatchCall {
        schema: 1,
        base: kept.watch.base.clone(),
        engine: kept.watch.engine.clone(),
        newest,
        offered: offered.len(),
        due: due.iter().map(|one| one.version.clone()).collect(),
        releases: Vec::new(),
        given_up: kept.given_up(),
        code: 0,
    };
    if options.dry_run {
        return tell(options, call);
    }
    for one in &due {
        let release = measure::measure(lab, &watched, &mut kept, one)?;
        say(options, &watch_sentence(&release, &kept.folder));
        call.releases.push(release);
    }
    rebuild(lab, options, &kept, published, !due.is_empty())?;
    (call.given_up, call.code) = (kept.given_up(), code(&call));
    tell(options, call)
}

/// Writes what a call found and did as JSON where that was asked for; its exit code.
fn tell(options: &WatchOptions, call: WatchCall) -> Result<u8, Fault> {
    if let Some(path) = &options.json {
        // Writing plain data to memory cannot fail.
        write_whole(path, &serde_json::to_string_pretty(&call).unwrap_or_default())?;
    }
    Ok(call.code)
}

/// Standard output is for JSON alone where that was asked for.
fn say(options: &WatchOptions, text: &str) {
    if options.json.as_deref() != Some(Path::new("-")) {
        anstream::println!("{text}");
    }
}

/// Refuses a plan of builds and servers alone before anything else is checked of it.
fn names_a_release(request: &Request) -> Result<(), Fault> {
    let subjects = request.subjects.iter().map(|text| parse_subject(text)).collect::<Result<Vec<_>, _>>()?;
    if subjects.iter().any(is_release) || subjects.is_empty() {
        return Ok(());
    }
    let what = "the plan names no release that could have a newer one";
    Err(Fault::usage(format!("{what}: {}", request.subjects.join(", ")))
        .hint("name a release of the catalogue, ENGINE@VERSION; `humdrum versions` lists them"))
}

fn is_release(subject: &Subject) -> bool {
    matches!(subject.place, Place::Version(_))
}

/// The newest release that the plan names.
fn watchable(lab: &Lab, plan: &Plan) -> Result<Subject, Fault> {
    let releases: Vec<&Subject> = plan.subjects.iter().filter(|subject| is_release(subject)).collect();
    let Some(first) = releases.first() else {
        // `from = "source"` makes sources of releases.
        return Err(Fault::usage("a plan with `from = \"source\"` cannot be watched")
            .hint("leave `from` out: new releases are measured as their makers built them"));
    };
    if let Some(other) = releases.iter().find(|subject| subject.engine != first.engine) {
        let what = format!("the plan has releases of {} and of {}", first.engine, other.engine);
        return Err(Fault::usage(what).hint("make a plan for each engine; a watch follows one"));
    }
    let versions = versions(lab, plan)?;
    let last = newest(&versions).and_then(|newest| versions.iter().position(|one| one == newest));
    Ok(releases[last.unwrap_or(0)].clone())
}

/// The releases that a plan names, in full.
fn versions(lab: &Lab, plan: &Plan) -> Result<Vec<String>, Fault> {
    let releases = plan.subjects.iter().filter(|subject| is_release(subject));
    releases.map(|subject| lab.catalogue.engine(subject)?.check(&subject.for_engine(), &lab.dirs)).collect()
}

/// A watch that has done nothing yet. Its base is what was typed: `ENGINE@17` stays that, whatever 17 means later.
fn begun(lab: &Lab, request: &Request, plan: &Plan, subject: &Subject) -> Result<Watch, Fault> {
    let base = request.subjects.first().map(|text| parse_subject(text)).transpose()?;
    Ok(Watch {
        schema: 1,
        base: base.as_ref().unwrap_or(subject).without_password().typed(),
        engine: subject.engine.clone(),
        known: versions(lab, plan)?,
        releases: Vec::new(),
    })
}

fn default_folder(plan: &Path) -> PathBuf {
    let stem = plan.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Path::new("humdrum-results").join(format!("watch-{stem}"))
}

fn offered(lab: &Lab, subject: &Subject) -> Result<Vec<String>, Fault> {
    let engine: &dyn Engine = lab.catalogue.engine(subject)?;
    lab.console.update(Update::Step(&format!("asking for releases of {}", engine.name())));
    let offered = engine.offered(&lab.dirs, &lab.console)?;
    lab.console.clear();
    Ok(offered.into_iter().map(|release| release.version).collect())
}

/// What this call has to do: releases that were begun or failed, and newer ones, oldest first.
fn due(kept: &Kept, offered: &[String], maintenance: bool) -> Vec<Newer> {
    let given_up = kept.given_up();
    // What was begun before a kill or a failure counts as offered: its origin may have moved on.
    let begun = kept.watch.releases.iter().filter(|one| one.state != WatchState::Measured);
    let all: Vec<String> = offered.iter().cloned().chain(begun.map(|one| one.version.clone())).collect();
    let mut found = newer(&kept.watch.known, &all, maintenance);
    found.retain(|one| !given_up.contains(&one.version));
    found.retain(|one| kept.of(&one.version).is_none_or(|known| known.state != WatchState::Measured));
    found
}

fn announce(lab: &Lab, watched: &Watched, kept: &Kept, newest: &str, due: &[Newer]) {
    let engine = &kept.watch.engine;
    if due.is_empty() {
        // Not an output: a line for cron that says --quiet sends no mail when there is no news.
        lab.console.update(Update::Note(&format!("{engine}: nothing newer than {newest}")));
    } else {
        let names: Vec<&str> = due.iter().map(|one| one.version.as_str()).collect();
        let minutes = watched.seconds * due.len() as f64 / 60.0;
        let text = format!(
            "{engine}: newer than {newest}: {}\n\
             each is measured with the release before it and with {}: {} tests, {:.1} minutes of measuring at most, {minutes:.1} in all\n\
             results go to {}/",
            names.join(", "),
            kept.watch.base,
            watched.tests,
            watched.seconds / 60.0,
            kept.folder.display()
        );
        say(&watched.options, &text);
    }
    for version in kept.given_up() {
        let why = kept.of(&version).and_then(|one| one.why.clone()).unwrap_or_default();
        say(
            &watched.options,
            &format!("{engine}@{version} failed {} times and is left out: {why}", state::ATTEMPTS),
        );
    }
}

/// The site of all results of the watch. Without news it stays, unless it is missing, or is to have figures that others published.
fn rebuild(
    lab: &Lab,
    options: &WatchOptions,
    kept: &Kept,
    published: Figures,
    news: bool,
) -> Result<(), Fault> {
    let target = options.site.clone().unwrap_or_else(|| kept.folder.join("site"));
    let failed = kept.folder.join(FAILED);
    let failed = failed.canonicalize().unwrap_or(failed);
    let results: Vec<PathBuf> =
        site::all_below(&kept.folder).into_iter().filter(|path| !path.starts_with(&failed)).collect();
    if results.is_empty() || (!news && options.published.is_empty() && target.join("index.html").is_file()) {
        return Ok(());
    }
    let wanted = Content { results: &results, published, generations: Generations::Apart };
    let told = site::fill(lab, SiteFolder::begin(&target)?, &target, &wanted)?;
    lab.console.clear();
    say(options, &told);
    Ok(())
}

/// A loss is told before a failure: it was measured, and the failure is tried again.
fn code(call: &WatchCall) -> u8 {
    let code = |one: &humdrum_model::WatchedRelease| match one.state {
        WatchState::Measured => one.code.unwrap_or(0),
        WatchState::Begun | WatchState::Failed => 3,
    };
    let codes: Vec<u8> = call.releases.iter().map(code).collect();
    [1, 3, 4].into_iter().find(|wanted| codes.contains(wanted)).unwrap_or(0)
}
