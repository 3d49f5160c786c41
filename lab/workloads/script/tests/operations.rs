//! Operations over a scripted session: what is sent, what is kept of answers, and what is run again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humdrum_contract::{
    Answer, Client, Column, Connection, Dialect, Fetched, Operation, Outcome, Param, ParamType, Pipeline,
    RowSource, SchemaSql, Seat, SqlSession, Statement, Workload,
};
use humdrum_model::{Fault, Scale};
use humdrum_workload_script::{Folder, Own};

/// What was sent, and the faults and answers that come next.
#[derive(Default)]
struct Server {
    texts: Vec<String>,
    sent: Vec<String>,
    faults: VecDeque<Option<Fault>>,
    answer: Fetched,
    /// Statements of the pipeline, and its first fault.
    piped: (u64, Option<Fault>),
    /// Statements that are prepared each time.
    each_time: usize,
}

#[derive(Clone, Default)]
struct Session(Arc<Mutex<Server>>);

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

    fn sent(&self) -> Vec<String> {
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

struct Plain;

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
fn client(keys: &str, a: &str, session: &Session) -> Box<dyn Client> {
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

fn operation(seed: u64) -> Operation {
    Operation { seed, number: 0 }
}

#[test]
fn values_are_parameters_of_inferred_types() {
    let session = Session::default();
    let text =
        "\\set n null\n\\set d 1 / 4.0\n\\set t 1 < 2\nSELECT :client_id, :scale, :n, :d, :t;\nEND WORK;";
    let mut prepared = client("", text, &session);
    assert_eq!(prepared.operate(operation(1)), Ok(2));
    let first = "SELECT $1, $2, $3, $4, $5 [Long(2), Long(3), Null, Text(\"0.25\"), Bool(true)]";
    assert_eq!(session.sent(), [first, "COMMIT"]);
    let mut simple = client("protocol = \"simple\"", text, &session);
    assert_eq!(simple.operate(operation(1)), Ok(2));
    assert_eq!(session.sent(), ["SELECT 2, 3, NULL, 0.25, true", "COMMIT"]);
}

#[test]
fn an_answer_gives_variables_named_after_its_columns() {
    let session = Session::default();
    let column = |name: &str, is_integer| Column { name: name.into(), is_integer };
    let columns =
        vec![column("price", true), column("code", false), column("gone", true), column("other", false)];
    let texts = [Some("12"), Some("007"), None, Some("x")].map(|text| text.map(str::to_owned));
    let answer = Fetched { columns, rows: vec![texts.to_vec()] };
    session.0.lock().expect("no panic").answer = answer.clone();
    let text = "SELECT 1 \\gset p_\n\\set total :p_price * 2 + :p_code\nSELECT :total, :p_code, :p_gone;";
    let mut one = client("", text, &session);
    let checked = one.operate_checked(operation(1)).expect("done");
    assert_eq!(session.sent()[1], "SELECT $1, $2, $3 [Long(31), Text(\"007\"), Null]");
    assert_eq!(checked.rows, 2);
    assert_ne!(checked.checksum, 7, "the kept answer counts");

    session.0.lock().expect("no panic").answer.rows.clear();
    let fault = one.operate(operation(1)).expect_err("no row");
    assert!(
        fault.to_string().ends_with("a.sql:1:1: \\gset expects one row, and the answer has 0"),
        "{fault}"
    );
    let mut any = client("", &text.replace("gset", "aset"), &session);
    let fault = any.operate(operation(1)).expect_err("no value");
    assert!(fault.to_string().ends_with("a.sql:2:1: the variable `p_price` has no value here"), "{fault}");
    session.0.lock().expect("no panic").answer.rows = vec![vec![None; 4], answer.rows[0].clone()];
    assert_eq!(any.operate(operation(1)), Ok(3));
}

#[test]
fn a_transaction_that_was_rolled_back_is_run_again_with_the_same_numbers() {
    let session = Session::default();
    let text = "BEGIN;\n\\set x random(1, 1000000)\nUPDATE t SET a = :x;\nCOMMIT;\nSELECT 1;";
    let mut client = client("", text, &session);
    client.operate(operation(5)).expect("done");
    let whole = session.sent();
    let deadlock = || Some(Fault::environment("deadlock").retryable());
    session.0.lock().expect("no panic").faults =
        [None, deadlock(), None, None, None, None, deadlock()].into();
    assert_eq!(
        client.operate(operation(5)),
        Ok(3),
        "rows of an UPDATE, and of what was rolled back do not count"
    );
    let again: Vec<String> = [&whole[..2], &["ROLLBACK".to_owned()], &whole[..], &whole[3..]].concat();
    assert_eq!(session.sent(), again);
    session.0.lock().expect("no panic").faults = [None, Some(Fault::environment("no table"))].into();
    let fault = client.operate(operation(5)).expect_err("refused");
    assert!(fault.to_string().ends_with("a.sql:3:1: no table"), "{fault}");
}

#[test]
fn a_pipeline_gives_the_answers_of_its_statements_one_by_one() {
    let session = Session::default();
    let lines = ["\\startpipeline\n", "\\syncpipeline\n", "\\endpipeline\n"];
    let text = format!(
        "\\set a 3\n{}SELECT :a;\n{}UPDATE t SET a = :a;\nINSERT INTO t VALUES (1);\n{}SELECT 2;\n",
        lines[0], lines[1], lines[2]
    );
    let plain = lines.iter().fold(text.clone(), |text, line| text.replace(line, ""));
    let mut piped = client("protocol = \"extended\"", &text, &session);
    assert_eq!(session.0.lock().expect("no panic").each_time, 4);
    let answer = piped.operate_checked(operation(1)).expect("done");
    let sent = [
        "< checked",
        "SELECT $1 [Long(3)]",
        "|",
        "UPDATE t SET a = $1 [Long(3)]",
        "INSERT INTO t VALUES (1)",
        ">",
        "SELECT 2",
    ];
    assert_eq!(session.sent(), sent);
    assert_eq!(answer, client("", &plain, &session).operate_checked(operation(1)).expect("done"));
    assert_eq!(answer.rows, 3, "rows of an UPDATE do not count");
    session.sent();
    let fault = || Some(Fault::environment("no table"));
    session.0.lock().expect("no panic").faults = [None, None, fault()].into();
    let told = piped.operate(operation(1)).expect_err("refused").to_string();
    assert!(told.ends_with("a.sql:5:1: no table"), "{told}");
}

/// Answers in a pipeline are not known before its end, and what its branches do is known when it runs.
#[test]
fn pipelines_in_branches_are_checked_when_they_run() {
    let session = Session::default();
    let begin = "\\if :client_id = 2\n\\startpipeline\n\\endif\n";
    for (text, wanted) in [
        ("SELECT 1 \\gset", "a.sql:4:1: \\gset and \\aset are not allowed in a pipeline"),
        ("SELECT 1;\n\\startpipeline\nSELECT 1;\n\\endpipeline", "a.sql:5:1: a pipeline is open already"),
        ("SELECT 1;", "a.sql:2:1: no \\endpipeline closes this \\startpipeline"),
        ("SELECT 1 / (:client_id - 2);\n\\set a 1 / 0", "a.sql:5:1: division by zero"),
    ] {
        let mut client = client("", &format!("{begin}{text}\n"), &session);
        let told = client.operate(operation(1)).expect_err("refused").to_string();
        assert!(told.contains(wanted), "{told}");
        assert_eq!(session.sent().last().map(String::as_str), Some(">"), "the session can be used again");
    }
    let closed = format!("{begin}SELECT 1;\n\\if :client_id = 2\n\\endpipeline\n\\endif\n");
    assert_eq!(client("", &closed, &session).operate(operation(1)), Ok(1));
    assert_eq!(session.sent(), ["<", "SELECT 1", ">"]);
    let never = closed.replace("= 2", "= 1");
    assert_eq!(client("", &never, &session).operate(operation(1)), Ok(1));
    assert_eq!(session.sent(), ["SELECT 1"]);
}

/// A pipeline is run again while nothing of it is committed.
#[test]
fn a_pipeline_that_was_rolled_back_is_run_again() {
    let deadlock = || Some(Fault::environment("deadlock").retryable());
    let [one, two] = ["UPDATE t SET a = 1", "UPDATE t SET a = 2"];
    for (text, faults, again) in [
        ("<BEGIN;1;2;COMMIT;>", 2, true),
        ("<1;2;>", 1, true),
        ("BEGIN;<1;|2;>COMMIT;", 3, true),
        ("BEGIN;<1;2;COMMIT;>", 3, true),
        ("<BEGIN;1;>2;COMMIT;", 2, true),
        ("<1;|2;>", 2, false),
        ("<BEGIN;1;COMMIT;2;>", 3, false),
        ("<BEGIN;1;|COMMIT;2;>", 1, false),
    ] {
        let session = Session::default();
        let text = text.replace("1;", &format!("{one};\n")).replace("2;", &format!("{two};\n"));
        let text = text.replace("BEGIN;", "BEGIN;\n").replace("COMMIT;", "COMMIT;\n");
        let marks = [("<", "\\startpipeline\n"), ("|", "\\syncpipeline\n"), (">", "\\endpipeline\n")];
        let script = marks.iter().fold(text.clone(), |text, (mark, line)| text.replace(mark, line));
        let mut client = client("", &script, &session);
        let rows = client.operate(operation(5)).expect("done");
        let whole = session.sent();
        let mut scripted: VecDeque<Option<Fault>> = (0..faults).map(|_| None).collect();
        scripted.push_back(deadlock());
        session.0.lock().expect("no panic").faults = scripted;
        match client.operate(operation(5)) {
            Ok(found) => {
                assert!(again && found == rows, "{text}: {found}, not {rows}");
                let sent = session.sent();
                let rolled = sent.iter().position(|text| text == "ROLLBACK").expect("rolled back");
                assert_eq!(sent[rolled + 1..], whole, "{text}");
            }
            Err(fault) => assert!(!again && fault.retryable, "{text}: {fault}"),
        }
    }
}

#[test]
fn a_mix_runs_its_scripts_by_weight_and_by_seed() {
    let session = Session::default();
    let mut client = client("mix = { a = 1, b = 3 }", "SELECT 'a';", &session);
    let mut run = || {
        for seed in 0..4000 {
            assert_eq!(client.operate(operation(seed)), Ok(1));
        }
        session.sent()
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    let a = first.iter().filter(|text| *text == "SELECT 'a'").count();
    assert!((900..1100).contains(&a), "{a} of 4000");
}
