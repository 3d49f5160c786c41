//! What a pass finds.

use super::*;
use crate::event::Value;
use crate::literal::value;

fn scanned(text: &str, dialect: Dialect) -> (u64, Vec<String>) {
    let mut found = Scanned::default();
    scan(text, dialect, &mut found);
    let given = [Value::Text("g1".into())];
    let shown = |one: &Literal| match value(text, one, &given) {
        Value::Null => "NULL".to_owned(),
        Value::Number(number) => number.into(),
        Value::Text(text) => format!("'{text}'"),
    };
    (found.shape, found.literals.iter().map(shown).collect())
}

fn values(text: &str, dialect: Dialect) -> Vec<String> {
    scanned(text, dialect).1
}

fn alike(left: &str, right: &str, dialect: Dialect) -> bool {
    scanned(left, dialect).0 == scanned(right, dialect).0
}

#[test]
fn values_of_all_kinds_are_found() {
    use Dialect::{MySql, Postgres};
    let text = "SELECT a1, x.b2 - 3 FROM t WHERE c = -5 AND d = 'it''s' AND e IN (1.5e-3, .5, 0x1F) LIMIT $1";
    assert_eq!(values(text, Postgres), ["3", "-5", "'it's'", "1.5e-3", ".5", "0x1F", "'g1'"]);
    assert_eq!(values(r"SELECT E'a\'b\n', $q$ it's $q$, $$x$$", Postgres), ["'a'b\n'", "' it's '", "'x'"]);
    assert_eq!(values(r#"SELECT 'a\'b', "c""d" # no 7"#, MySql), ["'a'b'", "'c\"d'"]);
    assert_eq!(values("SELECT \"a 1\", `b 2` -- 5\n FROM t /* 9 */", Postgres), Vec::<String>::new());
    assert_eq!(values("SELECT x'1F', b'01'", Postgres), Vec::<String>::new(), "bytes are part of the shape");
    for cut_off in ["SELECT 'abc", "SELECT $$abc", "SELECT \"abc", "SELECT /* abc", "$9", "-", "1e", "E'\\"] {
        values(cut_off, Postgres);
        values(cut_off, MySql);
    }
}

#[test]
fn shapes_differ_by_words_and_not_by_values_or_blanks() {
    use Dialect::{MySql, Postgres};
    assert!(alike("SELECT a FROM t WHERE id = 1;", "SELECT  a\n FROM t -- x\n WHERE id=22", Postgres));
    assert!(alike("SELECT a FROM t WHERE id = -1", "SELECT a FROM t WHERE id = 1", Postgres));
    assert!(alike("SELECT 'a;'", "SELECT 'b'", MySql));
    assert!(!alike("SELECT a FROM t", "SELECT b FROM t", Postgres));
    assert!(!alike("SELECT ab FROM t", "SELECT a b FROM t", Postgres));
    assert!(!alike("SELECT a -5", "SELECT -5", Postgres));
    assert!(!alike("SELECT x'1F'", "SELECT x'2F'", Postgres));
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(text in "[ -~äé\\n\\t'\"$\\\\]{0,60}") {
        for dialect in [Dialect::Postgres, Dialect::MySql] {
            let mut found = Scanned::default();
            scan(&text, dialect, &mut found);
            let mut last = 0;
            for literal in &found.literals {
                assert!(last <= literal.start && literal.start < literal.end && literal.end <= text.len());
                last = literal.end;
                value(&text, literal, &[]);
            }
        }
    }
}
