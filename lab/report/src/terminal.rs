//! Tables for a terminal: the verdict in one sentence, then its evidence. Lines fit the terminal unless their numbers
//! need more room. Every colour has a mark beside it.

mod beside;
mod causes;
mod notes;
mod series;
mod steps;
mod tables;

pub(crate) use series::several;

use anstyle::Effects;
use humdrum_model::{Comparison, Results, Summary, TestResult};

use crate::Extras;
use crate::caveats;
use crate::facts::{self, Discarded};
use crate::headline;
use crate::number;
use crate::opening::{Opening, opening};
use crate::settings;
use crate::style::Style;
use crate::text::{clean, clean_lines, shorten, width, wrap};
use crate::words;

/// Rows of settings and failures shown without `verbose`.
const BRIEF_MAX: usize = 8;

/// Lines of a server's log shown for each failure.
const LOG_LINES_MAX: usize = 5;

/// The whole result for a terminal. It ends in a line feed.
pub fn terminal(summary: &Summary, results: &Results, extras: &Extras, style: Style) -> String {
    let mut page = Page { style, width: usize::from(style.width).max(40), text: String::new() };
    page.remarks(summary, results);
    if let Some(sentence) = headline::worst_of_each(summary) {
        page.paragraph(&sentence);
    }
    steps::all(&mut page, summary);
    page.by_numbers(summary);
    page.joint(summary);
    if let Some(row) = &summary.series {
        page.series(summary, row, results);
    }
    // Nobody reads ten full comparisons: the series tables have what matters, and report.html has all of them.
    let brief = summary.series.is_some() && !style.verbose;
    for comparison in &summary.comparisons {
        page.comparison(summary, results, comparison, brief, extras);
    }
    if brief {
        page.next_steps(summary, summary.comparisons.iter().flat_map(|comparison| &comparison.tests));
    }
    page.settings(results, extras);
    page.host(summary, results);
    page.sessions(summary, results);
    page.failures(results);
    page.text
}

/// The text so far.
struct Page {
    style: Style,
    width: usize,
    text: String,
}

impl Page {
    fn comparison(
        &mut self,
        summary: &Summary,
        results: &Results,
        comparison: &Comparison,
        brief: bool,
        extras: &Extras,
    ) {
        self.heading(&headline::pair(summary, results, comparison));
        let Opening { first, then } = opening(comparison);
        for sentence in first.iter().chain(&then) {
            self.paragraph(&format!("{sentence}."));
        }
        if brief {
            return;
        }
        let names = comparison.tests.iter().map(|test| width(&clean(&test.test))).max().unwrap_or(0);
        for (group, tests) in words::grouped(&comparison.tests) {
            self.blank();
            self.lines(tables::results(self.style, self.width, group, &tests, names));
        }
        self.next_steps(summary, &comparison.tests);
        self.scripts(comparison);
        self.judged(comparison);
        self.costs(comparison);
        self.stores(comparison);
        self.debts(comparison);
        self.causes(comparison, extras);
        self.notes(comparison);
        if let Some(sentence) = words::minimum_detectable(comparison) {
            self.blank();
            self.paragraph(&sentence);
        }
    }

