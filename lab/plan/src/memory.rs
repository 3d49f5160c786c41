//! `--memory`: how much memory each server may use.

use humdrum_contract::{Engine, Outcome, Sizing};
use humdrum_model::{Fault, Place, Subject, memory_text};

use crate::quantity::parse_bytes;
use crate::request::Request;

/// The bytes that each server may use; `None` without a limit.
///
/// # Errors
/// Usage: not an amount, or a subject that humdrum does not start.
pub(crate) fn memory(request: &Request, subjects: &[Subject]) -> Outcome<Option<u64>> {
    let Some(text) = &request.memory else { return Ok(None) };
    let bytes = parse_bytes(text).map_err(|fault| fault.at("--memory"))?;
    started_here(subjects, "--memory", "limit")?;
    Ok(Some(bytes))
}

/// Checks that each subject's server works with a limit of so many bytes, where the workload opens so many connections.
///
/// # Errors
/// Usage: too little for an engine, with what the one that needs most needs.
pub(crate) fn enough(
    limit_bytes: Option<u64>,
    subjects: &[Subject],
    engines: &[Box<dyn Engine>],
    connections: u32,
) -> Outcome<()> {
    let Some(bytes) = limit_bytes else { return Ok(()) };
    let connections = connections + Sizing::OWN_CONNECTIONS;
    let takes_part = |name: &str| subjects.iter().any(|subject| subject.engine == name);
    let needs = engines.iter().map(|engine| (engine.least_memory(connections), engine.name()));
    let needs = needs.filter(|(_, name)| takes_part(name));
    match needs.max() {
        Some((least, engine)) if bytes < least => Err(too_little(bytes, least, engine, connections)),
        _ => Ok(()),
    }
}

fn too_little(bytes: u64, least: u64, engine: &str, connections: u32) -> Fault {
    let [asked, least] = [bytes, least].map(memory_text);
    let what = format!(
        "--memory {asked} is too little: a server of {engine} with {connections} connections needs at least {least}"
    );
    Fault::usage(what).hint(format!(
        "give at least --memory {least}, in a plan file memory = \"{least}\"; docs/memory.md says what a server needs"
    ))
}

/// Checks that an option can do to each server what it does.
///
/// # Errors
/// Usage: a subject that humdrum does not start.
pub(crate) fn started_here(subjects: &[Subject], option: &str, does: &str) -> Outcome<()> {
    let external = subjects.iter().find(|subject| matches!(subject.place, Place::External(_)));
    external.map_or(Ok(()), |Subject { label, .. }| {
        let what = format!("`{label}` is a server that humdrum did not start: {option} cannot {does} it");
        Err(Fault::usage(what)
            .hint(format!("leave {option} out, or name a release or a folder instead of a URL")))
    })
}

#[cfg(test)]
mod tests {
    use humdrum_engine_fake::Fake;

    use super::*;

    fn limited(memory: Option<&str>, subject: &str) -> Outcome<Option<u64>> {
        let request = Request { memory: memory.map(str::to_owned), ..Request::default() };
        memory_of(&request, subject)
    }

    fn memory_of(request: &Request, subject: &str) -> Outcome<Option<u64>> {
        memory(request, &[crate::parse_subject(subject)?])
    }

    #[test]
    fn an_amount_is_kept_and_none_is_none() {
        assert_eq!(limited(Some("1G"), "fake@1.0"), Ok(Some(1 << 30)));
        assert_eq!(limited(None, "fake@1.0"), Ok(None));
    }

    #[test]
    fn what_cannot_be_limited_says_what_to_type() {
        let refused = |memory, subject| limited(Some(memory), subject).unwrap_err();
        assert!(refused("much", "fake@1.0").to_string().starts_with("--memory: `much` is no amount"));
        let external = refused("1G", "ext=postgres@postgres://me@host/db");
        assert!(external.what.contains("did not start") && external.hint.is_some(), "{external}");
    }

    #[test]
    fn less_than_an_engine_needs_is_refused_with_what_it_needs() {
        let engines: Vec<Box<dyn Engine>> = vec![Box::new(Fake)];
        let subjects = ["fake@1.0", "fake@2.0"].map(|text| crate::parse_subject(text).unwrap());
        let limit = |bytes| enough(bytes, &subjects, &engines, 1);
        assert_eq!([limit(None), limit(Some(64 << 20)), limit(Some(1 << 40))], [Ok(()), Ok(()), Ok(())]);
        let little = limit(Some(63 << 20)).unwrap_err();
        let what = "--memory 63M is too little: a server of fake with 9 connections needs at least 64M";
        assert_eq!((little.what.as_str(), little.exit_code()), (what, 2));
        assert!(
            little.hint.unwrap().starts_with("give at least --memory 64M, in a plan file memory = \"64M\"")
        );
        // What an engine needs that takes no part does not matter.
        assert_eq!(enough(Some(1), &[], &engines, 1), Ok(()));
    }
}
