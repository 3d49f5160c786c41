//! A server: starts, stops, freezes and thaws in virtual time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, Outcome, Probe, Process, Server};
use humdrum_model::{Fault, Interface, SubjectFacts};

use crate::dialect::FakeDialect;
use crate::kv::FakeKvSession;
use crate::probe::FakeProbe;
use crate::session::FakeSession;
use crate::state::{Life, State};

const START: Duration = Duration::from_millis(120);
const STOP: Duration = Duration::from_millis(60);
const CONNECT: Duration = Duration::from_millis(1);
/// What SIGSTOP and SIGCONT cost on an ordinary host.
const SIGNAL: Duration = Duration::from_micros(5);

pub(crate) struct FakeServer {
    pub state: Arc<State>,
    pub home: PathBuf,
    pub facts: SubjectFacts,
    pub interface: Interface,
}

impl FakeServer {
    fn become_life(&self, from: Life, to: Life) -> Outcome<()> {
        self.state.clock.sleep(SIGNAL);
        match self.state.life() {
            life if life == from || life == to => self.state.set_life(to),
            // A server that hangs can be stopped and woken; it goes on hanging.
            Life::Hung => {}
            Life::Stopped | Life::Dead | Life::Running | Life::Frozen => {
                return Err(self.explain(Fault::crash("the server is not running")));
            }
        }
        Ok(())
    }
}

impl Server for FakeServer {
    fn start(&mut self) -> Outcome<()> {
        self.state.clock.sleep(START);
        if self.state.script.rejects_setting {
            self.state.log("fake: unrecognized configuration parameter, as ordered");
            let fault = Fault::usage("the server rejects a setting").hint("leave out +rejects_setting");
            return Err(self.explain(fault));
        }
        let breaks = self.state.script.breaks.as_ref();
        if breaks.is_some_and(|release| self.facts.version == format!("fake {release}")) {
            self.state.log("fake: this release does not start, as ordered");
            return Err(self.explain(Fault::crash("the server does not start")));
        }
        self.state.begin();
        self.state.log("fake: ready to accept connections");
        Ok(())
    }

    fn stop(&mut self) -> Outcome<()> {
        self.state.clock.sleep(STOP);
        self.state.set_life(Life::Stopped);
        self.state.log("fake: shut down");
        Ok(())
    }

    fn freeze(&mut self) -> Outcome<()> {
        self.state.stop_in_place(true);
        self.become_life(Life::Running, Life::Frozen)
    }

    fn thaw(&mut self) -> Outcome<()> {
        self.state.stop_in_place(false);
        self.become_life(Life::Frozen, Life::Running)
    }

    fn is_running(&self) -> bool {
        !matches!(self.state.life(), Life::Stopped | Life::Dead)
    }

    fn processes(&self) -> Vec<Process> {
        Vec::new()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        Ok(self.facts.clone())
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        self.state.clock.sleep(CONNECT);
        self.state.answers(self.state.starts(), timeout).map_err(|fault| self.explain(fault))?;
        let state = Arc::clone(&self.state);
        Ok(match self.interface {
            Interface::Kv => Connection::Kv(Box::new(FakeKvSession::new(state, timeout))),
            _ => Connection::Sql(Box::new(FakeSession::new(state, timeout))),
        })
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        (self.interface != Interface::Kv).then_some(&FakeDialect)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.state.clock) as Arc<dyn Clock>
    }

    fn probes(&self) -> Vec<Box<dyn Probe>> {
        let of = |kv| FakeProbe { state: Arc::clone(&self.state), kv };
        vec![Box::new(of(self.interface == Interface::Kv))]
    }

    fn data_folder(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn log_tail(&self) -> Option<String> {
        self.state.log_tail()
    }

    fn log_file(&self) -> Option<PathBuf> {
        None
    }

    fn how_to_connect(&self) -> String {
        "a fake server lives inside humdrum: there is nothing to connect to".to_owned()
    }

    fn detach(&mut self) -> Outcome<u32> {
        Err(Fault::usage("a fake server cannot outlive humdrum")
            .hint("start a real engine with `humdrum up`"))
    }
}
