//! Plans with a question, and how far each is answered, as one table.

use humdrum_model::{Claim, ClaimAnswer, ExperimentRow, ExperimentState, Experiments, Rate};

use anstyle::AnsiColor;

use crate::number::{percent, ratio};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, markdown, wrap};

/// What stands above the tables.
const HEAD: &str = "# Experiments

Plans in `experiments/` that ask something, and how far each is answered. This page is made, not written: `humdrum experiments --format
markdown -o docs/experiments.md`. A state is found anew from the tables in `published/` and `records/` that the plan names, and
`humdrum beside RECORD --published TABLE` shows every figure of it. `humdrum run experiments/PLAN` measures one; plans in `full/` have the
size of the publication, and `--dry-run` says what they cost on its hosts.

A plan *agrees* with a publication if nine in ten published changes beyond 5 % have a verdict of the same sign here and none has one of the
other; where no change is that large, nine in ten have the same direction. A figure agrees if it lies in the interval that was measured
([published.md](published.md)). *In part* says that the plan's records lack some of its tests or releases, and how many they have ratios of.

Claims are sentences of the publications, in our words, numbered in each of them
([claims.tsv](../published/claims.tsv)). Each is asked by a plan, or has a reason why none asks it ([not-asked.tsv](../published/not-asked.tsv)).
*Here* is what the records of these plans have of a claim's releases and tests: how many ratios go its way, how many are of the size that it
gives, and their range. *Slower* and *faster* are verdicts; *same* is a verdict of boring, or an interval within 5 % of 1. Hosts, rows and clients are
those of the records, not those of *where*, and of a group they are all tests, whatever is in brackets after it.
";

/// The group of plans that ask no claim.
const OURS: &str = "Questions of ours";

/// For a terminal: each question with its plan and its answer, ending in a line feed.
pub fn experiments(found: &Experiments, style: Style) -> String {
    let rows = &found.experiments;
    let mut out = String::new();
    for row in rows {
        let width = usize::from(style.width).max(40);
        let put = |out: &mut String, text: &str| out.push_str(&format!("    {}\n", wrap(text, width - 4, 4)));
        out.push_str(&format!("{}  {}{}\n", clean(&row.plan), painted(row, style), said(row)));
        put(&mut out, &clean(&row.question));
        row.claims.iter().for_each(|one| put(&mut out, &format!("claims: {}", clean(one))));
        row.differs.iter().for_each(|one| put(&mut out, &format!("differs: {}", clean(one))));
        out.push('\n');
    }
    out.push_str(&format!("{}\n", sum(rows)));
    if !found.claims.is_empty() {
        out.push_str(&format!("{}\n", claims_sum(&found.claims)));
    }
    for claim in found.claims.iter().filter(|claim| claim.is_left_over()) {
        let what = format!("no plan asks {} {}: {}", claim.post, claim.number, claim.claim);
        out.push_str(&format!("  {}\n", clean(&what)));
    }
    out
}

/// As Markdown, ending in a line feed: the plans by publication, then its claims.
pub fn experiments_markdown(found: &Experiments) -> String {
    let rows = &found.experiments;
    let mut out = format!("{HEAD}\n{}.\n", markdown(&sum(rows)));
    if !found.claims.is_empty() {
        out.push_str(&format!("\n{}.\n", markdown(&claims_sum(&found.claims))));
    }
    for post in posts(found) {
        let claims: Vec<&Claim> = found.claims.iter().filter(|claim| claim.post == post).collect();
        let own: Vec<&ExperimentRow> = rows.iter().filter(|row| group(row) == post).collect();
        out.push_str(&format!("\n## {}\n", markdown(post)));
        if !own.is_empty() {
            out.push_str(&format!("\n{}\n", plans_table(&own).markdown().join("\n")));
        }
        if !claims.is_empty() {
            out.push_str(&format!("\n{}\n", claims_table(&claims).markdown().join("\n")));
        }
    }
    out
}

/// The publications in the order of their claims, then those of plans alone, then what is ours.
fn posts(found: &Experiments) -> Vec<&str> {
    let mut all: Vec<&str> = found.claims.iter().map(|claim| &*claim.post).collect();
    all.extend(found.experiments.iter().map(group).filter(|post| *post != OURS));
    if found.experiments.iter().any(|row| group(row) == OURS) {
        all.push(OURS);
    }
    let mut seen = Vec::new();
    all.retain(|post| {
        !seen.contains(post) && {
            seen.push(*post);
            true
        }
    });
    all
}

