//! What the language refuses, where, and what it says to type instead. Reading and computing never panic.

use humdrum_contract::Random;
use humdrum_workload_script::{Action, Script, Source, Value, Variables};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Script, String> {
    let parsed = Script::parse(&Source { file: "t.sql", text });
    parsed.map_err(|fault| {
        assert_eq!(fault.exit_code(), 2);
        let hint = fault.hint.as_ref().map(|hint| format!(" [{hint}]")).unwrap_or_default();
        format!("{fault}{hint}")
    })
}

#[test]
fn mistakes_are_named_with_file_line_and_column() {
    for (text, wanted) in [
        ("\\set a randon(1, 2)", "t.sql:1:8: no function `randon` [did you mean random()?]"),
        ("\\set a random(1)", "t.sql:1:8: random takes 2 arguments, not 1"),
        (
            "\n \\set aid 1\nSELECT :adi;",
            "t.sql:3:8: no variable `adi` is set before this place [did you mean `:aid`?]",
        ),
        (
            "\\set a :a + 1",
            "t.sql:1:8: no variable `a` is set before this place [set it first: \\set a random(1, 100)]",
        ),
        (
            "\\set a 1;",
            "t.sql:1:9: `;` has no meaning in an expression [a line that starts with a backslash ends without a semicolon]",
        ),
        ("\\set a scale", "t.sql:1:8: `scale` is not a value [a variable is written with a colon: :scale]"),
        ("\\set a (1 + 2", "t.sql:1:14: `)` is missing at the end"),
        ("\\set a 1 +", "t.sql:1:11: a value is missing at the end of the expression"),
        ("\\set a 1 2", "t.sql:1:10: the expression ends before `2`"),
        ("\\set a 1 < 2 < 3", "t.sql:1:14: comparisons do not follow one another [write a < b and b < c]"),
        ("\\set a 12ab", "t.sql:1:8: `12ab` is neither a number nor a name"),
        ("\\set a 9223372036854775808", "t.sql:1:8: the number 9223372036854775808 is too large"),
        (
            "\\set a debug(1)",
            "t.sql:1:8: the function debug of pgbench is not offered [nothing is printed during a measurement]",
        ),
        (
            "\\set",
            "t.sql:1:5: a variable's name is missing: letters, digits and _, no digit first [\\set id random(1, 100)]",
        ),
        ("\\st a 1", "t.sql:1:1: no command \\st [did you mean \\set?]"),
        (
            "\\sleep 1",
            "t.sql:1:1: \\sleep of pgbench is not offered [an operation has no pauses, because only work is measured]",
        ),
        (
            "SELECT 1 \\; SELECT 2;",
            "t.sql:1:10: `\\;` is not offered [end the statement with `;`: each one is sent by itself]",
        ),
        ("\\endif", "t.sql:1:1: no \\if is open before this \\endif"),
        ("\\if 1\n\\else\n\\elif 1\n\\endif", "t.sql:3:1: \\elif follows \\else"),
        ("\\if 1\n\\else\n\\else\n\\endif", "t.sql:3:1: \\else follows \\else"),
        ("\\if 1\n\\else 1\n\\endif", "t.sql:2:7: nothing may follow \\else on its line"),
        ("SELECT 1;\n\\if 1", "t.sql:2:1: no \\endif closes this \\if"),
        ("\\if\n\\endif", "t.sql:1:4: a value is missing at the end of the expression"),
    ] {
        assert_eq!(parse(text).expect_err("refused"), wanted);
    }
    let deep = format!("\\set a {}", "(".repeat(100_000));
    assert!(parse(&deep).expect_err("refused").ends_with("has more than 1000 words"));
    let nested = format!("\\set a {}", "-".repeat(500));
    assert!(parse(&nested).expect_err("refused").ends_with("nested more than 100 deep"));
}

