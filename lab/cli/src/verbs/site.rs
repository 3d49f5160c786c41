//! `humdrum site`: many results as a folder of pages that any web server, or none, can show.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Measured, Place, Results};
use humdrum_record::{ResultsFolder, SiteFolder};
use humdrum_report::{Extras, Generations, SiteRun, SiteSubject, printable, site_name};

use super::published::{Figures, as_measured};
use super::report::extras;
use crate::args::SiteOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::reader::Reader;

/// How many levels of folders are searched for results: `humdrum-results/<run>`, and a few levels above it.
const DEPTH: u32 = 5;

/// `humdrum site DIR [RESULTS]...`.
///
/// # Errors
/// Usage when there are no results, or when the folder holds something else; environment when it cannot be written.
pub fn site(reader: &Reader, options: &SiteOptions) -> Result<u8, Fault> {
    // First: a folder that holds something else is refused whatever the results are.
    let fresh = SiteFolder::begin(&options.folder)?;
    let found = options.results.iter().map(|path| find(path)).collect::<Result<Vec<_>, _>>()?;
    let mut results = Vec::new();
    for path in found.into_iter().flatten() {
        if !results.contains(&path) {
            results.push(path);
        }
    }
    let generations = if options.pool_generations { Generations::Pooled } else { Generations::Apart };
    let wanted = Content { results: &results, published: Figures::read(&options.published)?, generations };
    anstream::println!("{}", fill(reader, fresh, &options.folder, &wanted)?);
    Ok(0)
}

/// What a site shows.
pub(super) struct Content<'a> {
    /// Results folders.
    pub(super) results: &'a [PathBuf],
    /// Figures that stand beside those of the results.
    pub(super) published: Figures,
    /// Whether results of several processor generations share a chart.
    pub(super) generations: Generations,
}

/// Fills a site and puts it in place; returns what is to be said of it.
///
/// # Errors
/// As `site`.
pub(super) fn fill(
    reader: &Reader,
    fresh: SiteFolder,
    target: &Path,
    wanted: &Content<'_>,
) -> Result<String, Fault> {
    let (runs, left_out) = write(reader, &fresh, wanted)?;
    fresh.put_in_place()?;
    for fault in &left_out {
        anstream::eprintln!("left out: {}", printable(&fault.to_string()));
    }
    let index = target.join("index.html").display().to_string();
    Ok(format!("{} of {} runs: {}", runs, wanted.results.len(), printable(&index)))
}

/// The results folders at a path or below it; none where there are none.
pub(super) fn all_below(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(path, DEPTH, &mut found);
    found
}

/// The results folders at a path or below it, in the order of their names.
fn find(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let found = all_below(path);
    if found.is_empty() {
        // Says how results are named, for a path that was mistyped.
        ResultsFolder::open(path)?;
        let what = format!("no results below {}", path.display());
        return Err(
            Fault::usage(what).hint("give the folder that runs were written to, or their own folders")
        );
    }
    Ok(found)
}

fn collect(path: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    if path.is_file() || path.join("results.sqlite").is_file() {
        found.push(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        return;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    // Links are not followed: a folder could lead back to itself.
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    if depth > 0 {
        folders.iter().for_each(|folder| collect(folder, depth - 1, found));
    }
}

/// Writes everything into a new folder; returns how many runs it holds, and why others are left out.
fn write(reader: &Reader, folder: &SiteFolder, wanted: &Content<'_>) -> Result<(usize, Vec<Fault>), Fault> {
    let (mut runs, mut left_out, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut measured = Vec::new();
    for (number, path) in wanted.results.iter().enumerate() {
        reader.interrupt.check()?;
        let of = wanted.results.len();
        reader.console.update(Update::Step(&format!("{} of {of}: {}", number + 1, path.display())));
        match run_page(reader, folder, path, &mut taken) {
            Ok((run, own)) => {
                measured.push((run.started.clone(), own));
                runs.push(run);
            }
            // One that cannot be read does not keep the others from being shown, and is named.
            Err(fault) => left_out.push(fault),
        }
    }
    if runs.is_empty() {
        return Err(left_out.into_iter().next().unwrap_or_else(|| Fault::usage("there are no results")));
    }
    // Of a host's runs the latest stands for it.
    measured.sort_by(|(a, _), (b, _)| a.cmp(b));
    let measured: Vec<Measured> = measured.into_iter().flat_map(|(_, own)| own).collect();
    let published = match wanted.published.beside(&measured, &[]) {
        Ok(found) => found,
        Err(fault) => {
            left_out.push(fault);
            None
        }
    };
    for page in
        humdrum_report::site(&runs, published.as_ref(), wanted.generations, &humdrum_analyse::change_points)
    {
        folder.write(&page.path, &page.text)?;
    }
    Ok((runs.len(), left_out))
}

/// The report of one run, with its summary beside it, and its ratios of releases.
fn run_page(
    reader: &Reader,
    folder: &SiteFolder,
    path: &Path,
    taken: &mut BTreeSet<String>,
) -> Result<(SiteRun, Vec<Measured>), Fault> {
    let out = ResultsFolder::open(path)?;
    let Judged { results, summary } = judged(reader, &out, path, Wanted::default())?;
    let called = out.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = site_name(&called.unwrap_or_default(), taken);
    let extras = Extras { home: Some("../../index.html".into()), ..extras(&results, &summary, &out) };
    let write = |file: &str, text: &str| folder.write(&format!("runs/{name}/{file}"), text);
    write("index.html", &humdrum_report::html(&summary, &results, &extras))?;
    write("summary.json", &humdrum_report::json(&summary))?;
    write("summary.tsv", &humdrum_report::tsv(&summary))?;
    let measured = as_measured(&summary, &results, None);
    Ok((SiteRun { name, subjects: subjects(&results), started: results.started, summary }, measured))
}

/// The subjects of a run. The release is the one that a subject's name meant; of other builds it is what was typed.
fn subjects(results: &Results) -> Vec<SiteSubject> {
    let subject = |subject: &humdrum_model::Subject| SiteSubject {
        label: subject.label.clone(),
        engine: subject.engine.clone(),
        release: match &subject.place {
            Place::Version(version) => version.clone(),
            other => other.to_string(),
        },
        settings: subject.settings.iter().map(|setting| format!("+{setting}")).collect(),
    };
    results.plan.subjects.iter().map(subject).collect()
}
