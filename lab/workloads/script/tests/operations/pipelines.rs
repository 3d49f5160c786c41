//! Pipelines over a scripted session.

use std::collections::VecDeque;

use humdrum_model::Fault;

use crate::session::{Session, client, operation};

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
