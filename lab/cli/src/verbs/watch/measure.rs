//! The comparison of one new release: measured, gone on with, or told as failed.

use std::path::Path;

use humdrum_model::{Fault, FaultKind, Place, Plan, Subject, Summary, WatchState, WatchedRelease};
use humdrum_plan::{Newer, Request};
use humdrum_record::{ResultsFolder, Store};

use super::FAILED;
use super::state::Kept;
use crate::args::{MeasureOptions, ResumeOptions, WatchOptions};
use crate::judged::{Judged, Wanted, judged};
use crate::lab::Lab;
use crate::planned::check;
use crate::verbs::report::{Shown, present};
use crate::verbs::{compare, resume};

/// What all comparisons of a watch have in common.
pub struct Watched {
    /// As typed.
    pub options: WatchOptions,
    /// The request of each, without its subjects and its folder.
    request: Request,
    /// The plan's base, and how it is typed.
    base: Subject,
    base_typed: String,
    /// Engine and settings of the new releases.
    subject: Subject,
    /// Tests of a comparison.
    pub tests: usize,
    /// Seconds of measuring that a comparison takes at most.
    pub seconds: f64,
}

impl Watched {
    /// Checks that the plan's base and its newest release can be compared as the new ones will be.
    ///
    /// # Errors
    /// As a comparison.
    pub fn new(
        lab: &Lab,
        options: &WatchOptions,
        request: Request,
        plan: &Plan,
        subject: Subject,
    ) -> Result<Self, Fault> {
        let base = plan.subjects.first().cloned().unwrap_or_else(|| subject.clone());
        let base_typed = request.subjects.first().cloned().unwrap_or_default();
        let request = Request {
            budget: options.budget.clone().or(request.budget),
            // Three subjects need more time than a plan of two has.
            budget_grows: true,
            subjects: Vec::new(),
            out: None,
            ..request
        };
        // As many subjects as a new release's comparison has.
        let subjects = vec![base_typed.clone(), format!("before={subject}"), format!("new={subject}")];
        let trial = check(&Request { subjects, ..request.clone() }, &lab.catalogue, &lab.dirs)?;
        let (tests, seconds) = (plan.tests.len(), trial.budget_seconds);
        Ok(Self { options: options.clone(), request, base, base_typed, subject, tests, seconds })
    }

    fn release(&self, version: &str) -> Subject {
        Subject { place: Place::Version(version.to_owned()), ..self.subject.clone() }
    }

    /// Base, the release before the new one if that is another, the new one; as typed.
    fn subjects(&self, one: &Newer) -> Vec<String> {
        let before = self.release(&one.after);
        let is_base = (&before.engine, &before.place, &before.settings)
            == (&self.base.engine, &self.base.place, &self.base.settings);
        let before = (!is_base).then(|| before.to_string());
        let new = self.release(&one.version).to_string();
        std::iter::once(self.base_typed.clone()).chain(before).chain([new]).collect()
    }
}

/// Measures a new release, or goes on with it, and keeps what came of it.
///
/// # Errors
/// Interrupted; environment: what came of it cannot be kept. Whatever else happens is told of the release.
pub fn measure(
    lab: &mut Lab,
    watched: &Watched,
    kept: &mut Kept,
    one: &Newer,
) -> Result<WatchedRelease, Fault> {
    let failures = kept.of(&one.version).map_or(0, |known| known.failures);
    let mut release = WatchedRelease {
        version: one.version.clone(),
        after: before(kept, one),
        folder: one.version.clone(),
        state: WatchState::Begun,
        failures,
        why: None,
        losses: Vec::new(),
        code: None,
    };
    let one = &Newer { after: release.after.clone(), ..one.clone() };
    kept.keep(release.clone())?;
    let folder = kept.folder.join(&release.folder);
    let done = run(lab, watched, one, &folder).and_then(|()| verdicts(lab, watched, &folder, &mut release));
    if let Err(fault) = done {
        if fault.kind == FaultKind::Interrupted {
            let again = format!("humdrum watch {}", watched.options.plan.display());
            return Err(Fault::new(FaultKind::Interrupted, fault.what).hint(again));
        }
        release.failures += 1;
        release.state = WatchState::Failed;
        release.why = Some(fault.to_string());
        set_aside(kept, &release, &folder);
    }
    kept.keep(release.clone())?;
    Ok(release)
}

