//! The scripts of a mix: each one's share of the time, and its own verdict within the mix.

use humdrum_model::{Comparison, ScriptResult, TestResult};

use crate::number::{interval, ratio};
use crate::text::{self, clean};
use crate::words::{self, Outcome};

/// Headings of the table, its first column left out.
pub(crate) const HEADINGS: [&str; 4] = ["operations", "time base→subject", "rQPS", "95 % interval"];

/// What the table shows.
pub(crate) const TITLE: &str = "scripts of the mix, each with a verdict of its own";

/// What the columns mean, in one sentence.
pub(crate) const LEGEND: &str = "time: the script's share of all time within the mix; rQPS: the script's own throughput, subject over base, \
     within the mix";

/// All scripts of all mixes, as their rows.
pub(crate) fn rows(comparison: &Comparison) -> Vec<(String, [String; 4])> {
    let of_test = |test: &TestResult| {
        test.scripts.iter().map(|script| (clean(&script.script), cells(test, script))).collect::<Vec<_>>()
    };
    comparison.tests.iter().flat_map(of_test).collect()
}

fn cells(test: &TestResult, script: &ScriptResult) -> [String; 4] {
    let judged = &script.judged;
    let mark = Outcome::on(test, judged.verdict).mark();
    [
        share(script.operations),
        format!("{}→{}", share(script.base_time), share(script.time)),
        format!("{} {mark}", ratio(Some(judged.ratio))).trim_end().to_owned(),
        interval(Some(judged.ci95)),
    ]
}

/// The table in Markdown; empty without a mix.
pub(crate) fn markdown(comparison: &Comparison) -> String {
    let rows = rows(comparison);
    if rows.is_empty() {
        return String::new();
    }
    let head = format!("| script | {} |\n|---{}|\n", HEADINGS.join(" | "), "|---:".repeat(HEADINGS.len()));
    let line = |(name, cells): &(String, [String; 4])| {
        format!("| {} | {} |\n", text::markdown(name), cells.join(" | "))
    };
    let lines: String = rows.iter().map(line).collect();
    format!("\n### {TITLE}\n\n{head}{lines}\n{LEGEND}.\n")
}

/// With a digit behind the point, because shares of rare scripts are small.
fn share(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// Which scripts moved within each mix.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    comparison.tests.iter().filter(|test| !test.scripts.is_empty()).map(sentence).collect()
}

fn sentence(test: &TestResult) -> String {
    let of = |outcome: Outcome| {
        test.scripts.iter().filter(move |script| Outcome::on(test, script.judged.verdict) == outcome)
    };
    let moved = |word: &str, outcome: Outcome| {
        let name = |script: &ScriptResult| {
            format!("{} {}", clean(&script.script), words::times(Some(script.judged.ratio)))
        };
        words::list(word, &of(outcome).map(name).collect::<Vec<_>>())
    };
    let quiet = |word: &str, outcome: Outcome| {
        let count = of(outcome).count();
        (count > 0).then(|| format!("{word}: {count}"))
    };
    let parts = [
        moved("regression", Outcome::Regression),
        quiet("boring", Outcome::Boring),
        moved("improvement", Outcome::Improvement),
        quiet("inconclusive", Outcome::Inconclusive),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{} scripts within {}: {}", test.scripts.len(), clean(&test.test), parts.join("; "))
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Judgement, Verdict};

    use super::*;
    use crate::fixture;

    #[test]
    fn a_script_that_moved_is_named_although_its_mix_is_boring() {
        let (mut summary, ..) = fixture::run();
        let comparison = &mut summary.comparisons[0];
        assert!(rows(comparison).is_empty() && sentences(comparison).is_empty());
        let script = |name: &str, time, ratio, verdict| ScriptResult {
            script: name.into(),
            operations: 0.5,
            base_time: 1.0 - time,
            time,
            judged: Judgement {
                ratio,
                ci95: [ratio - 0.01, ratio + 0.01],
                p_adjusted: None,
                delta: 0.01,
                verdict,
            },
        };
        comparison.tests[2].scripts = vec![
            script("browse", 0.75, 1.002, Verdict::Boring),
            script("check\u{1b}out", 0.25, 0.7, Verdict::Regression),
        ];
        let mix = clean(&comparison.tests[2].test);
        let told = sentences(comparison);
        assert_eq!(
            told,
            [format!("2 scripts within {mix}: 1 regression: check\u{fffd}out 0.70x; boring: 1")]
        );
        let found = rows(comparison);
        assert_eq!(found[0].0, "browse");
        assert!(
            markdown(comparison).contains("| browse | 50.0 % | 25.0 %→75.0 % | 1.002 · | [0.992, 1.012] |")
        );
        assert_eq!(found[1].1, ["50.0 %", "75.0 %→25.0 %", "0.700 ▼", "[0.690, 0.710]"]);
    }
}
