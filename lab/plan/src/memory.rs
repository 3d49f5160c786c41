//! `--memory`: how much memory each server may use.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Place, Subject, memory_text};

use crate::quantity::parse_bytes;
use crate::request::Request;

/// Below this no server of any engine starts with its usual settings.
const BYTES_MIN: u64 = 64 << 20;

/// The bytes that each server may use; `None` without a limit.
///
/// # Errors
/// Usage: not an amount, too little, or a subject that humdrum does not start.
pub(crate) fn memory(request: &Request, subjects: &[Subject]) -> Outcome<Option<u64>> {
    let Some(text) = &request.memory else { return Ok(None) };
    let bytes = parse_bytes(text).map_err(|fault| fault.at("--memory"))?;
    if bytes < BYTES_MIN {
        let least = memory_text(BYTES_MIN);
        return Err(Fault::usage(format!("a memory of {text} is too little for a server"))
            .hint(format!("give at least --memory {least}")));
    }
    started_here(subjects, "--memory", "limit")?;
    Ok(Some(bytes))
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
        let little = refused("63M", "fake@1.0");
        assert_eq!((little.exit_code(), little.hint.as_deref()), (2, Some("give at least --memory 64M")));
        assert!(refused("much", "fake@1.0").to_string().starts_with("--memory: `much` is no amount"));
        let external = refused("1G", "ext=postgres@postgres://me@host/db");
        assert!(external.what.contains("did not start") && external.hint.is_some(), "{external}");
    }
}