/// The newest release before it that was not found broken; of a comparison that was begun, the one that it has.
fn before(kept: &Kept, one: &Newer) -> String {
    let begun = kept.of(&one.version).filter(|known| known.state == WatchState::Begun);
    if let Some(begun) = begun {
        return begun.after.clone();
    }
    let mut after = &one.after;
    while !kept.is_usable(after) {
        match kept.of(after) {
            Some(known) => after = &known.after,
            None => break,
        }
    }
    after.clone()
}

fn run(lab: &mut Lab, watched: &Watched, one: &Newer, folder: &Path) -> Result<(), Fault> {
    let out = ResultsFolder { folder: folder.to_owned() };
    match Store::open(&out.results()).and_then(|store| store.read_head()) {
        Ok(head) if head.finished => return Ok(()),
        Ok(_) => {
            let options = ResumeOptions { results: folder.to_owned(), json: None, allow_external: false };
            return resume::go_on(lab, &options, Shown { json: None, table: false }).map(drop);
        }
        // A file that was not made completely before the program was killed.
        Err(_) => out.discard(),
    }
    let subjects = watched.subjects(one);
    let request = Request { subjects, out: Some(folder.to_owned()), ..watched.request.clone() };
    let options = MeasureOptions {
        on_busy: watched.options.on_busy.clone(),
        unseen: true,
        ..MeasureOptions::default()
    };
    compare::measure(lab, request, &options).map(drop)
}

/// Judges a comparison that came to its end.
fn verdicts(lab: &Lab, watched: &Watched, folder: &Path, release: &mut WatchedRelease) -> Result<(), Fault> {
    let out = ResultsFolder { folder: folder.to_owned() };
    let whole = judged(lab, &out, folder, Wanted::default())?;
    if !folder.join("report.html").is_file() {
        present(lab, &out, Shown { json: None, table: false }, &whole)?;
    }
    let Judged { results, summary } = &whole;
    let new = summary.comparisons.last();
    if new.is_none_or(|new| new.tests.iter().all(|test| test.rqps.is_none())) {
        let place = results.plan.subjects.len() - 1;
        let event = results.events.iter().rev().find(|event| event.subject == Some(place));
        let why = event.map_or_else(|| "it gave no result".to_owned(), |event| event.what.clone());
        return Err(Fault::crash(why));
    }
    let beside = beside(lab, &out, summary)?;
    release.losses = humdrum_analyse::watch_losses(summary, beside.as_ref());
    let strict = watched.options.strict || results.plan.strict;
    release.code = Some(humdrum_analyse::watch_code(summary, &release.losses, strict));
    release.state = WatchState::Measured;
    Ok(())
}

/// The same results with the release before the new one as base; `None` where that is the base, or was not measured.
fn beside(lab: &Lab, out: &ResultsFolder, summary: &Summary) -> Result<Option<Summary>, Fault> {
    let [before, new] = &summary.comparisons[..] else { return Ok(None) };
    if before.tests.iter().all(|test| test.rqps.is_none()) {
        return Ok(None);
    }
    let subjects = [new.subject.clone()];
    let wanted = Wanted { base: Some(&before.subject), subjects: &subjects };
    judged(lab, out, &out.folder, wanted).map(|judged| Some(judged.summary))
}

/// Moves the results of a failed attempt away, so that the next one finds its folder empty and no site shows them.
fn set_aside(kept: &Kept, release: &WatchedRelease, folder: &Path) {
    let name = format!("{}-{}", release.version, release.failures);
    let place = kept.folder.join(FAILED).join(name);
    let moved = std::fs::create_dir_all(kept.folder.join(FAILED)).and_then(|()| {
        let _ = std::fs::remove_dir_all(&place);
        std::fs::rename(folder, &place)
    });
    // Without results there is nothing to move.
    if moved.is_err() {
        ResultsFolder { folder: folder.to_owned() }.discard();
    }
}
