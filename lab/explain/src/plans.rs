//! Statements whose query plans differ between the two servers. Plans are compared without costs, estimates and
//! timings, which differ from run to run.

use humdrum_model::{PlanChange, QueryPlan, Results};

/// Beginnings of lines that are not part of a plan.
const NOT_PLAN: [&str; 5] = ["JIT:", "Planning", "Execution", "Settings:", "Query Identifier:"];
/// Beginnings of estimates within a line.
const ESTIMATES: [&str; 3] = ["  (cost=", " (cost=", "  (rows="];

/// Statements whose plans differ, in the order of the record.
pub(crate) fn plans(results: &Results, test: &str, subject: usize) -> Vec<PlanChange> {
    let ours = |plan: &&QueryPlan| plan.test == test;
    let of =
        |number: usize| results.query_plans.iter().filter(ours).filter(move |plan| plan.subject == number);
    let change = |base: &QueryPlan| {
        let other = of(subject).find(|plan| plan.statement == base.statement)?;
        let (before, after) = (normalised(&base.lines), normalised(&other.lines));
        let differ = before != after && !before.is_empty() && !after.is_empty();
        differ.then(|| PlanChange {
            statement: base.statement.clone(),
            base: before,
            subject: after,
            base_told: told(&base.lines),
            subject_told: told(&other.lines),
        })
    };
    of(0).filter_map(change).collect()
}

/// Whether the subject `other` of a proof runs the statements as the base does whose plans differ between the base and the first
/// subject. `None` where none differs, or `other` was not asked.
pub(crate) fn restored(results: &Results, test: &str, other: usize) -> Option<bool> {
    let same = |change: &PlanChange| {
        let own = |plan: &&QueryPlan| (&*plan.test, plan.subject) == (test, other);
        let plan = results.query_plans.iter().filter(own).find(|plan| plan.statement == change.statement)?;
        Some(normalised(&plan.lines) == change.base)
    };
    let known: Vec<bool> = plans(results, test, 1).iter().filter_map(same).collect();
    (!known.is_empty()).then(|| known.iter().all(|same| *same))
}

/// The lines of the plan, without estimates.
pub(crate) fn normalised(lines: &[String]) -> Vec<String> {
    let kept = lines.iter().filter(|line| is_plan(line)).map(|line| without_estimates(line));
    kept.filter(|line| !line.trim().is_empty()).collect()
}

/// The lines of the plan, with estimates.
fn told(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| is_plan(line) && !line.trim().is_empty()).cloned().collect()
}

fn is_plan(line: &str) -> bool {
    !NOT_PLAN.iter().any(|start| line.trim_start().starts_with(start))
}

fn without_estimates(line: &str) -> String {
    let end = ESTIMATES.iter().filter_map(|start| line.find(start)).min().unwrap_or(line.len());
    line[..end].trim_end().to_owned()
}

/// The beginning of a statement, short enough for a sentence.
pub(crate) fn brief(statement: &str) -> String {
    const LETTERS_MAX: usize = 80;
    match statement.char_indices().nth(LETTERS_MAX) {
        Some((end, _)) => format!("{}…", &statement[..end]),
        None => statement.to_owned(),
    }
}

/// Lines that only one of the plans has, marked with its side.
pub(crate) fn difference(change: &PlanChange) -> Vec<String> {
    let only = |here: &[String], there: &[String], mark: &str| -> Vec<String> {
        let own = here.iter().filter(|line| !there.iter().any(|other| other.trim() == line.trim()));
        own.map(|line| format!("{mark} {}", line.trim())).collect()
    };
    let mut lines = only(&change.base, &change.subject, "−");
    lines.extend(only(&change.subject, &change.base, "+"));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn estimates_do_not_make_a_change() {
        let one = lines(
            "Index Scan using k_1 on sbtest1  (cost=0.29..8.31 rows=1 width=120)\n  Index Cond: (k = 5)\nPlanning Time: 0.1 ms",
        );
        let two = lines(
            "Index Scan using k_1 on sbtest1  (cost=0.42..9.99 rows=7 width=121)\n  Index Cond: (k = 5)",
        );
        assert_eq!(normalised(&one), normalised(&two));
        assert_eq!(
            normalised(&lines("-> Covering index range scan  (cost=0.4 rows=1)"))[0],
            "-> Covering index range scan"
        );
    }

    fn planned(plans: &[(usize, &str)]) -> Results {
        let plan = |(subject, text): &(usize, &str)| QueryPlan {
            test: "t".into(),
            subject: *subject,
            statement: "s".into(),
            lines: lines(text),
        };
        Results { query_plans: plans.iter().map(plan).collect(), ..crate::fixture::empty() }
    }

    #[test]
    fn estimates_are_kept_beside_the_plan_that_is_compared() {
        let index = "Index Scan using k_1 on t  (cost=0.29..8.31 rows=1 width=4)";
        let found = plans(
            &planned(&[
                (0, index),
                (1, "Seq Scan on t  (cost=0.00..9.00 rows=7 width=4)\nPlanning Time: 1 ms"),
            ]),
            "t",
            1,
        );
        assert_eq!(found[0].subject, ["Seq Scan on t"]);
        assert_eq!(found[0].subject_told, ["Seq Scan on t  (cost=0.00..9.00 rows=7 width=4)"]);
        assert_eq!(found[0].shown()[0], [index]);
    }

    #[test]
    fn a_setting_restores_a_plan_if_all_statements_have_it_again() {
        let (index, scan) = ("Index Scan using k_1 on t  (rows=1)", "Seq Scan on t  (rows=7)");
        let of = |plans: &[(usize, &str)]| restored(&planned(plans), "t", 2);
        assert_eq!(of(&[(0, index), (1, scan), (2, "Index Scan using k_1 on t  (rows=3)")]), Some(true));
        assert_eq!(of(&[(0, index), (1, scan), (2, scan)]), Some(false));
        // It was not asked, or nothing differs.
        assert_eq!((of(&[(0, index), (1, scan)]), of(&[(0, index), (1, index), (2, scan)])), (None, None));
    }

    #[test]
    fn long_statements_are_cut_between_letters() {
        assert_eq!(brief("SELECT 1"), "SELECT 1");
        assert_eq!(brief(&"é".repeat(200)).chars().count(), 81);
    }

    #[test]
    fn the_difference_is_what_one_has_and_the_other_not() {
        let base = lines("Index Scan using k_1 on t\n  Index Cond: (k = 5)");
        let subject = lines("Seq Scan on t\n  Filter: (k = 5)");
        let change = PlanChange { statement: "s".into(), base, subject, ..PlanChange::default() };
        let told = difference(&change);
        assert_eq!(told[0], "− Index Scan using k_1 on t");
        assert_eq!(told[3], "+ Filter: (k = 5)");
    }
}
