//! The runs of a round: the subject against itself, and against itself with a share of operations done twice.

use humdrum_model::{Fault, Place, Plan, Subject};
use humdrum_plan::{Request, StepNeed, parse_fraction, parse_subject};

use crate::args::SelftestOptions;
use crate::lab::Lab;
use crate::planned::check;

/// What is injected where the user does not say.
const INJECT_DEFAULT: [&str; 4] = ["1%", "2%", "3%", "5%"];
/// Time of each run where the user does not say.
const BUDGET_DEFAULT: &str = "60s";

/// One run of a round, checked.
pub struct Kind {
    /// The subject as measured, without a label.
    pub subject: String,
    /// `A/A`, or the share as typed.
    pub name: String,
    /// Share of operations that the second server does twice.
    pub injected: f64,
    pub plan: Plan,
    /// What its steps need, in suites of whole steps.
    pub steps: Option<StepNeed>,
}

impl Kind {
    /// What the run is, for people.
    pub fn told(&self) -> String {
        if self.injected == 0.0 { "A/A".to_owned() } else { format!("{} of operations twice", self.name) }
    }

    /// Part of its folder's name.
    pub fn file(&self) -> String {
        if self.injected == 0.0 { "aa".to_owned() } else { format!("inject-{}", self.name.replace('%', "")) }
    }
}

/// The runs of a round; A/A is the first.
///
/// # Errors
/// Usage, as `compare`; a subject that is a running server, or has something injected already.
pub fn kinds(lab: &Lab, options: &SelftestOptions) -> Result<Vec<Kind>, Fault> {
    let subject = parse_subject(&options.subject)?;
    refuse_unfit(&subject)?;
    let wanted = wanted(&options.inject)?;
    let equal = kind(lab, options, &subject, None)?;
    let shares = wanted.unwrap_or_else(|| INJECT_DEFAULT.map(str::to_owned).to_vec());
    let slowed = shares.iter().map(|share| kind(lab, options, &subject, Some(share)));
    std::iter::once(Ok(equal)).chain(slowed).collect()
}

fn refuse_unfit(subject: &Subject) -> Result<(), Fault> {
    let what = &subject.label;
    if matches!(subject.place, Place::External(_)) {
        return Err(Fault::usage(format!("`{what}` is one server, and a selftest starts two of one build"))
            .hint("name a release or the folder of an installed build: humdrum versions lists releases"));
    }
    if !subject.injected().is_empty() {
        return Err(Fault::usage(format!("`{what}` has something injected already"))
            .hint("name the subject without it: --inject 2%,5% says what to inject"));
    }
    Ok(())
}

/// The shares as typed; `None` where the user said nothing.
fn wanted(typed: &[String]) -> Result<Option<Vec<String>>, Fault> {
    match typed {
        [] => Ok(None),
        [one] if one == "none" => Ok(Some(Vec::new())),
        shares => {
            for share in shares {
                parse_fraction(share).map_err(|fault| fault.at("--inject"))?;
            }
            Ok(Some(shares.to_vec()))
        }
    }
}

fn kind(
    lab: &Lab,
    options: &SelftestOptions,
    subject: &Subject,
    share: Option<&String>,
) -> Result<Kind, Fault> {
    let second = match share {
        None => format!("again={subject}"),
        Some(share) => format!("slowed={subject}+inject={share}"),
    };
    let request = request(options, vec![format!("once={subject}"), second]);
    let (catalogue, dirs) = (&lab.catalogue, lab.dirs(false));
    let mut plan = check(&request, catalogue, &dirs)?;
    let steps = humdrum_run::choose_mode(&request, &mut plan, catalogue, &dirs)?;
    Ok(Kind {
        subject: plan.subjects.first().map(Subject::to_string).unwrap_or_default(),
        name: share.map_or_else(|| "A/A".to_owned(), Clone::clone),
        injected: share.map_or(Ok(0.0), |share| parse_fraction(share))?,
        plan,
        steps,
    })
}

fn request(options: &SelftestOptions, subjects: Vec<String>) -> Request {
    Request {
        suite: options.suite.clone(),
        tests: options.tests.clone(),
        subjects,
        scale: options.scale.clone(),
        budget: Some(options.budget.clone().unwrap_or_else(|| BUDGET_DEFAULT.to_owned())),
        budget_grows: options.budget.is_none(),
        seed: Some(options.seed),
        ..Request::default()
    }
}