    fn next_steps<'a>(&mut self, summary: &Summary, tests: impl IntoIterator<Item = &'a TestResult>) {
        let lines = headline::next_steps(summary, tests);
        if !lines.is_empty() {
            self.blank();
            lines.iter().for_each(|line| self.paragraph(line));
        }
    }

    fn costs(&mut self, comparison: &Comparison) {
        let Some(costs) = tables::costs(&comparison.tests, self.width) else { return };
        let single = if costs.both { "" } else { "; a single number is the subject's" };
        self.heading(&format!("cost per operation, base→subject{single} (explains a verdict)"));
        self.lines(costs.lines);
        if !costs.zero.is_empty() {
            self.paragraph(&format!("Zero in every test: {}.", costs.zero.join(", ")));
        }
    }

    fn settings(&mut self, results: &Results, extras: &Extras) {
        let all = &extras.setting_differences;
        if all.is_empty() {
            return;
        }
        self.heading("settings that differ");
        let (all, known_to_some) = settings::split(all);
        let shown = if self.style.verbose { all.len() } else { all.len().min(BRIEF_MAX) };
        let labels: Vec<String> = results.plan.subjects.iter().map(|subject| clean(&subject.label)).collect();
        for (name, values) in &all[..shown] {
            let pair = |(value, label): (&Option<String>, &String)| {
                format!("{label} {}", value.as_deref().map_or_else(|| "(no such setting)".into(), quoted))
            };
            let pairs: Vec<String> = values.iter().zip(&labels).map(pair).collect();
            self.paragraph(&format!("{}: {}", clean(name), pairs.join(", ")));
        }
        if shown < all.len() {
            self.paragraph(&format!("… and {} more (-v or report.html lists them)", all.len() - shown));
        }
        if !known_to_some.is_empty() {
            let count = settings::known_to_some(known_to_some.len());
            self.paragraph(&format!("{count} (report.html lists them)"));
        }
    }

    fn host(&mut self, summary: &Summary, results: &Results) {
        self.heading("host and noise");
        for line in facts::host_lines(summary).into_iter().chain(caveats::lines(summary, results)) {
            self.paragraph(&clean(&line));
        }
        for (level, name, found, advice) in facts::warnings(summary) {
            self.paragraph(&clean(&format!("! {level}: {}", facts::finding(name, found, advice))));
        }
        for (test, ratio, [low, high]) in &summary.slice_checks {
            let test = clean(test);
            self.paragraph(&format!(
                "10x longer slices, {test}: ratio of ratios {ratio:.3} [{low:.3}, {high:.3}]"
            ));
        }
    }

    fn sessions(&mut self, summary: &Summary, results: &Results) {
        let discarded = Discarded::of(results);
        self.heading("run");
        self.paragraph(&clean(&facts::workload(results)));
        if summary.imported.is_none() {
            self.paragraph(&format!("blocks discarded: {}", clean(&discarded.sentence())));
        }
        if let Some(first) = crate::kinds::first_of(summary) {
            self.paragraph(&first);
        }
        if self.style.verbose {
            self.paragraph(&format!("took {}", number::duration(summary.seconds)));
            self.paragraph(&clean(&facts::command(summary, results)));
        }
    }

    fn failures(&mut self, results: &Results) {
        let failures = facts::failures(results);
        if failures.is_empty() {
            return;
        }
        self.heading("failures");
        let shown = if self.style.verbose { failures.len() } else { failures.len().min(BRIEF_MAX) };
        for (place, event) in &failures[..shown] {
            self.paragraph(&clean(&format!("! {} ({place}): {}", event.status.word(), event.what)));
            let log = clean_lines(event.log_tail.as_deref().unwrap_or_default());
            for line in &log[log.len().saturating_sub(LOG_LINES_MAX)..] {
                let line = format!("    {}", shorten(line, self.width - 4));
                self.lines(vec![line]);
            }
        }
        if shown < failures.len() {
            self.paragraph(&format!("… and {} more (-v or report.html lists them)", failures.len() - shown));
        }
    }

    fn heading(&mut self, text: &str) {
        self.blank();
        let text = wrap(text, self.width, 2);
        if self.style.color {
            let bold = anstyle::Style::new().effects(Effects::BOLD);
            self.text.push_str(&format!("{bold}{text}{bold:#}\n"));
        } else {
            self.text.push_str(&text);
            self.text.push('\n');
        }
    }

    fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push_str(&wrap(text, self.width, 2));
        self.text.push('\n');
    }

    fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }
}

fn quoted(value: &str) -> String {
    let value = clean(value);
    if value.is_empty() { "''".into() } else { value }
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Setting, Verdict};

    use super::*;
    use crate::fixture;

    const PLAIN: Style = Style { color: false, width: 80, verbose: false };

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        insta::assert_snapshot!(terminal(&summary, &results, &extras, PLAIN));
    }

    #[test]
    fn fits_eighty_columns_whatever_labels_hold() {
        let (mut summary, mut results, extras) = fixture::run();
        fixture::make_hostile(&mut summary);
        results.plan.subjects[1].label = fixture::HOSTILE.into();
        let text = terminal(&summary, &results, &extras, PLAIN);
        let wide: Vec<&str> = text.lines().filter(|line| width(line) > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'));
    }

    #[test]
    fn three_subjects_begin_with_the_worst_of_each_and_headings_show_hidden_settings() {
        let (mut summary, mut results, extras) = fixture::run();
        let mut other = Comparison { subject: "third".into(), ..summary.comparisons[0].clone() };
        (other.tests[4].verdict, other.tests[4].rqps) = (Some(Verdict::Regression), Some(0.87));
        summary.comparisons.push(other);
        let mut third = results.plan.subjects[0].clone();
        third.label = "third".into();
        third.settings = vec![Setting::Value { key: "jit".into(), value: "off".into() }];
        results.plan.subjects.push(third);
        let text = terminal(&summary, &results, &extras, PLAIN);
        let is_head = |line: &&str| line.contains("against") || line.contains("third");
        insta::assert_snapshot!(text.lines().filter(is_head).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let (summary, results, extras) = fixture::run();
        let colored = terminal(&summary, &results, &extras, Style { color: true, ..PLAIN });
        assert!(colored.contains("\u{1b}["));
        let mut plain = String::new();
        let mut rest = colored.as_str();
        while let Some(start) = rest.find('\u{1b}') {
            plain.push_str(&rest[..start]);
            rest = &rest[start + rest[start..].find('m').unwrap() + 1..];
        }
        plain.push_str(rest);
        let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(trimmed(&plain), trimmed(&terminal(&summary, &results, &extras, PLAIN)));
    }

    #[test]
    fn an_interrupted_run_says_so_and_an_empty_one_is_rendered() {
        let (mut summary, results, extras) = fixture::run();
        summary.finished = false;
        summary.comparisons[0].tests.clear();
        let text = terminal(&summary, &results, &extras, Style { verbose: true, width: 10, ..PLAIN });
        assert!(text.starts_with("The run was interrupted") && text.contains("no test was measured"));
    }
}
