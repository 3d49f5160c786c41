//! `--scale`: a name of the workload's, exact numbers, or a name with some numbers changed.

use humdrum_contract::{Outcome, Workload};
use humdrum_model::{Dimension, Fault, Scale, TestInfo};

use crate::quantity::parse_count;
use crate::suggest::did_you_mean;

/// Most client threads per subject. With more, the kernel's scheduler dominates the measurement.
const CLIENTS_MAX: u64 = 512;
const TABLES_MAX: u64 = 1_000;
/// Ids are 32-bit integers in the reference's schema.
const ROWS_MAX: u64 = 2_000_000_000;

/// Scales of so many times the memory of a server; the reference's larger than memory have six times.
const TO_MEMORY: [(&str, u64); 2] = [("io-small", 4), ("io-medium", 8)];

/// A scale, and the numbers of rows or clients where there are several.
pub(crate) struct Scales {
    /// With the largest of these numbers.
    pub(crate) scale: Scale,
    pub(crate) lists: Lists,
}

/// The numbers of each dimension as given; empty where a scale has one.
pub(crate) type Lists = [(Dimension, Vec<u64>); 2];

/// The scale that `text` means, with one number of rows and one of clients.
///
/// # Errors
/// Usage: no such scale or key, a number that is too large, or several numbers of rows or clients.
pub fn parse_scale(text: Option<&str>, workload: &dyn Workload) -> Outcome<Scale> {
    let Scales { scale, lists } = parse_scales(text, None, workload)?;
    match lists.iter().find(|(_, numbers)| !numbers.is_empty()) {
        Some((dimension, numbers)) => {
            let (word, first) = (dimension.word(), dimension.text(numbers[0]));
            Err(Fault::usage(format!("several numbers of {word}")).hint(format!("give one: {word}={first}")))
        }
        None => Ok(scale),
    }
}

/// The scale that `text` means (`small`, `rows=1M,tables=2,clients=4`, `small,clients=1,4,16`, `rows=40k,160k`), for servers of
/// so many bytes of `memory` if they are limited. Without a text, `small`.
pub(crate) fn parse_scales(
    text: Option<&str>,
    memory: Option<u64>,
    workload: &dyn Workload,
) -> Outcome<Scales> {
    let scales = workload.scales();
    let start = scales.iter().find(|scale| scale.name == "small").or(scales.first());
    let start = start.ok_or_else(|| Fault::usage(format!("suite {} has no scale", workload.name())))?;
    let mut scale = start.clone();
    let mut said = Vec::new();
    let mut lists: Lists = Dimension::ALL.map(|dimension| (dimension, Vec::new()));
    let mut larger = None;
    for part in text.map(|text| text.split(',')).into_iter().flatten().map(str::trim) {
        match part.split_once('=') {
            Some((key, value)) => {
                set(&mut scale, key.trim(), value.trim(), workload)?;
                said.push(key.trim());
            }
            // A further value of the key before it: `clients=1,4,16`.
            None if part.starts_with(|first: char| first.is_ascii_digit()) && !said.is_empty() => {
                further(&mut scale, &said, part, workload)?;
            }
            None => {
                match TO_MEMORY.into_iter().find(|(name, _)| *name == part) {
                    Some(found) => larger = Some(found),
                    None => scale = named(part, &scales)?,
                }
                continue;
            }
        }
        for (dimension, numbers) in &mut lists {
            if said.last() == Some(&dimension.word()) {
                numbers.push(dimension.of(&scale));
            }
        }
    }
    several(&mut lists, &mut scale, workload)?;
    workload.fit(&mut scale, &said)?;
    let [(_, rows), _] = &lists;
    for rows in rows {
        workload.fit(&mut Scale { rows: *rows, ..scale.clone() }, &said)?;
    }
    if let Some(larger) = larger {
        resize(&mut scale, &said, larger, memory, workload)?;
    } else if let Some(same) = scales.iter().find(|known| equal_size(known, &scale)) {
        scale.name.clone_from(&same.name);
    }
    Ok(Scales { scale, lists })
}

