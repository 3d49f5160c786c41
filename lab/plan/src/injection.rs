//! Reads what is injected into a subject: `+inject=2%` and `+inject_stall=5%x20`.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Injection, Subject};

use crate::quantity::parse_fraction;

/// The slowdown that a subject's settings inject; none by default.
///
/// # Errors
/// Usage: an invalid share, or a stall without its factor.
pub fn injection(subject: &Subject) -> Outcome<Injection> {
    let mut found = Injection::default();
    for (name, value) in subject.injected() {
        let at = |fault: Fault| fault.at(format!("{}: +{name}={value}", subject.label));
        if name == "inject" {
            found.repeated = parse_fraction(value).map_err(at)?;
            continue;
        }
        let (share, factor) = value.split_once('x').ok_or_else(|| at(bad_stall()))?;
        found.stalled = parse_fraction(share).map_err(at)?;
        found.stall_factor = factor.parse().ok().filter(is_factor).ok_or_else(|| at(bad_stall()))?;
    }
    Ok(found)
}

/// The slowdown that is injected into a subject of a checked plan; `seed` decides which operations and slices it meets.
pub fn injected(subject: &Subject, seed: u64) -> Injection {
    // A plan that was checked has no injection that cannot be read.
    Injection { seed, ..injection(subject).unwrap_or_default() }
}

fn is_factor(factor: &f64) -> bool {
    (1.0..=1000.0).contains(factor)
}

fn bad_stall() -> Fault {
    Fault::usage("is no share of slices with a factor")
        .hint("type +inject_stall=5%x20: 5 % of slices take 20 times as long")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_subject;

    #[test]
    fn shares_and_factors_are_read() {
        let of = |text: &str| parse_subject(text).and_then(|subject| injection(&subject));
        assert_eq!(of("fake@1").expect("read"), Injection::default());
        let both = of("fake@1+inject=2%+inject_stall=5%x20").expect("read");
        assert_eq!(both, Injection { repeated: 0.02, stalled: 0.05, stall_factor: 20.0, seed: 0 });
        for bad in ["fake@1+inject", "fake@1+inject=x", "fake@1+inject_stall=5%", "fake@1+inject_stall=5%x0"]
        {
            let fault = of(bad).expect_err("refused");
            assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{bad}: {fault}");
        }
    }
}
