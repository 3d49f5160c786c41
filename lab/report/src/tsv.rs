//! Tab-separated values: one header line, one row per comparison and test, for spreadsheets and `awk`.
//!
//! A number that is absent or not finite is an empty cell. Labels are cleaned of tabs, line breaks and control characters.

use humdrum_model::{Cost, Judgement, Percentiles, Summary, TestResult};

use crate::choice;
use crate::store::{LEVELS, Side};
use crate::text::clean;
use crate::words::Outcome;

/// Costs that always have columns, measured or not, because scripts rely on them.
const COSTS: [&str; 8] = ["server_cpu_us", "client_cpu_us", "cpu_o", "cs_o", "r_o", "rkb_o", "w_o", "wkb_o"];

/// Debts of tests that write; empty for others.
const DEBTS: [&str; 3] = ["debt_us", "debt_cpu_us", "debt_wkb_o"];

/// What flushes and compactions of a store did, and percentiles; empty for other engines.
const STORE: [&str; 15] = [
    "usec_op",
    "mb_sec",
    "lsm_mb",
    "c_wgb",
    "w_amp",
    "c_mbps",
    "c_wsecs",
    "c_csecs",
    "stall_pct",
    "stalls",
    "u_cpu",
    "s_cpu",
    "rss_mib",
    "writer_us",
    "writer_kept",
];

/// Costs that were added later. They are at the end, so that older columns keep their places.
const LATER: [&str; 1] = ["background_cpu_us"];

/// Costs that were added after the last column of earlier versions.
const LAST: [&str; 7] =
    ["r_await_ms", "w_await_ms", "util_pct", "queue_depth", "flushes_o", "idle_pct", "krows_sec"];

/// Costs that were added after the warnings.
const MODES: [&str; 2] = ["server_user_us", "server_system_us"];

/// Verdicts on other quantities; empty where the run is not judged by them.
const JUDGED: [&str; 2] = ["cpu", "p99"];

