//! An upgrade that was tried: a paragraph for whoever decides, and the parts behind it. Each part is plain text and tables; the
//! terminal, Markdown and the page lay them out.

mod page;
mod paragraph;

use humdrum_model::{Carried, PlanChange, SettingChange, Upgrade, UpgradeStatement, Verdict, only_differing};

use crate::number::{NONE, bytes, duration, interval, percent};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, wrap};
use crate::words::{Outcome, first, times};

pub use page::{upgrade_html, upgrade_markdown};

/// One part of the report.
struct Section {
    id: &'static str,
    title: &'static str,
    /// A line each.
    lines: Vec<String>,
    table: Option<Table>,
    /// Query plans of one statement on both releases.
    plans: Vec<PlanChange>,
}

impl Section {
    fn new(id: &'static str, title: &'static str) -> Self {
        Self { id, title, lines: Vec::new(), table: None, plans: Vec::new() }
    }
}

/// An upgrade for a terminal. It ends in a line feed.
pub fn upgrade(upgrade: &Upgrade, style: Style) -> String {
    let columns = usize::from(style.width).max(40);
    let mut out: Vec<String> = Vec::new();
    for section in sections(upgrade) {
        out.push(section.title.to_uppercase());
        out.extend(section.lines.iter().map(|line| wrap(line, columns, 2)));
        if let Some(table) = &section.table {
            out.extend(table.lines(columns, |_, _, cell| cell.to_owned()));
        }
        for plan in &section.plans {
            out.push(wrap(&clean(&plan.statement), columns, 2));
            out.extend(plan.base.iter().map(|line| format!("  − {}", clean(line))));
            out.extend(plan.subject.iter().map(|line| format!("  + {}", clean(line))));
        }
        out.push(String::new());
    }
    out.push(wrap(&paragraph::paragraph(upgrade), columns, 0));
    out.join("\n") + "\n"
}

