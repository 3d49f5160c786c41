//! `humdrum experiments`: the plans that ask something, and how far each is answered. Nothing is measured, and nothing is kept: states are
//! found anew from the tables that the plans name.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_model::{ExperimentRow, ExperimentState, Fault};
use humdrum_plan::{Experiment, Request};
use humdrum_record::write_whole;
use humdrum_report::Format;

use super::published::{figures, named, table};
use super::report::style;
use crate::args::ExperimentsOptions;
use crate::lab::Lab;

/// `humdrum experiments [PLAN|FOLDER]...`.
///
/// # Errors
/// Usage: a plan that cannot be read, a table that is none.
pub fn experiments(lab: &Lab, options: &ExperimentsOptions) -> Result<u8, Fault> {
    let format: Format = options.format.parse()?;
    let mut rows = Vec::new();
    for plan in plans(&options.plans)? {
        if let Some(found) = Request::from_toml(&plan)?.experiment {
            rows.push(row(&plan, &found)?);
        }
    }
    let text = match format {
        Format::Terminal => humdrum_report::experiments(&rows, style(lab)),
        Format::Markdown => humdrum_report::experiments_markdown(&rows),
        // Writing plain data to memory cannot fail.
        Format::Json => serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n",
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

/// The plans that were named, and those in the folders that were named, by name.
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
        inside.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        inside.sort();
        all.extend(inside);
    }
    Ok(all)
}

fn row(plan: &Path, asked: &Experiment) -> Result<ExperimentRow, Fault> {
    let folder = plan.parent().unwrap_or(Path::new("."));
    let mut published = Vec::new();
    for path in &asked.published {
        published.extend(figures(&folder.join(path))?.0);
    }
    let mut measured = Vec::new();
    for record in &asked.records {
        let (host, path) = named(record);
        let path = folder.join(path);
        let own =
            if published.is_empty() { readable(&path).map(|()| Vec::new()) } else { table(&path, host) };
        measured.extend(own.map_err(|fault| fault.at(plan.display().to_string()))?);
    }
    let beside = (!published.is_empty() && !measured.is_empty())
        .then(|| humdrum_analyse::beside_published(&published, &measured, 0).totals);
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
        published: asked.published.iter().map(|path| path.display().to_string()).collect(),
        records: asked.records.clone(),
        state,
        cannot: asked.cannot.clone(),
        totals: beside,
    })
}

/// A record whose figures are not needed must be there all the same.
fn readable(path: &Path) -> Result<(), Fault> {
    match path.is_file() {
        true => Ok(()),
        false => Err(Fault::usage(format!("there is no record {}", path.display()))),
    }
}
