//! The file in which a project keeps what its pull requests are measured with, and what fails them.

use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Gate, QUANTITIES, SCRIPT};
use serde::Deserialize;

use crate::request::{Request, parsed};

/// The file's usual name.
pub const POLICY_FILE: &str = "humdrum.toml";

/// What is measured, and what fails.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The engine that the project builds.
    pub engine: Option<String>,
    /// Keys of a plan file, without subjects.
    pub plan: Request,
    /// What fails the check.
    pub gate: Gate,
}

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// Usage, with file, line, and what was probably meant.
    pub fn read(path: &Path) -> Outcome<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Fault::usage(format!("cannot read {name}: {error}"))
                .hint("name the policy with --policy, or type --engine, --tests and so on without one")
        })?;
        Self::parse(&text, &name)
    }

    /// Reads a policy's text; messages call it `name`.
    ///
    /// # Errors
    /// As `read`.
    pub fn parse(text: &str, name: &str) -> Outcome<Self> {
        let policy: Self = parsed(text, name)?;
        if !policy.plan.subjects.is_empty() {
            return Err(Fault::usage("a policy has no subjects: they are the two revisions of each check")
                .at(name.to_owned())
                .hint("remove `subjects`; --base and --head name them"));
        }
        for allowed in &policy.gate.allow {
            if !is_date(&allowed.until) {
                return Err(Fault::usage(format!("`{}` is no date", allowed.until))
                    .at(name.to_owned())
                    .hint("an acceptance ends on a day: until = \"2027-01-31\""));
            }
            let known = |name: &String| QUANTITIES.contains(&name.as_str()) || name.starts_with(SCRIPT);
            if let Some(unknown) = allowed.quantity.as_ref().filter(|name| !known(name)) {
                return Err(Fault::usage(format!("`{unknown}` is no quantity of a test"))
                    .at(name.to_owned())
                    .hint(format!("quantities: {}, script NAME", QUANTITIES.join(", "))));
            }
            if allowed.reason.trim().is_empty() {
                return Err(Fault::usage(format!("the acceptance of `{}` has no reason", allowed.test))
                    .at(name.to_owned())
                    .hint("say why, for who reads it in a year: reason = \"…\""));
            }
        }
        Ok(policy)
    }
}

/// `2027-01-31`, as far as its form goes.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, length: usize, most: u32| {
        let digits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        digits && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
    };
    number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "engine = \"postgres\"\n\n[plan]\ntests = [\"point\"]\nbudget = \"20m\"\n\n\
        [[gate.allow]]\ntest = \"scan\"\nuntil = \"2027-01-31\"\nreason = \"checks\"\nat_most = 0.05\n";

    #[test]
    fn a_policy_is_a_plan_and_a_gate() {
        let policy = Policy::parse(GOOD, "humdrum.toml").unwrap();
        assert_eq!(
            (policy.engine.as_deref(), policy.plan.budget.as_deref()),
            (Some("postgres"), Some("20m"))
        );
        assert_eq!((policy.gate.allow.len(), policy.gate.allow[0].at_most), (1, Some(0.05)));
        assert_eq!(Policy::parse("", "humdrum.toml").unwrap().gate, Gate::default());
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (from, to, expected) in [
            ("2027-01-31", "tomorrow", "`tomorrow` is no date"),
            ("2027-01-31", "2027-13-01", "is no date"),
            ("checks", " ", "has no reason"),
            ("at_most = 0.05", "quantity = \"trouput\"", "`trouput` is no quantity"),
            ("budget", "bugdet", "unknown key `bugdet`"),
            ("at_most", "atmost", "unknown key `atmost`"),
            ("tests = [\"point\"]", "subjects = [\"a\"]", "has no subjects"),
            ("engine =", "engine", "humdrum.toml:1"),
        ] {
            let fault = Policy::parse(&GOOD.replace(from, to), "humdrum.toml").unwrap_err();
            let told = format!("{} {}", fault.places.join(" "), fault.what);
            assert!(told.contains(expected) && fault.exit_code() == 2, "{told}");
        }
    }
}
