//! Why tests moved, for a terminal.

use humdrum_model::{Change, CodeChange, CounterChange, Explanation, Summary};

use super::{
    RUNNING, WAITED, WAITING, amount, ends, origin, plan_said, share, signed, size, values, wait, waited,
};
use crate::facts;
use crate::number::{self, short_or_none};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, shorten, wrap};
use crate::words;

/// Rows of counters, settings and lines of plans shown without `verbose`.
const BRIEF_MAX: usize = 10;

/// One explanation, ending in a line feed; `verdict` if it is to have one.
pub(super) fn of(one: &Explanation, verdict: Option<&str>, style: Style) -> String {
    let mut page = Page { width: usize::from(style.width).max(40), style, text: String::new() };
    page.head(one, verdict);
    page.parts(one);
    page.causes(one);
    page.carried(one);
    page.code(RUNNING, "function", &one.code);
    page.code(WAITING, "wait", &one.waiting);
    page.settings(one);
    page.plans(one);
    page.waits(one);
    page.counters(one);
    for remark in &one.remarks {
        page.blank();
        page.paragraph(&clean(remark));
    }
    page.text
}

/// The host and its noise, for the end of an explanation.
pub fn host_lines(summary: &Summary, style: Style) -> String {
    let mut page = Page { width: usize::from(style.width).max(40), style, text: String::new() };
    page.blank();
    page.heading("host and noise");
    for line in facts::host_lines(summary) {
        page.paragraph(&clean(&line));
    }
    for (level, name, found, advice) in facts::warnings(summary) {
        page.paragraph(&clean(&format!("! {level}: {}", facts::finding(name, found, advice))));
    }
    page.text
}

/// The four columns of a change.
fn cells(change: &Change) -> [String; 4] {
    let ends = ends(change.ci95).unwrap_or_else(|| number::NONE.into());
    [amount(change.base), amount(change.subject), signed(change.change), ends]
}

const CHANGE_COLUMNS: [(&str, Align); 4] = [
    ("base", Align::Right),
    ("subject", Align::Right),
    ("change", Align::Right),
    ("95 % interval", Align::Right),
];

struct Page {
    style: Style,
    width: usize,
    text: String,
}

impl Page {
    fn head(&mut self, one: &Explanation, verdict: Option<&str>) {
        let speed = one.rqps.map(|_| format!("{} {}", words::times(one.rqps), number::interval(one.ci95)));
        let found: Vec<String> = verdict.map(str::to_owned).into_iter().chain(speed).collect();
        let (test, subject, base) = (clean(&one.test), clean(&one.subject), clean(&one.base));
        self.heading(&format!("{test}: {subject} against {base}: {}", found.join(", ")));
    }

    fn parts(&mut self, one: &Explanation) {
        let Some(time) = &one.time_us else { return };
        let mut table = Table::new(&[
            ("µs per operation", Align::Left),
            CHANGE_COLUMNS[0],
            CHANGE_COLUMNS[1],
            CHANGE_COLUMNS[2],
            CHANGE_COLUMNS[3],
            ("share", Align::Right),
        ]);
        let row = |name: &str, time: &Change, share: String| {
            let mut row = vec![name.to_owned()];
            row.extend(cells(time));
            row.push(share);
            row
        };
        table.rows.push(row("all", time, String::new()));
        let parts = one.parts.iter().map(|part| row(part.name.words(), &part.time, share(part)));
        table.rows.extend(parts);
        self.table(&table);
    }

    fn causes(&mut self, one: &Explanation) {
        if one.causes.is_empty() {
            return;
        }
        self.blank();
        self.heading("causes, most likely first");
        for (number, cause) in (1..).zip(&one.causes) {
            let size = size(cause).map_or_else(String::new, |size| format!(": {size}"));
            self.paragraph(&format!("{number}. {}{size}", clean(&cause.what)));
            for line in &cause.evidence {
                self.indented(&clean(line));
            }
        }
    }

    fn carried(&mut self, one: &Explanation) {
        if one.carried.is_empty() {
            return;
        }
        self.blank();
        self.heading("what each setting carries, measured in extra blocks");
        for carried in &one.carried {
            let name = clean(&carried.name);
            let values = values(carried.base.as_deref(), carried.subject.as_deref()).join(" → ");
            let found = match (carried.share, carried.share_ci95, &carried.note) {
                (Some(share), Some([low, high]), _) => {
                    format!("{:.0} % [{:.0}, {:.0}] of the change", share * 100.0, low * 100.0, high * 100.0)
                }
                (Some(share), None, _) => format!("{:.0} % of the change", share * 100.0),
                (None, _, note) => clean(note.as_deref().unwrap_or("not known")),
            };
            let plan = plan_said(carried.restores_plan);
            self.paragraph(&format!("{name}, {values}: {found}{plan}"));
            for (what, change) in [
                ("subject with the base's value", &carried.back),
                ("base with the subject's value", &carried.forth),
            ] {
                if let Some(change) = change {
                    let ends = change.ci95.map(|[low, high]| [low.exp(), high.exp()]);
                    let ratio = words::times(Some(change.change.exp()));
                    self.indented(&format!("{what}: {ratio} {}", number::interval(ends)));
                }
            }
        }
    }

