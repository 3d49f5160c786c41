//! `humdrum pack` and `humdrum unpack`: all builds that a plan needs as one archive, for hosts without network.

use std::collections::BTreeSet;

use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_provision::checksum::sha256_of;
use humdrum_provision::pack;
use humdrum_report::printable;

use crate::args::{PackOptions, UnpackOptions};
use crate::lab::Lab;

/// `humdrum pack PLAN -o FILE`.
///
/// # Errors
/// Usage: a plan that cannot be measured, a file that exists; environment for network, disk and checksums.
pub fn pack(lab: &mut Lab, options: &PackOptions) -> Result<u8, Fault> {
    let (_, plan) = lab.planned(&options.plan)?;
    let mut names = BTreeSet::new();
    for subject in &plan.subjects {
        lab.console.update(Update::Step(&format!("{subject}: getting the build")));
        let build = lab.catalogue.engine(subject)?.install(subject, &lab.dirs, &lab.console);
        let place = build.map_err(|fault| fault.at(subject.label.clone()))?.place();
        match place.as_deref().map(|place| (place, pack::name_in_cache(place, &lab.dirs))) {
            Some((_, Some(name))) => {
                names.insert(name);
            }
            Some((place, None)) => lab.console.update(Update::Note(&format!(
                "{subject} is not in the archive: {} must be there on every host",
                place.display()
            ))),
            None => {}
        }
    }
    let names: Vec<String> = names.into_iter().collect();
    pack::pack(&names, &options.out, &lab.dirs, &lab.console)?;
    lab.console.clear();
    let cannot = |error| Fault::environment(format!("cannot read {}: {error}", options.out.display()));
    let sum = sha256_of(&options.out).map_err(cannot)?;
    anstream::println!("{sum}  {}", options.out.display());
    names.iter().for_each(|name| anstream::println!("  {}", printable(name)));
    Ok(0)
}

/// `humdrum unpack FILE`.
///
/// # Errors
/// As `humdrum_provision::pack::unpack`.
pub fn unpack(lab: &Lab, options: &UnpackOptions) -> Result<u8, Fault> {
    let new = pack::unpack(&options.file, &lab.dirs, &lab.console)?;
    lab.console.clear();
    new.iter().for_each(|name| anstream::println!("unpacked {}", printable(name)));
    if new.is_empty() {
        anstream::println!("all builds of {} are here already", options.file.display());
    }
    Ok(0)
}
