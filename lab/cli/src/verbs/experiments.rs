//! `humdrum experiments`: the plans that ask something, how far each is answered, and which claims of publications they ask. Nothing is
//! measured, and nothing is kept: states are found anew from the tables that the plans name.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_model::{Claim, Coverage, ExperimentRow, ExperimentState, Experiments, Fault, Measured, Subject};
use humdrum_plan::{Experiment, Request, parse_subject, test_names};
use humdrum_record::write_whole;
use humdrum_report::Format;

use super::published::{figures, named, table, text};
use super::report::style;
use crate::args::ExperimentsOptions;
use crate::reader::Reader;
use crate::suites;

/// The tables of claims, and of reasons why no plan asks some of them, beside the folder of plans or above it.
const CLAIMS: &str = "published/claims.tsv";
const NOT_ASKED: &str = "not-asked.tsv";

/// `humdrum experiments [PLAN|FOLDER]...`.
///
/// # Errors
/// Usage: a plan that cannot be read, a table that is none, a claim that does not exist.
pub fn experiments(reader: &Reader, options: &ExperimentsOptions) -> Result<u8, Fault> {
    let format: Format = options.format.parse()?;
    let found = found(options)?;
    let text = match format {
        Format::Terminal => humdrum_report::experiments(&found, style(reader)),
        Format::Markdown => humdrum_report::experiments_markdown(&found),
        // Writing plain data to memory cannot fail.
        Format::Json => serde_json::to_string_pretty(&found).unwrap_or_default() + "\n",
        _ => {
            return Err(Fault::usage("experiments have no such format")
                .at("--format")
                .hint("use one of terminal, markdown, json"));
        }
    };
    match &options.out {
        Some(path) => write_whole(path, &text)?,
        None => anstream::print!("{text}"),
    }
    Ok(0)
}

/// All plans that were named and ask something, and the claims.
fn found(options: &ExperimentsOptions) -> Result<Experiments, Fault> {
    let claims = options.claims.clone().or_else(|| options.plans.iter().find_map(|plan| claims_near(plan)));
    let mut found = Experiments::default();
    if let Some(path) = &claims {
        found.claims = humdrum_analyse::claims_tsv(&text(path)?).map_err(|fault| of(path, fault))?;
    }
    let mut records = Vec::new();
    for plan in plans(&options.plans)? {
        let request = Request::from_toml(&plan)?;
        if let Some(asked) = request.experiment.clone() {
            note_claims(&mut found.claims, &plan, &asked, claims.is_some())?;
            let figures = recorded(&plan, &asked)?;
            let mut row = row(&plan, &asked, &figures)?;
            if row.totals.is_some() {
                row.coverage = Some(coverage(&request, &figures).map_err(|fault| of(&plan, fault))?);
            }
            found.experiments.push(row);
            records.push((plan.display().to_string(), figures));
        }
    }
    found.claims.iter_mut().for_each(|claim| answer(claim, &records));
    let reasons = claims.and_then(|path| Some(path.parent()?.join(NOT_ASKED))).filter(|path| path.is_file());
    if let Some(path) = reasons {
        let read = text(&path)?;
        humdrum_analyse::claims_not_asked(&mut found.claims, &read).map_err(|fault| of(&path, fault))?;
    }
    // Of some plans, what the others ask is not known.
    if !options.plans.iter().any(|path| path.is_dir()) {
        found.claims.retain(|claim| !claim.plans.is_empty());
    }
    Ok(found)
}

/// The table of claims in a folder beside that of a plan, or beside one above it.
fn claims_near(plan: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(plan).ok()?;
    whole.ancestors().map(|folder| folder.join(CLAIMS)).find(|path| path.is_file())
}

fn note_claims(claims: &mut [Claim], plan: &Path, asked: &Experiment, known: bool) -> Result<(), Fault> {
    if !known && !asked.claims.is_empty() {
        return Err(Fault::usage("the plan names claims, and there is no table of them")
            .at(plan.display().to_string())
            .hint(format!("name the table: --claims {CLAIMS}")));
    }
    let path = plan.display().to_string();
    asked.claims.iter().try_for_each(|list| {
        humdrum_analyse::claims_of_plan(claims, &path, list).map_err(|fault| of(plan, fault))
    })
}

fn of(path: &Path, fault: Fault) -> Fault {
    fault.at(path.display().to_string())
}

