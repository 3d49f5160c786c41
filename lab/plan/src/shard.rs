//! Parts of a plan for several hosts: whole sessions of all subjects, a pure function of the plan and the shard's number.

use humdrum_contract::Outcome;
use humdrum_model::{Design, Fault, Plan, Shard};

use crate::order::cell_seed;

/// Number and count of `3/16`.
///
/// # Errors
/// Usage: not two whole numbers, or a number that is not among the shards.
pub fn parse_shard(text: &str) -> Outcome<(u32, u32)> {
    let numbers = text.split_once('/').map(|(number, of)| (number.trim().parse(), of.trim().parse()));
    match numbers {
        Some((Ok(number), Ok(of))) if (1..=of).contains(&number) => Ok((number, of)),
        _ => Err(Fault::usage(format!("`{text}` is no shard"))
            .hint("give its number and how many there are: --shard 1/4, --shard 2/4, …")),
    }
}

/// The part of `plan` that shard `number` of `of` measures: its share of the sessions, with a seed of its own. The budget stays,
/// as a limit. A shard does not stop early, because it does not know what the others have found.
///
/// # Errors
/// Usage: more shards than sessions.
pub fn shard(plan: &Plan, number: u32, of: u32) -> Outcome<Plan> {
    let design = &plan.design;
    let sessions = design.screening_sessions + design.confirmation_sessions;
    if sessions < of {
        return Err(Fault::usage(format!("a plan of {sessions} sessions has no {of} shards"))
            .hint(format!("take at most {sessions} shards, a larger --budget, or --sessions {of}")));
    }
    let own = sessions / of + u32::from(number <= sessions % of);
    let shard = Shard {
        number,
        of,
        seed: plan.seed,
        screening_sessions: design.screening_sessions,
        confirmation_sessions: design.confirmation_sessions,
    };
    Ok(Plan {
        seed: cell_seed(plan.seed, "shard", number),
        design: Design { screening_sessions: 0, confirmation_sessions: own, ..design.clone() },
        shard: Some(shard),
        ..plan.clone()
    })
}
