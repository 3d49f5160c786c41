//! `humdrum site`: many results as a folder of pages that any web server, or none, can show.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_record::{ResultsFolder, Store};
use humdrum_report::{Extras, Generations, SiteRun, printable, site_name};

use super::report::{extras, summarise};
use crate::args::SiteOptions;
use crate::lab::Lab;

/// Tells a site of ours from another's.
const MARK: &str = ".humdrum-site";

/// What a site is made of. Anything else in its folder (a repository's `.git`, a host's `CNAME`) is left alone.
const PARTS: [&str; 4] = [MARK, "index.html", "tests", "runs"];

/// Where a site grows before it takes the place of the old one, in its own folder so that both are on one file system.
const FRESH: &str = ".humdrum-site-new";

/// How far below a folder results are looked for: `humdrum-results/<run>`, and a few years of folders above it.
const DEPTH: u32 = 5;

/// `humdrum site DIR [RESULTS]...`.
///
/// # Errors
/// Usage when there are no results, or when the folder holds something else; environment when it cannot be written.
pub fn site(lab: &Lab, options: &SiteOptions) -> Result<u8, Fault> {
    let target = &options.folder;
    if is_of_others(target) {
        let what = format!("{} holds something other than a site of humdrum's", target.display());
        return Err(Fault::usage(what).hint("name another folder; it is made if it does not exist"));
    }
    let found = options.results.iter().map(|path| find(path)).collect::<Result<Vec<_>, _>>()?;
    let mut results = Vec::new();
    for path in found.into_iter().flatten() {
        if !results.contains(&path) {
            results.push(path);
        }
    }
    let fresh = target.join(FRESH);
    let generations = if options.pool_generations { Generations::Pooled } else { Generations::Apart };
    let written = write(lab, &fresh, &results, generations).and_then(|written| {
        put_in_place(&fresh, target)?;
        Ok(written)
    });
    let _ = fs::remove_dir_all(&fresh);
    // Goes only if nothing was put into it.
    let _ = fs::remove_dir(target);
    let (runs, left_out) = written?;
    for fault in &left_out {
        anstream::eprintln!("left out: {}", printable(&fault.to_string()));
    }
    let index = target.join("index.html").display().to_string();
    anstream::println!("{} of {} runs: {}", runs, results.len(), printable(&index));
    Ok(0)
}

/// The results folders at a path or below it, in the order of their names.
fn find(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    collect(path, DEPTH, &mut found);
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
fn write(
    lab: &Lab,
    folder: &Path,
    results: &[PathBuf],
    generations: Generations,
) -> Result<(usize, Vec<Fault>), Fault> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| refused("remove", folder, &error))?;
    }
    make(folder)?;
    write_file(&folder.join(MARK), "Written by humdrum; a later `humdrum site` replaces this folder.\n")?;
    let (mut runs, mut left_out, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (number, path) in results.iter().enumerate() {
        lab.dirs.interrupt.check()?;
        lab.console.update(Update::Step(&format!("{} of {}: {}", number + 1, results.len(), path.display())));
        match run_page(lab, folder, path, &mut taken) {
            Ok(run) => runs.push(run),
            // One that cannot be read does not keep the others from being shown, and is named.
            Err(fault) => left_out.push(fault),
        }
    }
    if runs.is_empty() {
        return Err(left_out.into_iter().next().unwrap_or_else(|| Fault::usage("there are no results")));
    }
    for page in humdrum_report::site(&runs, generations) {
        let path = folder.join(&page.path);
        path.parent().map_or(Ok(()), make)?;
        write_file(&path, &page.text)?;
    }
    Ok((runs.len(), left_out))
}

/// The report of one run, with its summary beside it.
fn run_page(lab: &Lab, folder: &Path, path: &Path, taken: &mut BTreeSet<String>) -> Result<SiteRun, Fault> {
    let out = ResultsFolder::open(path)?;
    let results = Store::open(&out.results_at(path))?.read()?;
    let summary = summarise(lab, &results);
    let called = out.folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = site_name(&called.unwrap_or_default(), taken);
    let extras = Extras { home: Some("../../index.html".into()), ..extras(&results, &summary, &out) };
    let here = folder.join("runs").join(&name);
    make(&here)?;
    write_file(&here.join("index.html"), &humdrum_report::html(&summary, &results, &extras))?;
    write_file(&here.join("summary.json"), &humdrum_report::json(&summary))?;
    write_file(&here.join("summary.tsv"), &humdrum_report::tsv(&summary))?;
    Ok(SiteRun { name, started: results.started, summary })
}

/// Exchanges the parts of the old site for the new ones.
fn put_in_place(fresh: &Path, target: &Path) -> Result<(), Fault> {
    for part in PARTS {
        let (new, place) = (fresh.join(part), target.join(part));
        let old = fresh.join(format!("{part}.old"));
        if place.exists() {
            fs::rename(&place, &old).map_err(|error| refused("replace", &place, &error))?;
        }
        if let Err(error) = fs::rename(&new, &place) {
            let _ = fs::rename(&old, &place);
            return Err(refused("write", &place, &error));
        }
    }
    Ok(())
}

/// Whether a folder cannot become a site without harm to what it holds.
fn is_of_others(target: &Path) -> bool {
    let holds = |part: &&str| target.join(part).exists();
    if target.is_dir() { !holds(&MARK) && PARTS.iter().any(holds) } else { target.exists() }
}

fn make(folder: &Path) -> Result<(), Fault> {
    fs::create_dir_all(folder).map_err(|error| refused("make", folder, &error))
}

fn write_file(path: &Path, text: &str) -> Result<(), Fault> {
    fs::write(path, text).map_err(|error| refused("write", path, &error))
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}