/// The publication of the first claim that a plan asks.
fn group(row: &ExperimentRow) -> &str {
    row.claims.first().map_or(OURS, |list| list.split_whitespace().next().unwrap_or(OURS))
}

fn plans_table(rows: &[&ExperimentRow]) -> Table {
    let headings = [
        "question",
        "plan",
        "claims",
        "state",
        "published figures that agree",
        "what differs from the publication",
    ];
    let mut table = Table::new(&headings.map(|name| (name, Align::Left)));
    for row in rows {
        let why = row.cannot.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let state = format!("{}{why}", row.state_words());
        let claims = claims_said(row);
        let cells = [&*row.question, file(&row.plan), &claims, &state, &counts(row), &row.differs.join("; ")];
        table.rows.push(cells.map(clean).to_vec());
    }
    table
}

/// `1-3,7`; with its name before those of another publication than the first.
fn claims_said(row: &ExperimentRow) -> String {
    let own = group(row);
    let said = |list: &String| match list.split_once(' ') {
        Some((post, numbers)) if post == own => numbers.trim().to_owned(),
        _ => list.clone(),
    };
    row.claims.iter().map(said).collect::<Vec<_>>().join("; ")
}

fn claims_table(claims: &[&Claim]) -> Table {
    let headings = ["", "claim", "from", "to", "tests", "where", "here", "asked by"];
    let mut table = Table::new(&headings.map(|name| (name, Align::Left)));
    for claim in claims {
        let plans: Vec<&str> = claim.plans.iter().map(|plan| file(plan)).collect();
        let asked = match &claim.not_asked {
            Some(why) => format!("not asked: {why}"),
            None if plans.is_empty() => "no plan".to_owned(),
            None => plans.join(", "),
        };
        let (number, here) = (claim.number.to_string(), answered(claim));
        let Claim { claim: said, base, subject, tests, condition, .. } = claim;
        let cells = [&*number, said, base, subject, tests, condition, &here, &asked];
        table.rows.push(cells.map(clean).to_vec());
    }
    table
}

/// The plan's path from the folder of plans on.
fn file(plan: &str) -> &str {
    let mut parts = plan.rsplit('/');
    let name = parts.next().unwrap_or(plan);
    match parts.next() {
        Some("full") => &plan[plan.len() - name.len() - "full/".len()..],
        _ => name,
    }
}

fn painted(row: &ExperimentRow, style: Style) -> String {
    let words = row.state_words();
    let color = match row.state {
        ExperimentState::Agrees if style.color && !row.is_in_part() => AnsiColor::Green,
        ExperimentState::Differs if style.color => AnsiColor::Yellow,
        _ => return words,
    };
    let paint = color.on_default();
    format!("{paint}{words}{paint:#}")
}

/// `: 30 of 36 agree`, or why not.
fn said(row: &ExperimentRow) -> String {
    match (&row.cannot, counts(row)) {
        (Some(why), _) => format!(": {}", clean(why)),
        (None, counts) if counts.is_empty() => String::new(),
        (None, counts) => format!(": {counts}"),
    }
}

