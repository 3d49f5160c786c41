//! A captured workload without what cannot be replayed: each of its tests runs on the old release before anything is measured.
//! A statement may be refused because its values could not be told, and its answers may depend on the clock.

use std::fs;
use std::path::Path;

use humdrum_capture::without;
use humdrum_model::Fault;
use humdrum_plan::{parse_scale, parse_subject};
use humdrum_run::Trial;
use humdrum_workload_script::{Folder, Given};

use crate::lab::Lab;
use crate::workloads;

/// Takes tests out of a captured folder that the old release refuses or answers differently each time. Returns a note for each.
///
/// # Errors
/// Usage: nothing is left. As provisioning and starting; any fault of the load.
pub(super) fn keep_what_replays(
    lab: &Lab,
    path: &Path,
    given: &Given,
    old: &str,
) -> Result<Vec<String>, Fault> {
    let folder = Folder::read_with(path, given, &lab.console, &lab.dirs.interrupt)?;
    lab.console.clear();
    let workload = workloads::own(folder);
    let scale = parse_scale(None, &*workload)?;
    let trial = Trial { workload: &*workload, scale: &scale };
    let tried = trial.on(&parse_subject(old)?, &lab.catalogue, &lab.dirs, &lab.console)?;
    lab.console.clear();
    // The mix fails where one of its scripts does.
    let mix =
        |name: &str| workload.tests(false).iter().any(|test| test.name == name && !test.scripts.is_empty());
    let refused = tried.tests.iter().filter(|(name, _)| !mix(name));
    let refused: Vec<(&String, &Fault)> =
        refused.filter_map(|(name, outcome)| Some((name, outcome.as_ref().err()?))).collect();
    if refused.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
    let file = path.join("workload.toml");
    let cannot = |error: std::io::Error| {
        Fault::environment(format!("cannot be written: {error}")).at(file.display().to_string())
    };
    let text = fs::read_to_string(&file).map_err(cannot)?;
    let Some(left) = without(&text, &names) else {
        let (name, fault) = refused[0];
        return Err(Fault::usage(format!(
            "none of the captured statements can be replayed; {name}: {}",
            fault.what
        ))
        .hint("capture a log with values, as `humdrum capture --help` says, or write a folder of your own"));
    };
    fs::write(&file, left).map_err(cannot)?;
    Ok(refused
        .iter()
        .map(|(name, fault)| format!("{name} is left out, because it cannot be replayed: {}", fault.what))
        .collect())
}