    fn settings(&mut self, one: &Explanation) {
        let rows = one.settings.iter().map(|setting| {
            let values = values(setting.base.as_deref(), setting.subject.as_deref()).join(" → ");
            format!("{}: {values} ({})", clean(&setting.name), origin(setting.origin))
        });
        self.list("settings that differ", rows.collect());
    }

    fn plans(&mut self, one: &Explanation) {
        for plan in &one.plans {
            self.blank();
            self.heading(&format!("query plan changed: {}", clean(&plan.statement)));
            for (who, lines) in [&one.base, &one.subject].into_iter().zip(plan.shown()) {
                self.paragraph(&format!("{}:", clean(who)));
                lines.iter().take(BRIEF_MAX).for_each(|line| self.as_it_is(&clean(line)));
            }
        }
    }

    fn waits(&mut self, one: &Explanation) {
        self.list("what sessions wait for", one.waits.iter().map(wait).collect());
        self.list(WAITED, one.waited.iter().map(waited).collect());
    }

    fn code(&mut self, heading: &str, what: &str, changes: &[CodeChange]) {
        if changes.is_empty() {
            return;
        }
        self.blank();
        self.heading(heading);
        let [base, subject, change, ends] = CHANGE_COLUMNS;
        let mut table = Table::new(&[(what, Align::Left), base, subject, change, ends]);
        let shown = self.shown(changes.len());
        for code in &changes[..shown] {
            let mut row = vec![clean(&code.symbol)];
            row.extend(cells(&code.time));
            table.rows.push(row);
        }
        self.table(&table);
        self.more(changes.len() - shown);
    }

    fn counters(&mut self, one: &Explanation) {
        self.counted("counters of the engine per operation, largest change first", &one.counters);
        let unchanged = if self.style.verbose { &one.unchanged[..] } else { &[] };
        self.counted("counters that did not change", unchanged);
    }

    fn counted(&mut self, heading: &str, counters: &[CounterChange]) {
        if counters.is_empty() {
            return;
        }
        self.blank();
        self.heading(heading);
        let [base, subject, change, ends] = CHANGE_COLUMNS;
        let columns = [("counter", Align::Left), base, subject, change, ends, ("ratio", Align::Right)];
        let mut table = Table::new(&columns);
        let shown = self.shown(counters.len());
        for counter in &counters[..shown] {
            let [name, ratio] = [clean(&counter.name), short_or_none(counter.ratio)].map(|cell| vec![cell]);
            table.rows.push([name, cells(&counter.per_operation).to_vec(), ratio].concat());
        }
        self.table(&table);
        self.more(counters.len() - shown);
    }

    fn list(&mut self, heading: &str, rows: Vec<String>) {
        if rows.is_empty() {
            return;
        }
        self.blank();
        self.heading(heading);
        let shown = self.shown(rows.len());
        rows[..shown].iter().for_each(|row| self.paragraph(row));
        self.more(rows.len() - shown);
    }

    fn shown(&self, all: usize) -> usize {
        if self.style.verbose { all } else { all.min(BRIEF_MAX) }
    }

    fn more(&mut self, left: usize) {
        if left > 0 {
            self.paragraph(&format!("… and {left} more (-v or --json lists them)"));
        }
    }

    fn table(&mut self, table: &Table) {
        for line in table.lines(self.width, |_, _, cell| cell.to_owned()) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    fn heading(&mut self, text: &str) {
        let text = wrap(text, self.width, 2);
        if self.style.color {
            let bold = anstyle::Style::new().effects(anstyle::Effects::BOLD);
            self.text.push_str(&format!("{bold}{text}{bold:#}\n"));
        } else {
            self.text.push_str(&format!("{text}\n"));
        }
    }

    fn blank(&mut self) {
        self.text.push('\n');
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push_str(&wrap(text, self.width, 3));
        self.text.push('\n');
    }

    /// A line whose indentation has a meaning, as in a query plan.
    fn as_it_is(&mut self, line: &str) {
        let line = shorten(line, self.width.saturating_sub(3));
        self.text.push_str(&format!("   {line}\n"));
    }

    fn indented(&mut self, text: &str) {
        let wrapped = wrap(text, self.width.saturating_sub(3), 2).replace('\n', "\n   ");
        self.text.push_str(&format!("   {wrapped}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::{explanation, step_explanation};
    use crate::fixture;

    const PLAIN: Style = Style { color: false, width: 100, verbose: false };

    #[test]
    fn looks_like_this() {
        insta::assert_snapshot!(explanation(&fixture::why("hot-points"), PLAIN));
    }

    #[test]
    fn a_step_has_its_ratio_and_no_verdict() {
        let text = step_explanation(&fixture::why("hot-points"), PLAIN);
        assert!(text.starts_with("hot-points: postgres@17.7 against postgres@16.11: 2.02x ["), "{text}");
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut one = fixture::why(fixture::HOSTILE);
        fixture::make_why_hostile(&mut one);
        let text = explanation(&one, Style { width: 80, verbose: true, ..PLAIN });
        assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'));
        let wide: Vec<&str> = text.lines().filter(|line| crate::text::width(line) > 80).collect();
        assert!(wide.iter().all(|line| line.contains("…")), "{wide:#?}");
    }
}
