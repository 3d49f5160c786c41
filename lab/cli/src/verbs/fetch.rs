//! `humdrum fetch`: gets builds without running them.

use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_plan::parse_subject;
use humdrum_report::printable;

use crate::args::FetchOptions;
use crate::lab::Lab;

/// `humdrum fetch SUBJECT...`.
///
/// # Errors
/// Usage for a bad subject, environment for network, disk and checksums.
pub fn fetch(lab: &Lab, options: &FetchOptions) -> Result<u8, Fault> {
    let subjects = options.subjects.iter().map(|text| parse_subject(text)).collect::<Result<Vec<_>, _>>()?;
    for subject in &subjects {
        lab.catalogue
            .engine(subject)?
            .check(subject, &lab.dirs)
            .map_err(|fault| fault.at(subject.label.clone()))?;
    }
    humdrum_run::check_builds(&subjects, &lab.catalogue, &lab.dirs, &lab.console)?;
    for subject in &subjects {
        lab.console.update(Update::Step(&format!("{subject}: getting the build")));
        let build = lab.catalogue.engine(subject)?.install(subject, &lab.dirs, &lab.console);
        let facts = build.map_err(|fault| fault.at(subject.label.clone()))?.facts();
        lab.console.clear();
        anstream::println!("{}: {}", printable(&subject.to_string()), facts.origin);
    }
    Ok(0)
}
