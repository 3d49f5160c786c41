//! Query plans that differ, of tests that moved.

use humdrum_model::{Explanation, PlanChange};

use super::Block;
use crate::text::{clean, shorten};

/// Statements whose plans are shown.
const PLANS_MAX: usize = 3;
/// Letters of a line: lists of a hundred keys hide the plan.
const LETTERS_MAX: usize = 140;

pub(super) fn all(explanations: &[Explanation]) -> Vec<Block> {
    let differing: Vec<(&Explanation, &PlanChange)> =
        explanations.iter().flat_map(|one| one.plans.iter().map(move |plan| (one, plan))).collect();
    let mut blocks = Vec::new();
    for (one, plan) in differing.iter().take(PLANS_MAX) {
        let statement = shorten(&clean(&plan.statement), LETTERS_MAX);
        blocks.push(Block::Text(format!("{}, {}: {statement}", clean(&one.test), clean(&one.subject))));
        let sides = [&one.base, &one.subject].into_iter().zip(plan.shown());
        let lines = sides.flat_map(|(who, lines)| {
            let lines = lines.into_iter().map(|line| format!("  {}", shorten(&clean(&line), LETTERS_MAX)));
            std::iter::once(format!("{}:", clean(who))).chain(lines)
        });
        blocks.push(Block::Lines(lines.collect()));
    }
    if differing.len() > PLANS_MAX {
        let more = differing.len() - PLANS_MAX;
        blocks.push(Block::Text(format!("{more} more plans differ; report.html has them.")));
    }
    blocks
}