/// `30 of 36; of changes beyond 5 %, 12 of 13 called, 0 called the other way`.
fn counts(row: &ExperimentRow) -> String {
    let Some(totals) = &row.totals else { return String::new() };
    let of = |rate: &Option<Rate>| rate.as_ref().map(|rate| format!("{} of {}", rate.count, rate.of));
    let large = totals.changes.first();
    let called = large.map(|one| {
        let (beyond, Rate { count, of, .. }) = (percent(one.beyond), one.called);
        format!("of changes beyond {beyond}, {count} of {of} have a verdict of the same sign")
    });
    let opposite = large.map(|one| format!("{} of the other", one.opposite.count));
    [of(&totals.agree), called, opposite].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `10 experiments: 2 agree, 1 agrees in part, …`.
fn sum(rows: &[ExperimentRow]) -> String {
    use ExperimentState::{Agrees, CannotBeRun, Differs, Measured, NotRun};
    let of = |(state, in_part): (ExperimentState, bool)| {
        let is_of = |row: &&ExperimentRow| row.state == state && row.is_in_part() == in_part;
        let count = rows.iter().filter(is_of).count();
        let word = match state {
            Agrees if count > 1 => "agree",
            Differs if count > 1 => "differ",
            _ => state.word(),
        };
        let part = if in_part { " in part" } else { "" };
        (count > 0).then(|| format!("{count} {word}{part}"))
    };
    let compared = [Agrees, Differs].into_iter().flat_map(|state| [(state, false), (state, true)]);
    let others = [Measured, NotRun, CannotBeRun].map(|state| (state, false));
    let told: Vec<String> = compared.chain(others).filter_map(of).collect();
    let noun = if rows.len() == 1 { "experiment" } else { "experiments" };
    match told.is_empty() {
        true => format!("no {noun}: no plan has a table [experiment]"),
        false => format!("{} {noun}: {}", rows.len(), told.join(", ")),
    }
}

/// `3 of 4 slower, 2 of the size: 0.85 to 1.02 (xeon)`; empty where no record has a figure of it.
fn answered(claim: &Claim) -> String {
    let Some(ClaimAnswer { figures, holds, opposite, of_the_size, lowest, highest, hosts }) = &claim.answer
    else {
        return String::new();
    };
    let undecided = figures - holds - opposite;
    let others: String = [(*opposite, "not"), (undecided, "undecided")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!(", {count} {what}"))
        .collect();
    let size = of_the_size.map_or_else(String::new, |count| format!(", {count} of the size"));
    let range = match figures {
        1 => ratio(Some(*lowest)),
        _ => format!("{} to {}", ratio(Some(*lowest)), ratio(Some(*highest))),
    };
    format!("{holds} of {figures} {}{others}{size}: {range} ({})", claim.direction, hosts.join(", "))
}

/// `231 claims: 228 are asked by a plan, of 3 a reason says why none asks them`, and how many are left over.
fn claims_sum(claims: &[Claim]) -> String {
    let count = |of: &dyn Fn(&Claim) -> bool| claims.iter().filter(|claim| of(claim)).count();
    let asked = count(&|claim| !claim.plans.is_empty());
    let reasons = count(&|claim| claim.not_asked.is_some());
    let left = match count(&Claim::is_left_over) {
        0 => String::new(),
        left => format!(", {left} left over"),
    };
    let answers: Vec<&ClaimAnswer> = claims.iter().filter_map(|claim| claim.answer.as_ref()).collect();
    let of = |what: &dyn Fn(&ClaimAnswer) -> bool| answers.iter().filter(|answer| what(answer)).count();
    let whole = of(&|answer| answer.holds == answer.figures);
    let against = of(&|answer| answer.opposite > 0);
    let here = match answers.len() {
        0 => String::new(),
        some => format!(
            "; {some} {} figures here: of {whole} all go the way of the claim, of {against} some go the other way",
            if some == 1 { "has" } else { "have" }
        ),
    };
    format!(
        "{} claims: {asked} asked by plans, {reasons} with a reason why none asks them{left}{here}",
        claims.len()
    )
}

#[cfg(test)]
mod tests {
    use humdrum_model::{CountOf, Coverage};

    use super::*;

    fn row(state: ExperimentState, releases: u64) -> ExperimentRow {
        let of = |count, of| CountOf { count, of };
        ExperimentRow {
            plan: "plans/a.toml".into(),
            question: "Which?".into(),
            differs: Vec::new(),
            claims: Vec::new(),
            published: Vec::new(),
            records: Vec::new(),
            state,
            cannot: None,
            totals: None,
            coverage: Some(Coverage {
                tests: Some(of(10, 10)),
                releases: of(releases, 6),
                ratios: Some(of(10 * releases, 60)),
            }),
        }
    }

    #[test]
    fn what_records_answer_in_part_is_told_apart() {
        use ExperimentState::{Agrees, Differs, NotRun};
        let rows = [(Agrees, 6), (Agrees, 1), (Agrees, 2), (Differs, 5), (NotRun, 0)];
        let experiments = rows.map(|(state, releases)| row(state, releases)).to_vec();
        let found = Experiments { experiments, claims: Vec::new() };
        let page = experiments_markdown(&found);
        let sum = "5 experiments: 1 agrees, 2 agree in part, 1 differs in part, 1 not run.";
        assert!(page.contains(sum), "{page}");
        assert!(page.contains("| agrees in part (10 of 10 tests, 1 of 6 releases) |"), "{page}");
    }
}
