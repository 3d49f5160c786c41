//! A scripted session, and clients over it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humdrum_contract::{
    Answer, Client, Connection, Dialect, Fetched, Operation, Outcome, Param, ParamType, Pipeline, RowSource,
    SchemaSql, Seat, SqlSession, Statement, Workload,
};
use humdrum_model::{Fault, Scale};
use humdrum_workload_script::{Folder, Own};

/// What was sent, and the faults and answers that come next.
#[derive(Default)]
pub struct Server {
    pub texts: Vec<String>,
    pub sent: Vec<String>,
    pub faults: VecDeque<Option<Fault>>,
    pub answer: Fetched,
    /// Statements of the pipeline, and its first fault.
    pub piped: (u64, Option<Fault>),
    /// Statements that are prepared each time.
    pub each_time: usize,
}

#[derive(Clone, Default)]
pub struct Session(pub Arc<Mutex<Server>>);

impl Session {
    fn take(&self, text: String) -> Outcome<u64> {
        let mut server = self.0.lock().expect("no panic");
        server.sent.push(text);
        server.faults.pop_front().flatten().map_or(Ok(1), Err)
    }

    fn with_params(&self, statement: Statement, params: &[Param<'_>]) -> String {
        let text = self.0.lock().expect("no panic").texts[statement.0 as usize].clone();
        format!("{text} {params:?}").replace(" []", "")
    }

    pub fn sent(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic").sent)
    }
}

impl SqlSession for Session {
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.take(sql.to_owned()).map(|_| Vec::new())
    }

    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        assert!(params.iter().all(|param| *param == ParamType::Inferred));
        let mut server = self.0.lock().expect("no panic");
        server.texts.push(sql.to_owned());
        Ok(Statement(server.texts.len() as u32 - 1))
    }

    fn prepare_each_time(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement> {
        self.0.lock().expect("no panic").each_time += 1;
        self.prepare(sql, params)
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.take(self.with_params(statement, params))
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.take(sql.to_owned())
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.run(statement, params).map(|rows| Answer { rows, checksum: 7 })
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.run_text(sql).map(|rows| Answer { rows, checksum: 7 })
    }

    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched> {
        self.take(self.with_params(statement, params))?;
        Ok(self.0.lock().expect("no panic").answer.clone())
    }

    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched> {
        self.take(sql.to_owned())?;
        Ok(self.0.lock().expect("no panic").answer.clone())
    }

    fn load(&mut self, _table: &str, _columns: &[&str], _rows: &mut dyn RowSource) -> Outcome<u64> {
        Err(Fault::usage("not asked for here"))
    }

    fn set_timeout(&mut self, _timeout: Duration) -> Outcome<()> {
        Ok(())
    }

    fn pipeline(&mut self) -> Option<&mut dyn Pipeline> {
        Some(self)
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}

impl Pipeline for Session {
    fn begin(&mut self, checked: bool) {
        let mut server = self.0.lock().expect("no panic");
        server.piped = (0, None);
        server.sent.push(format!("<{}", if checked { " checked" } else { "" }));
    }

    fn send(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        let taken = self.take(self.with_params(statement, params));
        let piped = &mut self.0.lock().expect("no panic").piped;
        match taken {
            Ok(rows) if piped.1.is_none() => piped.0 += rows,
            Ok(_) => {}
            Err(fault) => drop(piped.1.get_or_insert(fault)),
        }
        Ok(())
    }

    fn sync(&mut self) -> Outcome<()> {
        self.take("|".to_owned()).map(drop)
    }

    fn end(&mut self, each: &mut dyn FnMut(Answer)) -> Outcome<()> {
        let (count, fault) = {
            let mut server = self.0.lock().expect("no panic");
            server.sent.push(">".to_owned());
            std::mem::take(&mut server.piped)
        };
        (0..count).for_each(|_| each(Answer { rows: 1, checksum: 7 }));
        fault.map_or(Ok(()), Err)
    }
}

pub struct Plain;

impl Dialect for Plain {
    fn placeholder(&self, n: usize) -> String {
        format!("${n}")
    }

    fn serial_primary_key(&self) -> &'static str {
        ""
    }

    fn table_options(&self) -> &'static str {
        ""
    }

    fn settle(&self, _tables: &[String]) -> Vec<String> {
        Vec::new()
    }

    fn table_checksum(&self, _table: &str) -> String {
        String::new()
    }

    fn table_bytes(&self, _table: &str) -> String {
        String::new()
    }

    fn prewarm(&self, _table: &str) -> Vec<String> {
        Vec::new()
    }

    fn schema(&self) -> Option<SchemaSql> {
        Some(SchemaSql {
            names: &["plain"],
            session: &["SET NAMES x"],
            schema: "",
            empty: |_| Vec::new(),
            tables: "",
            columns: "",
            checksum: |_, _| String::new(),
            settle: |_| Vec::new(),
            analyze: |_| String::new(),
        })
    }
}

/// A client of test `a` (or the mix, if the keys have one) over a session.
pub fn client(keys: &str, a: &str, session: &Session) -> Box<dyn Client> {
    let folder = tempfile::tempdir().expect("a folder");
    let tests = "[[test]]\nname = \"a\"\nfile = \"a.sql\"\n[[test]]\nname = \"b\"\nfile = \"b.sql\"\n";
    let workload = format!("name = \"w\"\n{keys}\n{tests}");
    for (file, text) in
        [("workload.toml", &*workload), ("schema.sql", ""), ("a.sql", a), ("b.sql", "SELECT 'b';")]
    {
        std::fs::write(folder.path().join(file), text).expect("written");
    }
    let own = Own::new(Folder::read(folder.path()).expect("a folder"));
    let test = if keys.contains("mix") { "mix" } else { "a" };
    let scale = Scale { clients: 4, more: [("scale".to_owned(), 3)].into(), ..Scale::default() };
    let seat = Seat { test, scale: &scale, number: 2, compat: false };
    let client = own.client(&seat, Connection::Sql(Box::new(session.clone())), Some(&Plain));
    assert_eq!(session.sent().last().map(String::as_str), Some("SET NAMES x"));
    client.expect("a client")
}

pub fn operation(seed: u64) -> Operation {
    Operation { seed, number: 0 }
}