/// As JSON, ending in a line feed.
pub fn upgrade_json(upgrade: &Upgrade) -> String {
    // Writing plain data to memory cannot fail.
    let mut value = serde_json::to_value(upgrade).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.insert("schema".to_owned(), 1.into());
        object.insert("paragraph".to_owned(), paragraph::paragraph(upgrade).into());
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

/// All parts that have something to say.
fn sections(upgrade: &Upgrade) -> Vec<Section> {
    let all = [
        source(upgrade),
        Some(statements(upgrade)),
        plans(upgrade),
        trouble(upgrade),
        settings(upgrade),
        costs(upgrade),
    ];
    all.into_iter().flatten().collect()
}

fn source(upgrade: &Upgrade) -> Option<Section> {
    let mut section = Section::new("source", "What is upgraded");
    if let Some(source) = &upgrade.source {
        let line =
            format!("{}, release {}, {}", clean(&source.url), clean(&source.version), bytes(source.bytes));
        section.lines.push(line);
        let pairs = |pairs: &[(String, String)], between: &str| {
            let each = pairs.iter().map(|(name, value)| format!("{}{between}{}", clean(name), clean(value)));
            each.collect::<Vec<_>>().join("; ")
        };
        if !source.given.is_empty() {
            section.lines.push(format!("both sides have its settings {}", pairs(&source.given, " = ")));
        }
        if !source.refused.is_empty() {
            section.lines.push(format!("the new release does not take {}", pairs(&source.refused, ": ")));
        }
        if !source.others.is_empty() {
            let names: Vec<String> = source.others.iter().map(|name| clean(name)).collect();
            section.lines.push(format!("chosen there and left to each side's own: {}", first(&names)));
        }
    }
    section.lines.extend(upgrade.notes.iter().map(|note| clean(note)));
    (!section.lines.is_empty()).then_some(section)
}

/// Statements that lose first, then those that gain, then the others; the mix above all.
fn statements(upgrade: &Upgrade) -> Section {
    let mut section = Section::new("statements", "Statements");
    let mut table = Table::new(&[
        ("statement", Align::Left),
        ("share of time", Align::Right),
        ("ratio", Align::Right),
        ("95 % interval", Align::Right),
        ("verdict", Align::Left),
        ("plan", Align::Left),
    ]);
    let mut ordered: Vec<&UpgradeStatement> = upgrade.statements.iter().collect();
    ordered.sort_by(|a, b| {
        let size = |one: &UpgradeStatement| one.rqps.map_or(0.0, |ratio| ratio.ln().abs());
        rank(a).cmp(&rank(b)).then(size(b).total_cmp(&size(a)))
    });
    table.rows = upgrade.mix.iter().chain(ordered).map(row).collect();
    section.table = Some(table);
    let causes = upgrade.statements.iter().chain(&upgrade.mix);
    section.lines = vec![format!(
        "ratio: throughput on {} relative to {}; below 1 is slower",
        clean(&upgrade.to),
        clean(&upgrade.from)
    )];
    section.lines.extend(
        causes.filter_map(|one| Some(format!("{}: {}", clean(&one.test), clean(one.cause.as_deref()?)))),
    );
    section
}

fn rank(one: &UpgradeStatement) -> u8 {
    match (outcome(one), one.verdict) {
        (Outcome::Status(_), _) => 0,
        (_, Some(Verdict::Regression)) => 1,
        (_, Some(Verdict::Improvement)) => 2,
        _ => 3,
    }
}

fn outcome(one: &UpgradeStatement) -> Outcome {
    Outcome::new(one.status, one.verdict)
}

fn row(one: &UpgradeStatement) -> Vec<String> {
    vec![
        clean(&one.test),
        one.share.map_or_else(|| NONE.to_owned(), percent),
        one.rqps.map_or_else(|| NONE.to_owned(), |ratio| times(Some(ratio))),
        interval(one.ci95),
        outcome(one).marked(),
        if one.plans.is_empty() { String::new() } else { "changed".to_owned() },
    ]
}

fn plans(upgrade: &Upgrade) -> Option<Section> {
    let mut section = Section::new("plans", "Query plans that changed");
    section.plans = upgrade.statements.iter().flat_map(|one| one.plans.iter().cloned()).collect();
    section.plans.dedup();
    (!section.plans.is_empty()).then_some(section)
}

fn trouble(upgrade: &Upgrade) -> Option<Section> {
    let mut section = Section::new("trouble", "Errors and other answers");
    section.lines = upgrade.trouble.iter().map(|line| clean(line)).collect();
    (!section.lines.is_empty()).then_some(section)
}

fn settings(upgrade: &Upgrade) -> Option<Section> {
    let mut section = Section::new("settings", "Defaults that changed");
    section.lines = upgrade.settings.iter().map(setting).collect();
    if let Some((test, carried)) = &upgrade.proven {
        section.lines.extend(carried.iter().map(|one| proven(test, one)));
    }
    (!section.lines.is_empty()).then_some(section)
}

fn setting(change: &SettingChange) -> String {
    let name = clean(&change.name);
    match (&change.base, &change.subject) {
        (None, Some(value)) => format!("{name}: new, {}", shown(value)),
        (Some(value), None) => format!("{name}: gone, was {}", shown(value)),
        (base, subject) => format!("{name}: {}", from_to(base.as_deref(), subject.as_deref())),
    }
}

fn shown(value: &str) -> String {
    if value.is_empty() { "''".to_owned() } else { clean(value) }
}

fn from_to(base: Option<&str>, subject: Option<&str>) -> String {
    only_differing(base, subject).map(|value| shown(&value.unwrap_or_default())).join(" → ")
}

fn proven(test: &str, one: &Carried) -> String {
    let what = format!("measured for {}: {}", clean(test), clean(&one.name));
    match (one.share, &one.note) {
        (Some(share), _) => format!("{what} carries {:.0} % of its change", 100.0 * share),
        (None, Some(note)) => format!("{what} could not be measured: {}", clean(note)),
        (None, None) => format!("{what} could not be measured"),
    }
}

fn costs(upgrade: &Upgrade) -> Option<Section> {
    let costs = upgrade.costs?;
    let mut section = Section::new("costs", "What the change costs");
    let mut table =
        Table::new(&[("release", Align::Left), ("load", Align::Right), ("tables and indexes", Align::Right)]);
    let labels = [&upgrade.from, &upgrade.to];
    table.rows = labels
        .into_iter()
        .zip(costs)
        .map(|(label, cost)| vec![clean(label), duration(cost.load_seconds), bytes(cost.bytes)])
        .collect();
    section.lines = vec!["both loaded at the same time, with indexes and statistics".to_owned()];
    section.table = Some(table);
    Some(section)
}

#[cfg(test)]
mod tests;
