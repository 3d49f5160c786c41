//! Another base, or some of the subjects, for a report of blocks that are on record.
//!
//! ```text
//!   the run      A  B  C  D     base A
//!   chosen       C  A           base C
//!   renumbered   C is 0, A is 1; B and D, left out, are 2 and 3, beyond the plan's subjects
//! ```
//!
//! Only numbers of subjects change, so that all analysis is the same as of a run with that base. Slices of subjects that
//! are left out stay in their blocks: a warm-up is found in the time of all slices, and a gap between two slices is
//! one only if no other slice ran in it. A block without a slice of the new base gives no ratio.

use humdrum_model::{Choice, Fault, Results, Subject};

/// The chosen subjects as numbers in the plan, the base first and the others in the order of the run. Without a base,
/// that is the base of the run; without `others`, they are all other subjects.
///
/// # Errors
/// Usage for a name that no subject has, or several, and where nothing is left to compare.
pub fn choose(subjects: &[Subject], base: Option<&str>, others: &[String]) -> Result<Vec<usize>, Fault> {
    let base = base.map_or(Ok(0), |name| find(subjects, name))?;
    let named = others.iter().map(|name| find(subjects, name)).collect::<Result<Vec<usize>, Fault>>()?;
    let is_chosen = |subject: &usize| *subject != base && (others.is_empty() || named.contains(subject));
    let rest: Vec<usize> = (0..subjects.len()).filter(is_chosen).collect();
    if rest.is_empty() {
        let what = format!("no subject is left to compare with {}", subjects[base].label);
        return Err(Fault::usage(what).hint(format!("name others with --subjects: {}", listed(subjects))));
    }
    Ok(std::iter::once(base).chain(rest).collect())
}

/// The subject of a name: its label or what could be typed for it, else the only one whose label or typed form begins so.
fn find(subjects: &[Subject], name: &str) -> Result<usize, Fault> {
    let those = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let fits = |one: &Subject| is(&one.label) || is(&one.to_string()) || is(&one.typed());
        (0..subjects.len()).filter(|number| fits(&subjects[*number])).collect()
    };
    let labelled = subjects.iter().position(|one| one.label == name);
    let exact = labelled.map_or_else(|| those(&|text| text == name), |number| vec![number]);
    let found = if exact.is_empty() { those(&|text| text.starts_with(name)) } else { exact };
    match found[..] {
        [only] if !name.is_empty() => Ok(only),
        [] => Err(refused(subjects, format!("no subject `{name}` in these results"))),
        _ => Err(refused(subjects, format!("`{name}` names several subjects of these results"))),
    }
}

fn refused(subjects: &[Subject], what: String) -> Fault {
    Fault::usage(what).hint(format!("subjects: {}", listed(subjects)))
}

fn listed(subjects: &[Subject]) -> String {
    subjects.iter().map(Subject::typed).collect::<Vec<_>>().join(", ")
}

/// What a report says of the run beside the chosen subjects; `None` if they are the run's own, in its order.
pub fn choice(subjects: &[Subject], chosen: &[usize]) -> Option<Choice> {
    let is_whole = chosen.iter().copied().eq(0..subjects.len());
    (!is_whole).then(|| Choice {
        measured: subjects.iter().map(|subject| subject.label.clone()).collect(),
        typed: subjects.iter().map(Subject::typed).collect(),
    })
}

/// Whether the labels are in the order of the run, so that they can be a series.
pub(crate) fn in_order(labels: &[String], choice: Option<&Choice>) -> bool {
    let place = |label: &String| choice?.measured.iter().position(|one| one == label);
    labels.windows(2).all(|pair| place(&pair[0]) <= place(&pair[1]))
}

/// Results in which the chosen subjects are the only ones, in this order; the first is the base. The chosen ones in the
/// run's own order are the results as they are.
#[must_use]
pub fn rebased(mut results: Results, chosen: &[usize]) -> Results {
    let numbers = Numbers::after(chosen, results.plan.subjects.len());
    results.plan.subjects = picked(&results.plan.subjects, chosen);
    results.subjects = picked(&results.subjects, chosen);
    for session in &mut results.sessions {
        session.subjects.iter_mut().for_each(|subject| *subject = numbers.of(*subject));
        session.subjects.sort_unstable();
    }
    for slice in results.blocks.iter_mut().flat_map(|block| &mut block.slices) {
        slice.subject = numbers.of(slice.subject);
    }
    numbers.keep(&mut results.loads, |one| &mut one.subject);
    numbers.keep(&mut results.latencies, |one| &mut one.subject);
    numbers.keep(&mut results.states, |one| &mut one.subject);
    numbers.keep(&mut results.debts, |one| &mut one.subject);
    numbers.keep(&mut results.examinations, |one| &mut one.subject);
    numbers.keep(&mut results.query_plans, |one| &mut one.subject);
    numbers.keep(&mut results.plan_runs, |one| &mut one.subject);
    numbers.keep(&mut results.steps, |one| &mut one.subject);
    numbers.keep(&mut results.run_rates, |one| &mut one.subject);
    for file in results.plan.imported.iter_mut().flat_map(|imported| &mut imported.files) {
        file.subjects.retain_mut(|subject| numbers.renumber(subject));
    }
    results.events.retain_mut(|event| event.subject.as_mut().is_none_or(|subject| numbers.renumber(subject)));
    results
}

fn picked<T: Clone>(all: &[T], chosen: &[usize]) -> Vec<T> {
    chosen.iter().filter_map(|number| all.get(*number).cloned()).collect()
}

/// The new number of each subject, by its number in the run.
struct Numbers {
    new: Vec<usize>,
    chosen: usize,
}

impl Numbers {
    fn after(chosen: &[usize], subjects: usize) -> Self {
        let left_out = (0..subjects).filter(|number| !chosen.contains(number));
        let order: Vec<usize> = chosen.iter().copied().chain(left_out).collect();
        let new = |number: usize| order.iter().position(|one| *one == number).unwrap_or(number);
        Self { new: (0..subjects).map(new).collect(), chosen: chosen.len() }
    }

    /// The new number of a subject.
    fn of(&self, number: usize) -> usize {
        self.new.get(number).copied().unwrap_or(number)
    }

    /// Writes the new number; returns whether it is that of a chosen subject.
    fn renumber(&self, number: &mut usize) -> bool {
        *number = self.of(*number);
        *number < self.chosen
    }

    /// Renumbers what is known of chosen subjects, and leaves out what is known of others.
    fn keep<T>(&self, rows: &mut Vec<T>, subject: fn(&mut T) -> &mut usize) {
        rows.retain_mut(|row| self.renumber(subject(row)));
    }
}

#[cfg(test)]
mod tests;