/// A column's name, and where its number is.
type Percentile = (&'static str, fn(&Percentiles) -> f64);

/// Percentiles other than the 99th, which is among the fixed columns; both sides, µs.
const PERCENTILES: [Percentile; 4] = [
    ("p50_us", |one| one.p50),
    ("p99_9_us", |one| one.p99_9),
    ("p99_99_us", |one| one.p99_99),
    ("max_us", |one| one.max),
];

const FIXED: [&str; 21] = [
    "base",
    "subject",
    "group",
    "test",
    "status",
    "verdict",
    "rqps",
    "rqps_low",
    "rqps_high",
    "p_adjusted",
    "minimum_detectable",
    "delta",
    "base_qps",
    "qps",
    "base_p99_us",
    "p99_us",
    "blocks",
    "blocks_discarded",
    "sessions",
    "seconds",
    "notes",
];

/// The summary as tab-separated values. The columns, in order:
///
/// `base`, `subject` (labels); `group`, `test`; `status` (`ok`, `failed`, …); `verdict` (empty unless the status is
/// `ok`); `rqps` with `rqps_low`, `rqps_high` (95 % interval); `p_adjusted`; `minimum_detectable` and `delta`
/// (fractions); `base_qps`, `qps` (operations per second); `base_p99_us`, `p99_us` (µs); `blocks`,
/// `blocks_discarded`, `sessions`; `seconds` (of measured slices); `notes` (joined by `; `); then for each cost
/// (`server_cpu_us`, `client_cpu_us`, `cpu_o`, `cs_o`, `r_o`, `rkb_o`, `w_o`, `wkb_o`) `base_COST`, `COST` and
/// `COST_ratio`; then the same for each debt of tests that write (`debt_us`, `debt_cpu_us`, `debt_wkb_o`);
/// then the same for what a store's flushes and compactions did (`usec_op`, `mb_sec`, `lsm_mb`, `c_wgb`, `w_amp`,
/// `c_mbps`, `c_wsecs`, `c_csecs`, `stall_pct`, `stalls`, `u_cpu`, `s_cpu`, `rss_mib`, `writer_us`, `writer_kept`);
/// then `base_P`, `P` for each of `p50_us`, `p99_9_us`, `p99_99_us`, `max_us`; then `base_COST`, `COST` and `COST_ratio` for
/// `background_cpu_us`; then `base_levelN_mb`, `levelN_mb` for the levels 0 to 7 of a store that flushes and compacts; then
/// `another_run_low`, `another_run_high` (95 % prediction interval of `rqps` in another run on this host), and
/// `judged_Q`, `judged_Q_low`, `judged_Q_high`, `judged_Q_verdict` for each of `cpu`, `p99`; then `measured_base`, which is
/// not `base` where `report --base` chose another; then `base_COST`, `COST` and `COST_ratio` for each of `r_await_ms`,
/// `w_await_ms`, `util_pct`, `queue_depth`, `flushes_o`, `idle_pct`, `krows_sec`; then `warnings` of the whole
/// run (joined by `; `), in each row; then `base_COST`, `COST` and `COST_ratio` for each of `server_user_us`,
/// `server_system_us`.
pub fn tsv(summary: &Summary) -> String {
    let mut text = header();
    for comparison in &summary.comparisons {
        for test in &comparison.tests {
            text.push_str(&row(summary, &comparison.subject, test));
        }
    }
    text
}

fn header() -> String {
    let mut names: Vec<String> = FIXED.iter().map(|name| (*name).to_owned()).collect();
    for cost in COSTS.iter().chain(&DEBTS).chain(&STORE) {
        names.extend(titles(cost));
    }
    names.extend(PERCENTILES.iter().flat_map(|(name, _)| [format!("base_{name}"), (*name).to_owned()]));
    names.extend(LATER.iter().flat_map(|cost| titles(cost)));
    let levels = (0..LEVELS.len()).map(|level| format!("level{level}_mb"));
    names.extend(levels.flat_map(|level| [format!("base_{level}"), level]));
    names.extend(["another_run_low", "another_run_high"].map(str::to_owned));
    names.extend(
        JUDGED
            .iter()
            .flat_map(|name| ["", "_low", "_high", "_verdict"].map(|end| format!("judged_{name}{end}"))),
    );
    names.push("measured_base".to_owned());
    names.extend(LAST.iter().flat_map(|cost| titles(cost)));
    names.push("warnings".to_owned());
    names.extend(MODES.iter().flat_map(|cost| titles(cost)));
    names.join("\t") + "\n"
}

fn titles(cost: &str) -> [String; 3] {
    [format!("base_{cost}"), cost.to_owned(), format!("{cost}_ratio")]
}

fn row(summary: &Summary, subject: &str, test: &TestResult) -> String {
    let interval = |end: usize| number(test.ci95.map(|ends| ends[end]));
    let verdict = if Outcome::of(test).is_status() { None } else { test.verdict };
    let notes: Vec<String> = test.notes.iter().map(|note| clean(note)).collect();
    let mut cells = vec![
        clean(&summary.base),
        clean(subject),
        clean(&test.group),
        clean(&test.test),
        test.status.word().to_owned(),
        verdict.map_or_else(String::new, |verdict| verdict.word().to_owned()),
        number(test.rqps),
        interval(0),
        interval(1),
        number(test.p_adjusted),
        number(test.minimum_detectable),
        number(Some(test.delta)),
        number(test.base_qps),
        number(test.qps),
        number(test.latency_us.map(|both| both.base.p99)),
        number(test.latency_us.map(|both| both.subject.p99)),
        test.blocks.to_string(),
        test.blocks_discarded.to_string(),
        test.sessions.to_string(),
        number(Some(test.seconds)),
        notes.join("; "),
    ];
    cells.extend(COSTS.iter().flat_map(|name| costs(test.cost.get(*name))));
    cells.extend(DEBTS.iter().flat_map(|name| costs(test.debt.get(*name))));
    cells.extend(STORE.iter().flat_map(|name| costs(test.cost.get(*name))));
    for (_, of) in PERCENTILES {
        cells.push(number(test.latency_us.map(|both| of(&both.base))));
        cells.push(number(test.latency_us.map(|both| of(&both.subject))));
    }
    cells.extend(LATER.iter().flat_map(|name| costs(test.cost.get(*name))));
    for level in LEVELS {
        cells.extend([Side::Base, Side::Subject].map(|side| number(level.value(test, side))));
    }
    let reach = test.reach.as_ref();
    cells.extend([0, 1].map(|end| number(reach.map(|reach| reach.another_run[end]))));
    cells.extend(JUDGED.iter().flat_map(|name| judged(test.judged.get(*name))));
    cells.push(clean(choice::measured_base(summary).unwrap_or(&summary.base)));
    cells.extend(LAST.iter().flat_map(|name| costs(test.cost.get(*name))));
    cells.push(summary.warnings.iter().map(|warning| clean(warning)).collect::<Vec<_>>().join("; "));
    cells.extend(MODES.iter().flat_map(|name| costs(test.cost.get(*name))));
    cells.join("\t") + "\n"
}

fn judged(found: Option<&Judgement>) -> [String; 4] {
    let [low, high] = [0, 1].map(|end| number(found.map(|found| found.ci95[end])));
    let verdict = found.map_or_else(String::new, |found| found.verdict.word().to_owned());
    [number(found.map(|found| found.ratio)), low, high, verdict]
}

fn costs(cost: Option<&Cost>) -> [String; 3] {
    [
        number(cost.map(|cost| cost.base)),
        number(cost.map(|cost| cost.subject)),
        number(cost.and_then(|cost| cost.ratio)),
    ]
}

/// Six significant digits: enough for calculations, and still readable.
pub(crate) fn number(value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return String::new() };
    if value == 0.0 {
        return "0".into();
    }
    let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, ..) = fixture::run();
        insta::assert_snapshot!(tsv(&summary));
    }

    #[test]
    fn every_row_has_every_column_whatever_labels_hold() {
        let (mut summary, ..) = fixture::run();
        fixture::make_hostile(&mut summary);
        summary.warnings = vec!["a\tb".to_owned(), "\u{1b}[2J".to_owned()];
        let text = tsv(&summary);
        let triples = COSTS.len() + DEBTS.len() + STORE.len() + LATER.len() + LAST.len() + MODES.len();
        let columns =
            FIXED.len() + 3 * triples + 2 * (PERCENTILES.len() + LEVELS.len() + 1) + 4 * JUDGED.len() + 2;
        assert!(text.lines().all(|line| line.split('\t').count() == columns));
        assert_eq!(text.lines().count(), 1 + summary.comparisons[0].tests.len());
        assert!(!text.contains(['\u{1b}', '\0']));
    }

    #[test]
    fn levels_and_later_costs_have_columns_of_their_own() {
        let (summary, ..) = fixture::releases();
        let text = tsv(&summary);
        let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let (names, cells) = lines.next().zip(lines.next()).expect("a header and a row");
        let of = |name: &str| cells[names.iter().position(|one| *one == name).expect(name)];
        assert_eq!((of("base_level0_mb"), of("level0_mb"), of("base_level2_mb")), ("40", "41.6", "1650"));
        assert_eq!((of("level1_mb"), of("level7_mb"), of("base_background_cpu_us")), ("0", "", "6.2"));
    }

    #[test]
    fn numbers_keep_six_digits() {
        let shown =
            [2.02, 10_100.0, 0.000_123_456_7, 123_456_789.0, f64::NAN].map(|value| number(Some(value)));
        assert_eq!(shown, ["2.02", "10100", "0.000123457", "123456789", ""]);
    }
}
