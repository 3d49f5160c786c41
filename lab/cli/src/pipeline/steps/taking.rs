//! Who still takes part in a session, and what the tables of each subject held after each step: whoever missed a step, or
//! holds other rows than the base, has other data than the rest.

use std::collections::BTreeMap;

use humdrum_model::{Contents, Fault, FaultKind, SessionInfo, TestStatus};
use humdrum_record::Store;

use super::super::cell::Exit;
use super::super::events::failed;
use super::Course;

/// What a step came to.
pub struct Done {
    /// Those that failed, whose servers are ended.
    pub exits: Vec<Exit>,
    /// What the tables of the others hold, where it was summed.
    pub contents: Vec<(usize, Contents)>,
}

/// The subjects of a session.
pub struct Taking<'a> {
    course: &'a Course<'a>,
    session: &'a SessionInfo,
    /// By subject: the first step that does not count for it.
    ends: Vec<usize>,
    held: Held,
}

/// What the tables held, by step and subject: one subject may come to a step long after another.
#[derive(Default)]
struct Held(BTreeMap<(usize, usize), Contents>);

impl Held {
    fn keep(&mut self, number: usize, contents: Vec<(usize, Contents)>) {
        self.0.extend(contents.into_iter().map(|(subject, found)| ((number, subject), found)));
    }

    /// Those that hold other rows after a step than the base, as far as both are known by now.
    fn differing(&self, number: usize, after: &str) -> Vec<Exit> {
        let Some(base) = self.0.get(&(number, 0)) else { return Vec::new() };
        let others = self.0.range((number, 1)..(number + 1, 0));
        others.filter_map(|((_, subject), found)| differs(after, *subject, found, base)).collect()
    }
}

impl<'a> Taking<'a> {
    pub fn new(course: &'a Course<'a>, session: &'a SessionInfo, subjects: usize) -> Self {
        Self { course, session, ends: vec![usize::MAX; subjects], held: Held::default() }
    }

    /// Whether a subject takes part.
    pub fn part(&self, subject: usize) -> bool {
        self.ends[subject] == usize::MAX
    }

    /// Whether there is still a base and somebody to compare it with.
    pub fn compares(&self) -> bool {
        self.part(0) && (1..self.ends.len()).any(|subject| self.part(subject))
    }

    /// Takes in what a step came to; returns those whose part is over, be it because they hold other rows than the base.
    ///
    /// # Errors
    /// The store.
    pub fn take_in(&mut self, done: Done, number: usize, store: &mut Store) -> Result<Vec<usize>, Fault> {
        let Done { mut exits, contents } = done;
        self.held.keep(number, contents);
        let differing = self.held.differing(number, &self.course.plan.tests[number].name);
        exits.extend(differing.into_iter().filter(|exit| number < self.ends[exit.subject]));
        let gone = exits.iter().map(|exit| exit.subject).collect();
        self.leave(exits, number, store)?;
        Ok(gone)
    }

    /// Records why subjects go, for the step in which they failed and for those after it: they do not come to them, or
    /// did them upon data that are of no use.
    ///
    /// # Errors
    /// The store.
    pub fn leave(&mut self, exits: Vec<Exit>, number: usize, store: &mut Store) -> Result<(), Fault> {
        let tests = &self.course.plan.tests;
        for Exit { subject, fault } in exits {
            let end = std::mem::replace(&mut self.ends[subject], number).min(tests.len());
            self.course.note(subject, &fault);
            let what = format!("not compared, because {} failed", tests[number].name);
            let mut event = failed(subject, &tests[number].name, self.session.number, fault);
            store.append_event(&event)?;
            (event.what, event.log_tail, event.status) = (what, None, TestStatus::Failed);
            for later in tests.iter().take(end).skip(number + 1) {
                event.test = Some(later.name.clone());
                store.append_event(&event)?;
            }
        }
        Ok(())
    }
}

fn differs(after: &str, subject: usize, found: &Contents, base: &Contents) -> Option<Exit> {
    let what = format!(
        "after {after} the tables hold {} rows with sum {} where the base's hold {} with sum {}",
        found.rows, found.checksum, base.rows, base.checksum
    );
    (found != base).then(|| Exit { subject, fault: Fault::new(FaultKind::WrongAnswer, what) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(checksum: &str) -> Contents {
        Contents { rows: 7, checksum: checksum.to_owned() }
    }

    #[test]
    fn who_holds_other_rows_is_found_whoever_comes_first() {
        for order in [[0, 1, 2], [2, 1, 0]] {
            let mut held = Held::default();
            let mut found = Vec::new();
            for subject in order {
                let sum = if subject == 2 { "b" } else { "a" };
                held.keep(3, vec![(subject, contents(sum))]);
                // Another step is another matter.
                held.keep(4, vec![(subject, contents(&subject.to_string()))]);
                found = held.differing(3, "l.i2");
            }
            let [Exit { subject: 2, fault }] = &found[..] else { panic!("{} differ", found.len()) };
            assert_eq!(fault.kind, FaultKind::WrongAnswer);
            assert!(fault.what.contains("after l.i2") && fault.what.contains("7 rows with sum b"), "{fault}");
        }
    }

    #[test]
    fn without_the_base_nobody_differs() {
        let mut held = Held::default();
        held.keep(0, vec![(1, contents("a")), (2, contents("b"))]);
        assert!(held.differing(0, "l.i0").is_empty());
    }
}