/// Gives a scale of a workload data of so many times the memory.
fn resize(
    scale: &mut Scale,
    said: &[&str],
    (name, times): (&str, u64),
    memory: Option<u64>,
    workload: &dyn Workload,
) -> Outcome<()> {
    let Some(memory) = memory else {
        return Err(Fault::usage(format!(
            "--scale {name} is {times} times the memory of a server, which has no limit"
        ))
        .hint("give one: --memory 1G"));
    };
    if said.contains(&"rows") {
        return Err(Fault::usage(format!("--scale {name} has its rows from --memory")).hint("leave rows out"));
    }
    workload.resize(scale, memory.saturating_mul(times))?;
    workload.fit(scale, said)?;
    "custom".clone_into(&mut scale.name);
    match scale.rows {
        0..=ROWS_MAX => Ok(()),
        rows => Err(Fault::usage(format!("--scale {name} would have {rows} rows, more than {ROWS_MAX}"))
            .hint("type a smaller --memory, or more tables: tables=8")),
    }
}

/// Every test at each of the numbers; as they are if there is only one of each dimension.
pub(crate) fn at_each(tests: Vec<TestInfo>, lists: &Lists) -> Vec<TestInfo> {
    lists.iter().fold(tests, |tests, (dimension, numbers)| {
        tests.iter().flat_map(|test| test.at_each(*dimension, numbers)).collect()
    })
}

/// Sets the key named last to a further value of its list.
fn further(scale: &mut Scale, said: &[&str], value: &str, workload: &dyn Workload) -> Outcome<()> {
    let Some(key) = said.last() else { return Ok(()) };
    if Dimension::ALL.iter().any(|dimension| dimension.word() == *key) {
        return set(scale, key, value, workload);
    }
    let what = format!("--scale {key} has several values, and only rows and clients can have");
    Err(Fault::usage(what).hint(format!(
        "measure each {key} in a run of its own, and put them side by side: humdrum report RESULTS RESULTS"
    )))
}

/// Leaves the lists that have several numbers, each once, and gives the scale the largest of them.
fn several(lists: &mut Lists, scale: &mut Scale, workload: &dyn Workload) -> Outcome<()> {
    for (dimension, numbers) in lists {
        let word = dimension.word();
        if numbers.len() < 2 {
            numbers.clear();
            continue;
        }
        if let Some((_, twice)) = numbers.iter().enumerate().find(|(at, one)| numbers[..*at].contains(one)) {
            let what = format!("--scale names {word}={} twice", dimension.text(*twice));
            return Err(Fault::usage(what).hint("name each once"));
        }
        if workload.steps().is_some() {
            let what = format!("suite {} has whole steps, whose data depend on the {word}", workload.name());
            return Err(Fault::usage(what).hint(format!(
                "measure each number of {word} in a run of its own, and put them side by side: humdrum report RESULTS RESULTS"
            )));
        }
        dimension.set(scale, numbers.iter().copied().max().unwrap_or_default());
        "custom".clone_into(&mut scale.name);
    }
    Ok(())
}

fn named(name: &str, scales: &[Scale]) -> Outcome<Scale> {
    scales.iter().find(|scale| scale.name == name).cloned().ok_or_else(|| {
        let names = scales.iter().map(|scale| scale.name.as_str());
        Fault::usage(format!("unknown scale `{name}`"))
            .hint(format!("{}, or type rows=100k,tables=1,clients=1", did_you_mean(name, names)))
    })
}

fn set(scale: &mut Scale, key: &str, value: &str, workload: &dyn Workload) -> Outcome<()> {
    let count = parse_count(value).map_err(|fault| fault.at(format!("--scale {key}")))?;
    let at_most = |most: u64| match count <= most {
        true => Ok(count),
        false => Err(Fault::usage(format!("--scale {key}={value} is more than {most}"))
            .hint(format!("type {key}={most} or less"))),
    };
    match key {
        "rows" => scale.rows = at_most(ROWS_MAX)?,
        "tables" => scale.tables = at_most(TABLES_MAX)? as u32,
        "clients" => scale.clients = at_most(CLIENTS_MAX)? as u32,
        _ => match scale.more.get_mut(key) {
            Some(own) => *own = at_most(ROWS_MAX)?,
            None if workload.further_numbers().contains(&key) => {
                scale.more.insert(key.to_owned(), at_most(ROWS_MAX)?);
            }
            None => {
                let known = ["rows", "tables", "clients"].into_iter();
                let known = known.chain(scale.more.keys().map(String::as_str));
                let known = known.chain(workload.further_numbers().iter().copied());
                return Err(Fault::usage(format!("--scale knows no `{key}`")).hint(did_you_mean(key, known)));
            }
        },
    }
    scale.name = "custom".to_owned();
    Ok(())
}

fn equal_size(left: &Scale, right: &Scale) -> bool {
    (left.rows, left.tables, left.clients, &left.more)
        == (right.rows, right.tables, right.clients, &right.more)
}
