//! `--fsync-delay`: how long each call of a server that syncs a file is held back.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Subject};

use crate::memory::started_here;
use crate::quantity::parse_duration;
use crate::request::Request;

/// A call that takes longer looks like a server that hangs.
const SECONDS_MAX: f64 = 1.0;
/// Below this the delay is the error of the delay.
const SECONDS_MIN: f64 = 20e-6;

/// Microseconds that each call waits; `None` without a delay.
///
/// # Errors
/// Usage: not a length of time, too short or too long, or a subject that humdrum does not start.
pub(crate) fn fsync_delay(request: &Request, subjects: &[Subject]) -> Outcome<Option<u64>> {
    const OPTION: &str = "--fsync-delay";
    let Some(text) = &request.fsync_delay else { return Ok(None) };
    let seconds = parse_duration(text).map_err(|fault| fault.at(OPTION).hint("type it as 500us or 2ms"))?;
    if !(SECONDS_MIN..=SECONDS_MAX).contains(&seconds) {
        return Err(
            Fault::usage(format!("{OPTION} {text} is no delay of a device")).hint("give one from 20us to 1s")
        );
    }
    started_here(subjects, OPTION, "reach")?;
    Ok(Some((seconds * 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(text: Option<&str>, subject: &str) -> Outcome<Option<u64>> {
        let request = Request { fsync_delay: text.map(str::to_owned), ..Request::default() };
        fsync_delay(&request, &[crate::parse_subject(subject)?])
    }

    #[test]
    fn from_twenty_microseconds_to_a_second() {
        assert_eq!(delay(None, "fake@1.0"), Ok(None));
        assert_eq!(delay(Some("500us"), "fake@1.0"), Ok(Some(500)));
        assert_eq!(delay(Some("2.5ms"), "fake@1.0"), Ok(Some(2500)));
        assert_eq!(delay(Some("1s"), "fake@1.0"), Ok(Some(1_000_000)));
        for text in ["19us", "2s", "0ms", "5", "soon"] {
            let fault = delay(Some(text), "fake@1.0").unwrap_err();
            assert_eq!(fault.exit_code(), 2, "{text}");
            assert!(fault.to_string().contains("--fsync-delay") && fault.hint.is_some(), "{text}: {fault}");
        }
    }

    #[test]
    fn servers_of_others_have_none() {
        let fault = delay(Some("1ms"), "old=postgres@postgres://lab@localhost/lab").unwrap_err();
        assert_eq!(fault.what, "`old` is a server that humdrum did not start: --fsync-delay cannot reach it");
    }
}