/// The plans that were named, and those in the folders that were named and in folders there, by name.
fn plans(named: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
    let mut all = Vec::new();
    for path in named {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let unreadable =
            |error: std::io::Error| Fault::usage(format!("cannot read {}: {error}", path.display()));
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            inside.push(entry.map_err(unreadable)?.path());
        }
        inside.retain(|file| file.is_dir() || file.extension().is_some_and(|extension| extension == "toml"));
        // Plans of a folder first, then its folders.
        inside.sort_by_key(|file| (file.is_dir(), file.clone()));
        for file in inside {
            match file.is_dir() {
                true => all.extend(plans(&[file])?),
                false => all.push(file),
            }
        }
    }
    Ok(all)
}

/// What the records of the plans that ask a claim say of it. A record that several of them name counts once.
fn answer(claim: &mut Claim, records: &[(String, Vec<Recorded>)]) {
    let mut paths: Vec<&Path> = Vec::new();
    let mut figures = Vec::new();
    let asked = records.iter().filter(|(plan, _)| claim.plans.contains(plan));
    for record in asked.flat_map(|(_, records)| records) {
        if !paths.contains(&record.path.as_path()) {
            paths.push(&record.path);
            figures.extend_from_slice(&record.figures);
        }
    }
    claim.answer = humdrum_analyse::answer(claim, &figures);
}

/// A record that a plan names, and its ratios of releases.
struct Recorded {
    path: PathBuf,
    figures: Vec<Measured>,
}

fn recorded(plan: &Path, asked: &Experiment) -> Result<Vec<Recorded>, Fault> {
    let folder = plan.parent().unwrap_or(Path::new("."));
    let record = |record: &String| {
        let (host, path) = named(record);
        let path = folder.join(path);
        // Where no published table stands beside it, a record need not be a table of releases.
        let figures = match asked.published.is_empty() {
            true => readable(&path)
                .and_then(|()| if has_ratios(&path) { table(&path, host) } else { Ok(Vec::new()) }),
            false => table(&path, host),
        };
        Ok(Recorded { figures: figures.map_err(|fault| of(plan, fault))?, path })
    };
    asked.records.iter().map(record).collect()
}

fn row(plan: &Path, asked: &Experiment, records: &[Recorded]) -> Result<ExperimentRow, Fault> {
    let folder = plan.parent().unwrap_or(Path::new("."));
    let mut published = Vec::new();
    for path in &asked.published {
        published.extend(figures(&folder.join(path))?.0);
    }
    let measured = ratios(records);
    let beside = (!published.is_empty() && !measured.is_empty())
        .then(|| humdrum_analyse::beside_published(&published, &measured, &[]).totals);
    let state = match (&asked.cannot, &beside) {
        (Some(_), _) => ExperimentState::CannotBeRun,
        (None, _) if asked.records.is_empty() => ExperimentState::NotRun,
        (None, None) => ExperimentState::Measured,
        (None, Some(totals)) => humdrum_analyse::experiment_state(totals),
    };
    Ok(ExperimentRow {
        plan: plan.display().to_string(),
        question: asked.question.clone(),
        differs: asked.differs.clone(),
        claims: asked.claims.clone(),
        published: asked.published.iter().map(|path| path.display().to_string()).collect(),
        records: asked.records.clone(),
        state,
        cannot: asked.cannot.clone(),
        totals: beside,
        coverage: None,
    })
}

fn ratios(records: &[Recorded]) -> Vec<Measured> {
    records.iter().flat_map(|record| record.figures.clone()).collect()
}

/// How much of the plan its records have.
fn coverage(request: &Request, records: &[Recorded]) -> Result<Coverage, Fault> {
    let subjects = request.subjects.iter().map(|text| parse_subject(text));
    let subjects = subjects.collect::<Result<Vec<Subject>, Fault>>()?;
    let tests = test_names(request, &suites::table())?;
    Ok(humdrum_analyse::record_coverage(&subjects, tests.as_deref(), &ratios(records)))
}

/// Whether a record is a table with a column of ratios, which then can be read or is damaged.
fn has_ratios(path: &Path) -> bool {
    let head = text(path).unwrap_or_default();
    head.lines().next().is_some_and(|head| head.split('\t').any(|column| column == "rqps"))
}

/// A record whose figures are not needed must be there all the same.
fn readable(path: &Path) -> Result<(), Fault> {
    match path.is_file() {
        true => Ok(()),
        false => Err(Fault::usage(format!("there is no record {}", path.display()))),
    }
}
