//! A folder as a workload of the lab.

use std::sync::Arc;

use humdrum_contract::{
    Client, Clock, Connection, Dialect, Engine, Interrupt, Outcome, Progress, Seat, Server, Workload,
};
use humdrum_model::{Contents, Fault, Interface, LoadFacts, Phase, Quantity, Scale, TestInfo};
use humdrum_workload_common::housekeep;

use crate::client::{self, Part};
use crate::condition;
use crate::dump::Statistics;
use crate::effect::Effect;
use crate::folder::{Folder, ScriptTest};
use crate::machine::Machine;
use crate::parse::{Action, Script};
use crate::tables;
use crate::written::MIX;

/// The key of `--scale` that gives `:scale`.
const SCALE: &str = "scale";

/// Bytes of one row with its part of an index, roughly.
const BYTES_PER_ROW: u64 = 200;

/// First words of statements that have a plan.
const PLANNED: [&str; 5] = ["DELETE", "SELECT", "TABLE", "UPDATE", "WITH"];

/// A user's own workload.
pub struct Own {
    folder: Folder,
    fingerprint: String,
    /// By test, in the order of the folder.
    scripts: Vec<Arc<Script>>,
}

impl Own {
    /// The workload of a folder.
    pub fn new(folder: Folder) -> Self {
        let scripts = folder.tests.iter().map(|test| Arc::new(test.script.clone())).collect();
        Self { fingerprint: folder.fingerprint(), scripts, folder }
    }

    /// The folder that it is.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Scripts with their weights. A test that is no mix is a single script.
    fn parts(&self, test: &str) -> Outcome<Vec<Part>> {
        let part = |number: usize, weight| (Arc::clone(&self.scripts[number]), weight);
        if let Some(number) = self.folder.tests.iter().position(|one| one.name == test) {
            return Ok(vec![part(number, 1)]);
        }
        if test == MIX && !self.folder.mix.is_empty() {
            return Ok(self.folder.mix.iter().map(|(number, weight)| part(*number, *weight)).collect());
        }
        Err(Fault::usage(format!("no test `{test}` in {}", self.folder.name)))
    }

    fn mix(&self) -> Option<TestInfo> {
        let mix = &self.folder.mix;
        let total: u64 = mix.iter().map(|(_, weight)| weight).sum();
        let each =
            mix.iter().map(|(number, weight)| format!("{} ({weight})", self.folder.tests[*number].name));
        let operation = format!("one run of a script, chosen by weight out of {total}: {}", {
            each.collect::<Vec<_>>().join(", ")
        });
        let effect = mix.iter().map(|(number, _)| self.folder.tests[*number].effect).max()?;
        let long = mix.iter().all(|(number, _)| self.folder.tests[*number].long);
        let scripts = mix.iter().map(|(number, _)| self.folder.tests[*number].name.clone()).collect();
        Some(TestInfo { name: MIX.into(), group: MIX.into(), scripts, ..info(operation, effect, long) })
    }
}

fn info_of(test: &ScriptTest) -> TestInfo {
    let statements = test.script.statements().count();
    let plural = if statements == 1 { "" } else { "s" };
    let operation = format!("one run of {}, {statements} statement{plural}", test.file);
    let operation = test.about.as_ref().map_or(operation.clone(), |about| format!("{about}; {operation}"));
    TestInfo { name: test.name.clone(), group: test.group.clone(), ..info(operation, test.effect, test.long) }
}

fn info(operation: String, effect: Effect, long: bool) -> TestInfo {
    let (writes, phase) = match effect {
        Effect::Reads => (false, Phase::Aged),
        Effect::Changes => (true, Phase::Write),
        Effect::Resizes => (true, Phase::Resize),
    };
    TestInfo {
        operation,
        statements: 1,
        writes,
        long,
        phase,
        also: vec![effect.group().into()],
        ..TestInfo::default()
    }
}

/// The value of `:scale`.
fn scale_of(scale: &Scale) -> u64 {
    scale.more.get(SCALE).copied().unwrap_or(1)
}

impl Workload for Own {
    fn name(&self) -> &str {
        &self.folder.name
    }

    fn about(&self) -> &str {
        self.folder.about.as_deref().unwrap_or("a user's own workload")
    }

