//! Statements whose query plans differ between the two servers. Plans are compared without costs, estimates and
//! timings, which differ from run to run.

use humdrum_model::{PlanChange, PlanRows, PlanRun, QueryPlan, Results};

/// Beginnings of lines that are not part of a plan.
const NOT_PLAN: [&str; 7] =
    ["Execution", "Functions:", "JIT:", "Options: Inlining", "Planning", "Query Identifier:", "Settings:"];
/// Beginnings of estimates, and of what a run told, within a line.
const ESTIMATES: [&str; 6] =
    ["  (cost=", " (cost=", "  (rows=", " (actual ", " (never executed)", " (never run)"];

/// Statements whose plans differ, in the order of the record.
pub(crate) fn plans(results: &Results, test: &str, subject: usize) -> Vec<PlanChange> {
    let change = |(base, other): (&QueryPlan, &QueryPlan)| {
        let [before, after] = comparable(results, base, other)?;
        let (base_told, base_rows) = with_rows(results, base);
        let (subject_told, subject_rows) = with_rows(results, other);
        (before != after && !before.is_empty() && !after.is_empty()).then(|| PlanChange {
            statement: base.statement.clone(),
            base: before,
            subject: after,
            base_told,
            subject_told,
            base_rows,
            subject_rows,
        })
    };
    pairs(results, test, subject).filter_map(change).collect()
}

/// Whether there are statements of which the two servers told plans in different forms, so that these were not compared.
pub(crate) fn not_comparable(results: &Results, test: &str, subject: usize) -> bool {
    pairs(results, test, subject).any(|(base, other)| comparable(results, base, other).is_none())
}

/// Both plans of each statement.
fn pairs<'r>(
    results: &'r Results,
    test: &str,
    subject: usize,
) -> impl Iterator<Item = (&'r QueryPlan, &'r QueryPlan)> {
    let ours = move |plan: &&QueryPlan| plan.test == test;
    let of = move |number| results.query_plans.iter().filter(ours).filter(move |plan| plan.subject == number);
    of(0).filter_map(move |base| Some((base, of(subject).find(|plan| plan.statement == base.statement)?)))
}

/// Two plans of one statement in one form: as told, or else as a run of the statement told them.
fn comparable(results: &Results, base: &QueryPlan, other: &QueryPlan) -> Option<[Vec<String>; 2]> {
    let same_form = |[before, after]: [Vec<String>; 2]| {
        let both = !before.is_empty() && !after.is_empty();
        (!both || is_tree(&before) == is_tree(&after)).then_some([before, after])
    };
    let ran = |plan| match run_of(results, plan)? {
        PlanRows::Told(lines) => Some(normalised(lines)),
        PlanRows::NotTold(_) => None,
    };
    same_form([base, other].map(|plan| normalised(&plan.lines)))
        .or_else(|| same_form([ran(base)?, ran(other)?]))
}

/// MySQL's optimizers tell a plan as a table or as a tree.
fn is_tree(lines: &[String]) -> bool {
    lines.first().is_some_and(|line| line.trim_start().starts_with("-> "))
}

fn run_of<'r>(results: &'r Results, plan: &QueryPlan) -> Option<&'r PlanRows> {
    let same = |one: &&PlanRun| {
        (one.subject, &one.test, &one.statement) == (plan.subject, &plan.test, &plan.statement)
    };
    results.plan_runs.iter().find(same).map(|run| &run.rows)
}

/// Whether the subject `other` of a proof runs the statements as the base does whose plans differ between the base and the first
/// subject. `None` where none differs, or `other` was not asked.
pub(crate) fn restored(results: &Results, test: &str, other: usize) -> Option<bool> {
    let same = |change: &PlanChange| {
        let own = |plan: &&QueryPlan| (&*plan.test, plan.subject) == (test, other);
        let plan = results.query_plans.iter().filter(own).find(|plan| plan.statement == change.statement)?;
        let lines = normalised(&plan.lines);
        (is_tree(&lines) == is_tree(&change.base)).then(|| lines == change.base)
    };
    let known: Vec<bool> = plans(results, test, 1).iter().filter_map(same).collect();
    (!known.is_empty()).then(|| known.iter().all(|same| *same))
}

/// The lines of the plan, without estimates.
pub(crate) fn normalised(lines: &[String]) -> Vec<String> {
    let kept = lines.iter().filter(|line| is_plan(line)).map(|line| without_estimates(line));
    kept.filter(|line| !line.trim().is_empty()).collect()
}

/// Statements of a test whose plans differ between some of these subjects, in the order of the record.
pub fn plans_differ(plans: &[QueryPlan], test: &str, subjects: &[usize]) -> Vec<String> {
    let mut seen: Vec<(&str, Vec<String>)> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    for plan in plans.iter().filter(|plan| plan.test == test && subjects.contains(&plan.subject)) {
        let lines = normalised(&plan.lines);
        match seen.iter().find(|(statement, _)| *statement == plan.statement) {
            _ if lines.is_empty() || found.contains(&plan.statement) => {}
            None => seen.push((&plan.statement, lines)),
            Some((_, first)) if *first == lines => {}
            Some(_) => found.push(plan.statement.clone()),
        }
    }
    found
}

