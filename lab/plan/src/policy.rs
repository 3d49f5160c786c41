//! The file in which a project keeps what its pull requests are measured with, and what fails them.

use std::path::Path;

use humdrum_contract::{Outcome, Workload};
use humdrum_model::{Allowed, Fault, Gate, Plan, QUANTITIES, SCRIPT, without_numbers};
use serde::Deserialize;

use crate::request::{Request, parsed};
use crate::suggest::did_you_mean;

/// What is told of a mistake that has no better advice.
const HINT: &str = "`humdrum ci --help` shows a policy";

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
        let policy: Self = parsed(text, name, HINT)?;
        if !policy.plan.subjects.is_empty() {
            return Err(Fault::usage("a policy has no subjects: they are the two revisions of each check")
                .at(name.to_owned())
                .hint("remove `subjects`; --base and --head name them"));
        }
        policy.gate.allow.iter().try_for_each(check).map_err(|fault| fault.at(name.to_owned()))?;
        Ok(policy)
    }

    /// Checks that acceptances and warnings are of tests that the plan's workload has: a misspelt one would do nothing.
    ///
    /// # Errors
    /// Usage, with what was probably meant.
    pub fn check_tests(&self, plan: &Plan, workload: &dyn Workload) -> Outcome<()> {
        let known = workload.tests(plan.compat);
        let is_known = |name: &str| known.iter().any(|test| test.name == without_numbers(name));
        let allowed = self.gate.allow.iter().map(|allowed| (&allowed.test, "an acceptance"));
        let warned = self.gate.warn.iter().map(|test| (test, "`warn`"));
        let Some((unknown, by)) = allowed.chain(warned).find(|(test, _)| !is_known(test)) else {
            return Ok(());
        };
        let what = format!("`{unknown}`, which {by} names, is no test of {}", plan.suite);
        Err(Fault::usage(what).hint(did_you_mean(unknown, known.iter().map(|test| test.name.as_str()))))
    }
}

fn check(allowed: &Allowed) -> Outcome<()> {
    if !is_date(&allowed.until) {
        return Err(Fault::usage(format!("`{}` is no date", allowed.until))
            .hint("an acceptance ends on a day: until = \"2027-01-31\""));
    }
    if let Some(most) = allowed.at_most.filter(|most| !(*most > 0.0 && *most < 1.0)) {
        return Err(Fault::usage(format!("`at_most` is {most}, and is a fraction between 0 and 1"))
            .hint("a loss of 5 % at most: at_most = 0.05; without the key any loss is accepted"));
    }
    let known = |name: &String| QUANTITIES.contains(&name.as_str()) || name.starts_with(SCRIPT);
    if let Some(unknown) = allowed.quantity.as_ref().filter(|name| !known(name)) {
        return Err(Fault::usage(format!("`{unknown}` is no quantity of a test"))
            .hint(format!("quantities: {}, script NAME", QUANTITIES.join(", "))));
    }
    if allowed.reason.trim().is_empty() {
        return Err(Fault::usage(format!("the acceptance of `{}` has no reason", allowed.test))
            .hint("say why, for who reads it in a year: reason = \"…\""));
    }
    Ok(())
}

/// A day of the calendar: `2027-01-31`.
fn is_date(text: &str) -> bool {
    text.len() == 10 && humantime::parse_rfc3339(&format!("{text}T00:00:00Z")).is_ok()
}

#[cfg(test)]
mod tests {
    use humdrum_model::Failing;

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
        let gate = "[gate]\nfail = [\"regression\", \"undecided\"]\nwarn = [\"scan\"]\n";
        let gate = Policy::parse(gate, "humdrum.toml").unwrap().gate;
        assert_eq!(
            (gate.fail, gate.warn),
            (vec![Failing::Regression, Failing::Undecided], vec!["scan".into()])
        );
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (from, to, expected) in [
            ("2027-01-31", "tomorrow", "`tomorrow` is no date"),
            ("2027-01-31", "2027-13-01", "is no date"),
            ("2027-01-31", "2027-02-29", "is no date"),
            ("0.05", "5.0", "`at_most` is 5"),
            ("0.05", "-1.0", "is a fraction between 0 and 1"),
            ("checks", " ", "has no reason"),
            ("at_most = 0.05", "quantity = \"trouput\"", "`trouput` is no quantity"),
            ("budget", "bugdet", "unknown key `bugdet`"),
            ("at_most", "atmost", "unknown key `atmost`"),
            ("tests = [\"point\"]", "subjects = [\"a\"]", "has no subjects"),
            ("engine =", "engine", "humdrum.toml:1"),
            ("[[gate", "[gate]\nfail = [\"regresion\"]\n[[gate", "humdrum.toml:8 unknown word `regresion`"),
            ("[[gate", "[gate]\nfail = \"regression\"\n[[gate", "humdrum.toml:8"),
        ] {
            let fault = Policy::parse(&GOOD.replace(from, to), "humdrum.toml").unwrap_err();
            let told = format!("{} {}", fault.places.join(" "), fault.what);
            assert!(told.contains(expected) && fault.exit_code() == 2, "{told}");
            assert!(fault.hint.is_some_and(|hint| !hint.contains("every key is optional but `subjects`")));
        }
        let hint = |word: &str| {
            let fault = Policy::parse(&format!("[gate]\nfail = [\"{word}\"]\n"), "humdrum.toml").unwrap_err();
            fault.hint.unwrap_or_default()
        };
        assert_eq!(hint("regresion"), "did you mean `regression`?");
        assert_eq!(hint("slower"), "known: regression, failed, undecided");
    }
}
