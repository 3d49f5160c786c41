//! Operations over a scripted session: what is sent, what is kept of answers, and what is run again.

mod pipelines;
mod session;

use humdrum_contract::{Column, Fetched};
use humdrum_model::Fault;

use session::{Session, client, operation};

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