#[test]
fn mistakes_of_pipelines_are_named_likewise() {
    for (text, wanted) in [
        (
            "\\startpipeline\nSELECT 1;\n",
            "t.sql:1:1: no \\endpipeline closes this \\startpipeline [write \\endpipeline behind the last statement]",
        ),
        (
            "\\startpipeline\n\\startpipeline\n",
            "t.sql:2:1: a pipeline is open already [end it first: \\endpipeline]",
        ),
        (
            "SELECT 1;\n\\endpipeline",
            "t.sql:2:1: no pipeline is open here [begin one before its first statement: \\startpipeline]",
        ),
        (
            "\\startpipeline\n\\endpipeline\n\\syncpipeline",
            "t.sql:3:1: no pipeline is open here [begin one before its first statement: \\startpipeline]",
        ),
        ("\\startpipeline 1", "t.sql:1:16: nothing may follow \\startpipeline on its line"),
        ("\\startpipelin", "t.sql:1:1: no command \\startpipelin [did you mean \\startpipeline?]"),
        (
            "\\startpipeline\n\\if 1\nSELECT 1;\n\\else\nSELECT 2 \\gset\n\\endif\n\\endpipeline",
            "t.sql:5:1: \\gset and \\aset are not allowed in a pipeline: the answer is read at its end [move the statement in front of \\startpipeline, or behind \\endpipeline]",
        ),
        (
            "\\if 1\n\\startpipeline\n\\else\n\\startpipeline\n\\endif\nSELECT 1;\n",
            "t.sql:4:1: no \\endpipeline closes this \\startpipeline [write \\endpipeline behind the last statement]",
        ),
    ] {
        assert_eq!(parse(text).expect_err("refused"), wanted);
    }
}

/// What depends on the branches that are taken is left to the run.
#[test]
fn pipelines_may_begin_and_end_in_branches() {
    for text in [
        "\\if 1\n\\startpipeline\n\\endif\nSELECT 1;\n\\if 1\n\\endpipeline\n\\endif",
        "\\if 1\n\\startpipeline\n\\else\n\\startpipeline\n\\syncpipeline\n\\endif\nSELECT 1;\n\\endpipeline",
        "\\startpipeline\n\\endpipeline\n\\startpipeline\n\\endpipeline\nSELECT 1 \\gset",
    ] {
        assert!(parse(text).is_ok(), "{text}");
    }
}

#[test]
fn answers_are_kept_at_the_end_of_a_statement_alone() {
    for (text, wanted) in [
        (
            "SELECT 1; \\gset",
            "t.sql:1:11: no open statement is before this \\gset [write it in place of the semicolon: SELECT 1 AS one \\gset]",
        ),
        ("SELECT 1 \\aset a b", "t.sql:1:18: \\aset takes at most one word, a prefix"),
        (
            "SELECT 1 AS one \\gset p_\nSELECT :one, :p_one;",
            "t.sql:2:8: no variable `one` is set before this place [set it first: \\set one random(1, 100)]",
        ),
    ] {
        assert_eq!(parse(text).expect_err("refused"), wanted);
    }
}

/// Text that looks like scripts, so that the parser gets far into it.
fn scriptlike() -> impl Strategy<Value = String> {
    let words = [
        "\\set a ",
        "\\if ",
        "\\elif ",
        "\\else",
        "\\endif",
        "\\gset ",
        "\\aset p_",
        "\\startpipeline",
        "\\syncpipeline",
        "\\endpipeline",
        "\n",
        ";",
        ":a",
        "::",
        "'",
        "\"",
        "$$",
        "$t$",
        "/*",
        "*/",
        "--",
        "(",
        ")",
        "\\",
        "\\\n",
        "random",
        ",",
        "1",
        "1e",
        ".5",
        "case ",
        "when ",
        "then ",
        "end ",
        "not ",
        " is ",
        "null ",
        "+",
        "-",
        "~",
        "<",
        "é",
        "E'",
        "9223372036854775808",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn reading_never_panics(arbitrary in any::<String>(), scriptlike in scriptlike()) {
        for text in [arbitrary, scriptlike] {
            match parse(&text) {
                Ok(script) => prop_assert!(script.statements().all(|sql| !sql.pieces.is_empty())),
                Err(what) => prop_assert!(what.starts_with("t.sql:"), "{}", what),
            }
        }
    }

    #[test]
    fn computing_never_panics(a in any::<i64>(), b in any::<i64>(), c in any::<f64>(), shape in 0..12_usize) {
        let shapes = [
            ":a + :b", ":a * :b - :a", ":a / :b", ":a % :b", ":a << :b", ":a >> :b", "abs(:a)", "random(:a, :b)",
            "random_zipfian(:a, :b, :c)", "random_gaussian(:a, :b, :c)", "random_exponential(:a, :b, :c)",
            "int(:c) + :a",
        ];
        let text = format!("\\set a 1\n\\set b 1\n\\set c 1\n\\set d {}", shapes[shape]);
        let script = parse(&text).expect("a script");
        let Action::Set { value, .. } = &script.commands[3].action else { panic!("\\set") };
        let mut variables = Variables::new(&script.names, Random::new(a as u64));
        variables.values[4..7].copy_from_slice(&[Value::Int(a), Value::Int(b), Value::Double(c)]);
        match value.evaluate(&mut variables) {
            Ok(value) => prop_assert_ne!(value, Value::Null),
            Err(fault) => prop_assert_eq!(fault.exit_code(), 2),
        }
    }
}
