//! Suites of whole steps: session by session, every step on every subject; together, in turns of chunks, or one
//! subject after the other.
//!
//! ```text
//!   together   step 1: base ▓ subject ▓ subject ▓ base ▓ …   step 2: …        each chunk is a block
//!   apart      base: step 1 ▓▓▓▓ step 2 ▓▓▓▓ …   subject: step 1 ▓▓▓▓ …       each step is a block
//! ```

mod aftermath;
mod apart;
mod step;
mod taking;
mod together;

use std::time::Instant;

use humdrum_contract::{Dirs, Progress, Steps, Update, Workload};
use humdrum_model::{Fault, Mode, Plan, Results, SessionInfo, Stage};
use humdrum_record::Store;

use crate::files::Out;
use crate::lab::Lab;

/// What every part of such a run needs.
pub struct Course<'a> {
    pub lab: &'a Lab,
    pub dirs: &'a Dirs,
    pub plan: &'a Plan,
    pub workload: &'a dyn Workload,
    pub steps: &'a dyn Steps,
    pub out: &'a Out,
}

/// Servers, together or apart.
enum Servers<'a> {
    Together(together::Together<'a>),
    Apart(apart::Apart),
}

impl Course<'_> {
    /// Measures what the plan asks for and the store does not hold yet.
    ///
    /// # Errors
    /// Interrupted, or whatever keeps every subject from being measured.
    pub fn measure(&self, store: &mut Store) -> Result<(), Fault> {
        let earlier = store.read()?;
        let mut servers = match self.plan.mode {
            Mode::Interleaved => Servers::Together(together::Together::set_up(self, store)?),
            Mode::Sequential => Servers::Apart(apart::Apart::set_up(self, store)?),
        };
        // Getting a build may take longer than all measuring: the budget is for what comes after.
        let began = Instant::now();
        let outcome = self.sessions(&mut servers, store, &earlier, began);
        store.note_seconds(earlier.seconds + servers.run_seconds(began))?;
        if let Servers::Together(together) = servers {
            together.end(self);
        }
        outcome?;
        store.finish()
    }

    fn sessions(
        &self,
        servers: &mut Servers<'_>,
        store: &mut Store,
        earlier: &Results,
        began: Instant,
    ) -> Result<(), Fault> {
        let mut longest: f64 = 0.0;
        loop {
            let results = store.read()?;
            let spent = earlier.seconds + servers.run_seconds(began);
            let Some(session) = self.next(&results, spent, longest) else { return Ok(()) };
            if results.sessions.iter().all(|known| known.number != session.number) {
                store.append_session(&session)?;
            }
            self.announce(&session);
            let before = servers.run_seconds(began);
            match servers {
                Servers::Together(together) => together.session(self, &session, store, &results)?,
                Servers::Apart(apart) => apart.session(self, &session, store)?,
            }
            store.append_event(&over(&session))?;
            longest = longest.max(servers.run_seconds(began) - before);
            store.note_seconds(earlier.seconds + servers.run_seconds(began))?;
        }
    }

    /// One that was begun and not ended, else a new one, as long as the budget is expected to pay for it.
    fn next(&self, results: &Results, spent: f64, longest: f64) -> Option<SessionInfo> {
        let ended = |session: &SessionInfo| results.events.contains(&over(session));
        if let Some(last) = results.sessions.last().filter(|last| !ended(last)) {
            return Some(last.clone());
        }
        let number = results.sessions.len() as u32;
        let wanted = number < self.plan.design.confirmation_sessions;
        let paid = number == 0 || spent + longest <= self.plan.budget_seconds;
        (wanted && paid).then(|| SessionInfo {
            number,
            stage: Stage::Confirmation,
            restarted: true,
            reloaded: true,
            tests: self.plan.tests.iter().map(|test| test.name.clone()).collect(),
            stretch: 1.0,
            unrecorded: Vec::new(),
        })
    }

    fn announce(&self, session: &SessionInfo) {
        let (number, of) = (session.number + 1, self.plan.design.confirmation_sessions);
        let text = format!("session {number} of at most {of}: {} steps", session.tests.len());
        self.lab.console.update(Update::Step(&text));
    }

    /// A fault that concerns one subject, for people now; the record has it too.
    fn note(&self, subject: usize, fault: &Fault) {
        let text = format!("{}: {fault}", self.plan.subjects[subject].label);
        self.lab.console.update(Update::Note(&text));
    }
}

impl Servers<'_> {
    fn run_seconds(&self, began: Instant) -> f64 {
        match self {
            Self::Together(together) => together.run_seconds(began),
            Self::Apart(apart) => apart.run_seconds(began),
        }
    }
}

/// Marks a session whose every step was done or failed; what `resume` goes by.
fn over(session: &SessionInfo) -> humdrum_model::Event {
    humdrum_model::Event {
        subject: None,
        test: None,
        session: Some(session.number),
        status: humdrum_model::TestStatus::Ok,
        what: "session over".to_owned(),
        log_tail: None,
    }
}
