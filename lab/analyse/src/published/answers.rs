//! What our records say of a claim: how many of its figures go its way, how many go another, and how many lie where it puts them.

use humdrum_model::{Claim, ClaimAnswer, Measured, Verdict};

use super::hosts;
use super::release::{covers, depth, is_same_series};

/// Of a group, when nothing is said, or most of it is meant.
const MOST: &str = "most tests";

/// A claim of no change holds where the interval lies within this of 1, or the verdict is boring.
const SAME: f64 = 0.05;

/// Groups of tests as claims name them, and as results do. `all` is every test.
const GROUPS: [(&str, &str); 6] = [
    ("point", "point"),
    ("range-noagg", "range"),
    ("range-agg", "aggregate"),
    ("writes", "write"),
    ("write-heavy", "write"),
    ("write-heavy", "load"),
];

/// The answer of the ratios of throughputs that plans which ask the claim have on record. `None` where the claim is about another
/// quantity, has no direction, chooses among tests in words, or no figure of its releases and tests is there. The rule: *slower* and
/// *faster* are the verdicts regression and improvement, each the opposite of the other; *same* is a verdict of boring, or an interval within 5 %
/// of 1, and its opposite an interval beyond. What is neither is undecided. A size holds where the claim's range, as far as its digits go,
/// meets the interval.
pub fn answer(claim: &Claim, records: &[Measured]) -> Option<ClaimAnswer> {
    use Verdict::{Improvement, Regression};
    let [holds, opposite]: [fn(&Measured) -> bool; 2] = match claim.direction.as_str() {
        "slower" => [|own| own.verdict == Some(Regression), |own| own.verdict == Some(Improvement)],
        "faster" => [|own| own.verdict == Some(Improvement), |own| own.verdict == Some(Regression)],
        "same" => [is_same, is_other],
        _ => return None,
    };
    let figures: Vec<&Measured> = records.iter().filter(|own| is_of(claim, own)).collect();
    if claim.metric != "rqps" || figures.is_empty() {
        return None;
    }
    let count = |of: &dyn Fn(&Measured) -> bool| figures.iter().filter(|own| of(own)).count() as u64;
    let ratios = || figures.iter().map(|own| own.ratio);
    Some(ClaimAnswer {
        figures: figures.len() as u64,
        holds: count(&holds),
        opposite: count(&opposite),
        of_the_size: claim.ratio.map(|[low, high]| {
            count(&|own: &Measured| {
                let [from, to] = own.interval();
                low <= to && high >= from
            })
        }),
        lowest: ratios().fold(f64::INFINITY, f64::min),
        highest: ratios().fold(f64::NEG_INFINITY, f64::max),
        hosts: hosts(figures.iter().copied()),
    })
}

fn is_same(own: &Measured) -> bool {
    let [low, high] = own.interval();
    own.verdict == Some(Verdict::Boring) || (low >= 1.0 - SAME && high <= 1.0 + SAME)
}

fn is_other(own: &Measured) -> bool {
    let [low, high] = own.interval();
    high < 1.0 - SAME || low > 1.0 + SAME
}

fn is_of(claim: &Claim, own: &Measured) -> bool {
    let plain = |text: &str| !text.contains(char::is_whitespace);
    let depth = depth([&claim.base, &claim.subject, &own.base, &own.subject]);
    let engine = claim.engine.is_empty() || claim.engine == own.engine;
    engine
        && plain(&claim.base)
        && is_same_series(depth, &own.base, &claim.base)
        && covers(depth, &claim.subject, &own.subject)
        && claim.tests.split(',').any(|test| names(test.trim(), own))
}

/// Whether `hot-points`, or `group:point[other than hot-points]`, names the test of a figure. `[most tests]` is all of a group, of which
/// most are to go one way. Other words (`[2 tests]`, `[the rest]`) do not say which tests they are about, and name none.
fn names(test: &str, own: &Measured) -> bool {
    let Some(group) = test.strip_prefix("group:") else { return test == own.test };
    let (group, chosen) = group.trim_end_matches(']').split_once('[').unwrap_or((group, MOST));
    let is_chosen =
        chosen == MOST || chosen.strip_prefix("other than ").is_some_and(|other| other != own.test);
    let is_of =
        group == "all" || GROUPS.iter().any(|(claimed, ours)| *claimed == group && *ours == own.group);
    is_of && is_chosen
}

#[cfg(test)]
mod tests {
    use super::super::tests::own;
    use super::*;

    fn claim(subject: &str, tests: &str, direction: &str) -> Claim {
        let [base, subject, tests, direction] = ["5.6.51", subject, tests, direction].map(str::to_owned);
        Claim { base, subject, tests, direction, metric: "rqps".into(), ..Claim::default() }
    }

    #[test]
    fn figures_of_a_claims_releases_and_tests_are_counted() {
        let mut records = [("scan", 0.8), ("hot-points", 1.2), ("point-query", 1.0)]
            .map(|(test, ratio)| Measured { group: "point".into(), ..own("xeon", test, ratio) });
        records[0].group = "range".into();
        let sized = Claim { ratio: Some([0.795, 0.805]), ..claim("8.0.45", "scan,point-query", "slower") };
        let found = answer(&sized, &records).expect("figures");
        assert_eq!((found.figures, found.holds, found.opposite, found.of_the_size), (2, 1, 0, Some(1)));
        assert_eq!((found.lowest, found.highest, found.hosts), (0.8, 1.0, vec!["xeon".to_owned()]));
        let group = answer(&claim("8.0..9.5", "group:point[most tests]", "faster"), &records).expect("two");
        assert_eq!((group.figures, group.holds, group.opposite, group.of_the_size), (2, 1, 0, None));
        let others = claim("8.0..9.5", "group:point[other than hot-points]", "faster");
        assert_eq!(answer(&others, &records).expect("one").figures, 1);
        for words in ["[the rest]", "[2 tests]"] {
            assert_eq!(answer(&claim("8.0.45", &format!("group:point{words}"), "slower"), &records), None);
        }
        let same = answer(&claim("8.0.36", "group:all", "same"), &records).expect("three");
        assert_eq!((same.figures, same.holds, same.opposite), (3, 1, 2), "one is boring, two are 20 % away");
    }

    #[test]
    fn other_releases_quantities_and_directions_have_no_answer() {
        let records = [own("xeon", "scan", 0.8)];
        let of = |claim: Claim| answer(&claim, &records);
        assert!(of(claim("8.0.36", "scan", "slower")).is_some());
        assert_eq!(of(claim("8.4.7", "scan", "slower")), None);
        assert_eq!(of(claim("8.0.35 perf schema on", "scan", "slower")), None);
        assert_eq!(of(claim("8.0.36", "scan", "mixed")), None);
        assert_eq!(of(Claim { metric: "cpu_per_op".into(), ..claim("8.0.36", "scan", "slower") }), None);
        assert_eq!(of(Claim { base: "5.7.44".into(), ..claim("8.0.36", "scan", "slower") }), None);
        assert_eq!(of(Claim { engine: "postgres".into(), ..claim("8.0.36", "scan", "slower") }), None);
    }
}
