//! `humdrum suite`: makes the folder of a user's own workload, and checks one.

use std::path::Path;

use humdrum_model::{Fault, FaultKind, Scale, Subject};
use humdrum_plan::{parse_scale, parse_subject};
use humdrum_report::printable;
use humdrum_run::{Trial, Tried, check_disk_of};
use humdrum_workload_script::{Folder, example};

use crate::args::{CheckOptions, NewOptions};
use crate::faults;
use crate::lab::Lab;
use crate::workloads;

/// `humdrum suite new FOLDER`.
///
/// # Errors
/// Usage: the folder is there, or its name cannot be that of a workload; environment: it cannot be written.
pub fn new(options: &NewOptions) -> Result<u8, Fault> {
    let folder = &options.folder;
    let shown = folder.display().to_string();
    let name = workloads::name_of(folder).map_err(|fault| {
        fault.at(&*shown).hint("type a name of letters, digits, - and _: humdrum suite new shop")
    })?;
    if folder.exists() {
        return Err(Fault::usage("it is there already")
            .at(shown)
            .hint("give another name, or remove it first"));
    }
    let cannot = |error: std::io::Error| Fault::environment(format!("cannot write it: {error}")).at(&*shown);
    std::fs::create_dir_all(folder).map_err(cannot)?;
    for (file, text) in example(name) {
        std::fs::write(folder.join(file), text).map_err(cannot)?;
    }
    let path = workloads::typed(folder);
    let path = printable(&path);
    anstream::println!(
        "{path} holds an example: workload.toml names its tests, schema.sql and load.sql make its tables\n\n  \
         humdrum suite check {path} postgres@17.7\n  \
         humdrum compare postgres@16.11 postgres@17.7 --suite {path}"
    );
    Ok(0)
}

/// `humdrum suite check FOLDER SUBJECT...`.
///
/// # Errors
/// Usage: a mistake in the folder; as provisioning and starting.
pub fn check(lab: &Lab, options: &CheckOptions) -> Result<u8, Fault> {
    let path = options.folder.display().to_string();
    let given = lab.given_for(options.dump.given(), &options.subjects);
    let folder = Folder::read_with(&options.folder, &given, &lab.console, &lab.dirs.interrupt)?;
    lab.console.clear();
    let (name, tests, paths) = (folder.name.clone(), folder.tests.len(), folder.paths());
    let workload = workloads::own(folder);
    let smallest = workload.scales().first().map(|scale| scale.name.clone()).unwrap_or_default();
    let scale = parse_scale(Some(options.scale.as_deref().unwrap_or(&smallest)), &*workload)?;
    let subjects = options.subjects.iter().map(|text| parse_subject(text));
    let subjects = subjects.collect::<Result<Vec<Subject>, Fault>>()?;
    anstream::println!("{}: {tests} tests can be read", printable(&name));
    if subjects.is_empty() {
        let path = printable(&path);
        anstream::println!("name releases to run them: humdrum suite check {path} postgres@17.7");
        return Ok(0);
    }
    // One server is up at a time.
    for subject in &subjects {
        workload.suits(lab.catalogue.engine(subject)?, &workload.tests(false))?;
        check_disk_of(workload.bytes(&scale), subject, &lab.catalogue, &lab.dirs)?;
    }
    let trial = Trial { workload: &*workload, scale: &scale };
    let mut tried: Vec<(&Subject, Tried)> = Vec::new();
    let mut refused = None;
    for subject in &subjects {
        let outcome = trial.on(subject, &lab.catalogue, &lab.dirs, &lab.console);
        lab.console.clear();
        let one = outcome.map_err(|fault| mistake(fault, &paths).at(subject.label.clone()))?;
        refused = refused.or(tell(lab, (subject, &paths), &one, &scale));
        tried.push((subject, one));
    }
    differences(&tried);
    advise(&options.folder, &tried, &scale);
    refused.map_or(Ok(0), Err)
}

/// What a server refuses at a place in the folder, or in its dump, is a mistake there, and so is a condition that does not hold.
fn mistake(fault: Fault, paths: &[String]) -> Fault {
    let here = |place: &String| paths.iter().any(|path| place.starts_with(path));
    let here = fault.places.iter().any(here);
    if !matches!(fault.kind, FaultKind::Environment | FaultKind::WrongAnswer) || !here {
        return fault;
    }
    let fault = Fault { kind: FaultKind::Usage, ..fault };
    if fault.hint.is_some() { fault } else { fault.hint("correct the statement at this place") }
}

/// Prints what a subject did. Returns the last mistake; earlier ones are printed.
fn tell(lab: &Lab, (subject, paths): (&Subject, &[String]), tried: &Tried, scale: &Scale) -> Option<Fault> {
    let (load, label) = (&tried.load, printable(&subject.label));
    let size: Vec<String> = scale.more.iter().map(|(name, value)| format!("{name}={value}")).collect();
    anstream::println!("{label}: {} rows at {}, loaded in {:.1} s", load.rows, size.join(","), load.seconds);
    let mut last: Option<Fault> = None;
    for (name, outcome) in &tried.tests {
        match outcome {
            Ok(test) => {
                let (count, rows) = (test.operations, test.answer.rows);
                let each = test.seconds / count as f64 * 1000.0;
                anstream::println!("  {name:<20} {count} operations, {rows} rows, {each:.2} ms each");
            }
            Err(fault) => {
                anstream::println!("  {name:<20} refused");
                let fault = mistake(fault.clone(), paths).at(label.to_string());
                if let Some(earlier) = last.replace(fault) {
                    faults::print(&earlier, lab.verbose);
                }
            }
        }
    }
    match tried.conditions {
        0 => {}
        1 => anstream::println!("  1 condition holds"),
        several => anstream::println!("  {several} conditions hold"),
    }
    last
}

/// Names what differs between subjects: a comparison of these would call it a wrong answer.
fn differences(tried: &[(&Subject, Tried)]) {
    let Some(((base, first), others)) = tried.split_first() else { return };
    for (subject, one) in others {
        let (left, right) = (printable(&base.label), printable(&subject.label));
        let note = |what: &str| {
            anstream::println!(
                "{what} differ between {left} and {right}; a comparison would call that wrong"
            );
        };
        if (first.load.rows, &first.load.checksum) != (one.load.rows, &one.load.checksum) {
            note("loaded rows");
        }
        for ((name, left), (_, right)) in first.tests.iter().zip(&one.tests) {
            if let (Ok(left), Ok(right)) = (left, right)
                && left.answer != right.answer
            {
                note(&format!("answers of {name}"));
            }
        }
    }
}

/// Plans need the number of rows.
fn advise(folder: &Path, tried: &[(&Subject, Tried)], scale: &Scale) {
    let known = scale.rows > 0 || scale.more.values().any(|value| *value != 1);
    if let (false, Some((_, one))) = (known, tried.first()) {
        let file = folder.join("workload.toml").display().to_string();
        anstream::println!(
            "write `rows = {}` into {}, so that plans know how long loads take",
            one.load.rows,
            printable(&file)
        );
    }
}
