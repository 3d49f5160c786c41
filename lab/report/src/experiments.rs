//! Plans with a question, and how far each is answered, as one table.

use humdrum_model::{ExperimentRow, ExperimentState, Rate};

use anstyle::AnsiColor;

use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, markdown, wrap};

/// What stands above the table.
const HEAD: &str = "# Experiments

Plans in `experiments/` that ask something, and how far each is answered. This page is made, not written: `humdrum experiments --format
markdown -o docs/experiments.md`. A state is found anew from the tables in `published/` and `records/` that the plan names, and
`humdrum beside RECORD --published TABLE` shows every figure of it.

A plan *agrees* with a publication if nine in ten published changes beyond 5 % have a verdict of the same sign here and none has one of the
other; where no change is that large, nine in ten have the same direction. A figure agrees if it lies in the interval that was measured
([published.md](published.md)).
";

/// For a terminal: each question with its plan and its answer, ending in a line feed.
pub fn experiments(rows: &[ExperimentRow], style: Style) -> String {
    let mut out = String::new();
    for row in rows {
        let width = usize::from(style.width).max(40);
        let put = |out: &mut String, text: &str| out.push_str(&format!("    {}\n", wrap(text, width - 4, 4)));
        out.push_str(&format!("{}  {}{}\n", clean(&row.plan), painted(row.state, style), said(row)));
        put(&mut out, &clean(&row.question));
        row.differs.iter().for_each(|one| put(&mut out, &format!("differs: {}", clean(one))));
        out.push('\n');
    }
    out + &format!("{}\n", sum(rows))
}

/// As Markdown, ending in a line feed.
pub fn experiments_markdown(rows: &[ExperimentRow]) -> String {
    let headings =
        ["question", "plan", "state", "published figures that agree", "what differs from the publication"];
    let mut table = Table::new(&headings.map(|name| (name, Align::Left)));
    for row in rows {
        let state = format!(
            "{}{}",
            row.state.word(),
            row.cannot.as_ref().map_or_else(String::new, |why| format!(": {why}"))
        );
        let plan = row.plan.rsplit('/').next().unwrap_or(&row.plan);
        table.rows.push(vec![
            clean(&row.question),
            clean(plan),
            clean(&state),
            counts(row),
            clean(&row.differs.join("; ")),
        ]);
    }
    format!("{HEAD}\n{}\n\n{}.\n", table.markdown().join("\n"), markdown(&sum(rows)))
}

fn painted(state: ExperimentState, style: Style) -> String {
    let color = match state {
        ExperimentState::Agrees if style.color => AnsiColor::Green,
        ExperimentState::Differs if style.color => AnsiColor::Yellow,
        _ => return state.word().to_owned(),
    };
    let paint = color.on_default();
    format!("{paint}{}{paint:#}", state.word())
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
    let called = of(&totals.called)
        .map(|called| format!("of changes beyond 5 %, {called} have a verdict of the same sign"));
    let opposite = totals.opposite.as_ref().map(|rate| format!("{} of the other", rate.count));
    [of(&totals.agree), called, opposite].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `10 experiments: 2 agree, …`.
fn sum(rows: &[ExperimentRow]) -> String {
    use ExperimentState::{Agrees, CannotBeRun, Differs, Measured, NotRun};
    let of = |state: ExperimentState| match (rows.iter().filter(|row| row.state == state).count(), state) {
        (0, _) => None,
        (count, Agrees) if count > 1 => Some(format!("{count} agree")),
        (count, Differs) if count > 1 => Some(format!("{count} differ")),
        (count, CannotBeRun) if count > 1 => Some(format!("{count} cannot be run here")),
        (count, _) => Some(format!("{count} {}", state.word())),
    };
    let told: Vec<String> =
        [Agrees, Differs, Measured, NotRun, CannotBeRun].into_iter().filter_map(of).collect();
    let noun = if rows.len() == 1 { "experiment" } else { "experiments" };
    match told.is_empty() {
        true => format!("no {noun}: no plan has a table [experiment]"),
        false => format!("{} {noun}: {}", rows.len(), told.join(", ")),
    }
}