    fn fingerprint(&self) -> Option<&str> {
        Some(&self.fingerprint)
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    /// Scripts with a pipeline need an engine that has pipelines.
    fn suits(&self, engine: &dyn Engine, tests: &[TestInfo]) -> Outcome<()> {
        for test in tests {
            let parts = self.parts(&test.name)?;
            parts.iter().try_for_each(|(script, _)| script.suits(engine))?;
        }
        Ok(())
    }

    fn tests(&self, _compat: bool) -> Vec<TestInfo> {
        self.folder.tests.iter().map(info_of).chain(self.mix()).collect()
    }

    fn scales(&self) -> Vec<Scale> {
        let scale = |name: &str, scale| {
            let more = [(SCALE.to_owned(), scale)].into();
            Scale { name: name.to_owned(), clients: 1, more, ..Scale::default() }
        };
        self.folder.scales.iter().map(|one| scale(&one.name, one.scale)).collect()
    }

    /// Rows follow from the scale. Without them, plans take the load for short.
    fn fit(&self, scale: &mut Scale, said: &[&str]) -> Outcome<()> {
        let size = match self.folder.rows_at(scale_of(scale)) {
            0 => (0, 0),
            rows => (rows, 1),
        };
        let other = (scale.rows, scale.tables) != size;
        if let Some(key) = said.iter().find(|key| other && ["rows", "tables"].contains(key)) {
            let fault = Fault::usage(format!("the size of {} is not given by {key}", self.folder.name));
            return Err(fault.hint("type --scale scale=10, which is the value of :scale in its scripts"));
        }
        (scale.rows, scale.tables) = size;
        Ok(())
    }

    fn bytes(&self, scale: &Scale) -> u64 {
        let rows = scale.rows.saturating_mul(BYTES_PER_ROW);
        // Tables with their indexes are about twice as large as their text.
        self.folder.dump.as_ref().map_or(rows, |dump| rows.max(dump.bytes.saturating_mul(2)))
    }

    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        tables::load(&self.folder, server, (scale_of(scale), seed), progress, interrupt)
    }

    fn prewarm(&self, server: &mut dyn Server, _scale: &Scale) -> Outcome<()> {
        match self.folder.statistics {
            // They are there since the load, or came with its copy.
            Statistics::Import => Ok(()),
            Statistics::Renew => tables::renew_statistics(server),
        }
    }

    fn inspect(&self, server: &mut dyn Server, _scale: &Scale) -> Outcome<Option<LoadFacts>> {
        tables::inspect(server).map(Some)
    }

    fn client(
        &self,
        seat: &Seat<'_>,
        connection: Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>> {
        let mut session = connection.into_sql()?;
        let dialect = dialect.ok_or_else(client::no_schema)?;
        tables::schema_sql(Some(dialect))?.begin(&mut *session)?;
        let parts = self.parts(seat.test)?;
        client::open(&parts, self.folder.protocol, session, dialect, (seat.number, scale_of(seat.scale)))
    }

    fn state(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        _scale: &Scale,
    ) -> Outcome<Vec<Quantity>> {
        tables::state(connection.sql()?, dialect.ok_or_else(client::no_schema)?)
    }

    /// With several clients, what scripts leave behind may depend on the order of their operations.
    fn contents(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<Option<Contents>> {
        if scale.clients > 1 {
            return Ok(None);
        }
        tables::contents(connection.sql()?, &tables::schema_sql(dialect)?).map(Some)
    }

    fn conditions(&self) -> usize {
        self.folder.conditions.len()
    }

    fn check_conditions(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<()> {
        condition::check(&self.folder.conditions, connection.sql()?, dialect, scale_of(scale))
    }

    /// Up to the first statement whose values come from an answer.
    fn sample_statements(&self, test: &str, scale: &Scale) -> Vec<String> {
        let mut samples = Vec::new();
        for (script, _) in self.parts(test).unwrap_or_default() {
            let mut machine = Machine::new(Arc::clone(&script), 0, scale_of(scale));
            machine.begin(1);
            while let Ok(Some(command)) = machine.next() {
                let mut text = String::new();
                let Action::Sql(sql) = &script.commands[command].action else { continue };
                if machine.write(sql, &mut text).is_ok() && has_plan(&text) {
                    samples.push(text);
                }
            }
        }
        samples
    }

    fn post_write(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        _scale: &Scale,
        clock: &dyn Clock,
        interrupt: &Interrupt,
    ) -> Outcome<()> {
        let (session, sql) = (connection.sql()?, tables::schema_sql(dialect)?);
        let tables = tables::tables(session, &sql)?;
        let Some(dialect) = dialect.filter(|_| !tables.is_empty()) else { return Ok(()) };
        housekeep(session, &dialect.post_write(&tables), clock, interrupt)
    }
}

fn has_plan(text: &str) -> bool {
    let word = text.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    PLANNED.contains(&word.to_ascii_uppercase().as_str())
}