/// A plan as its server told it, with actual rows if a run told them in the same form; else what the run told.
fn with_rows(results: &Results, plan: &QueryPlan) -> (Vec<String>, Option<PlanRows>) {
    let estimated = told(&plan.lines);
    match run_of(results, plan) {
        Some(PlanRows::Told(lines)) => {
            let run = told(lines);
            let plain = normalised(&run);
            // A run adds lines: rows that a filter removed, how a sort was done.
            match normalised(&plan.lines).iter().all(|line| plain.contains(line)) {
                true => (run, None),
                false => (estimated, Some(PlanRows::Told(run))),
            }
        }
        other => (estimated, other.cloned()),
    }
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

    fn ran(subject: usize, rows: PlanRows) -> PlanRun {
        PlanRun { test: "t".into(), subject, statement: "s".into(), rows }
    }

    #[test]
    fn actual_rows_are_shown_with_the_plan_or_below_it() {
        let index = "Index Scan using k_1 on t  (cost=0.29..8.31 rows=1 width=4)";
        let scan = "Seq Scan on t  (cost=0.00..9.00 rows=7 width=4)\n  Filter: (k = 5)";
        let run = lines(
            "Seq Scan on t  (cost=0.00..9.00 rows=7 width=4) (actual rows=3 loops=1)\n  Filter: (k = 5)\n  \
             Rows Removed by Filter: 9\nPlanning Time: 0.1 ms\nExecution Time: 1 ms",
        );
        let why = "too old".to_owned();
        let plan_runs = vec![ran(0, PlanRows::NotTold(why)), ran(1, PlanRows::Told(run))];
        let found = plans(&Results { plan_runs, ..planned(&[(0, index), (1, scan)]) }, "t", 1);
        let [base, subject] = found[0].shown();
        assert_eq!(base, [index, "actual rows are not told: too old"]);
        assert_eq!(subject[0], "Seq Scan on t  (cost=0.00..9.00 rows=7 width=4) (actual rows=3 loops=1)");
        assert_eq!(subject[2..], ["  Rows Removed by Filter: 9"]);

        let tree = lines("-> Table scan on t  (cost=0.7 rows=4) (actual rows=4 loops=1)");
        let plan_runs = vec![ran(1, PlanRows::Told(tree.clone()))];
        let found = plans(&Results { plan_runs, ..planned(&[(0, index), (1, "table=t  (rows=4)")]) }, "t", 1);
        let shown = &found[0].shown()[1];
        assert_eq!(shown[..2], ["table=t  (rows=4)", "run once, with actual rows:"]);
        assert_eq!(shown[2], format!("  {}", tree[0]));
    }

    #[test]
    fn a_table_and_a_tree_are_compared_by_runs_of_one_form_or_not_at_all() {
        let plain =
            planned(&[(0, "table=t access=ALL  (rows=4)"), (1, "-> Table scan on t  (cost=1 rows=4)")]);
        assert!(plans(&plain, "t", 1).is_empty() && not_comparable(&plain, "t", 1));
        let run = |subject, text: &str| ran(subject, PlanRows::Told(lines(text)));
        let scan = "-> Table scan on t  (cost=9 rows=5) (actual rows=4 loops=1)";
        let same = Results { plan_runs: vec![run(0, scan), run(1, scan)], ..plain.clone() };
        assert!(plans(&same, "t", 1).is_empty() && !not_comparable(&same, "t", 1));
        let other = "-> Index scan on t using k_1  (cost=9 rows=5) (actual rows=4 loops=1)";
        let found = plans(&Results { plan_runs: vec![run(0, other), run(1, scan)], ..plain }, "t", 1);
        assert_eq!(found[0].base, ["-> Index scan on t using k_1"]);
        assert_eq!(found[0].subject, ["-> Table scan on t"]);
    }

    #[test]
    fn lines_without_estimates_are_the_same_after_a_run() {
        let told = "-> Sort: k\n    -> Hash\n    -> Table scan on t  (cost=1 rows=4)";
        let run = "-> Sort: k  (actual rows=3 loops=1)\n    -> Hash  (never executed)\n    \
                   -> Table scan on t  (cost=1 rows=4) (actual rows=4 loops=1)";
        assert_eq!(normalised(&lines(told)), normalised(&lines(run)));
        let table = |end: &str| normalised(&lines(&format!("table=t access=ref{end}")));
        assert_eq!(table("  (rows=1)"), table(" (never run)"));
        let plan_runs = vec![ran(1, PlanRows::Told(lines(run)))];
        let found = plans(&Results { plan_runs, ..planned(&[(0, "-> Index scan on t"), (1, told)]) }, "t", 1);
        assert_eq!(found[0].shown()[1], lines(run));
    }

    #[test]
    fn plans_differ_between_the_subjects_asked_for_alone() {
        let of = |subjects: &[usize]| {
            let plans = planned(&[(0, "A  (rows=1)"), (1, "A  (rows=9)"), (2, "B"), (3, "JIT:")]).query_plans;
            plans_differ(&plans, "t", subjects).len()
        };
        assert_eq!((of(&[0, 1]), of(&[0, 2]), of(&[1, 2, 0]), of(&[0, 3])), (0, 1, 1, 0));
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
