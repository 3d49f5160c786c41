//! The language, construct by construct: the values of expressions, and what scripts do. Values of expressions without
//! variables are those of pgbench.

use humdrum_contract::Random;
use humdrum_workload_script::{Action, Script, Source, Value, Variables};

fn parse(text: &str) -> Script {
    Script::parse(&Source { file: "t.sql", text }).expect("a script")
}

/// Runs a script; returns its statements with the values of their variables.
fn run(text: &str, seed: u64) -> Vec<String> {
    let script = parse(text);
    let mut variables = Variables::new(&script.names, Random::new(seed));
    variables.values[..4].fill(Value::Null);
    let (mut sent, mut at) = (Vec::new(), 0);
    while let Some(command) = script.commands.get(at) {
        at += 1;
        match &command.action {
            Action::Sql(sql) => {
                let of = sql.variables();
                sent.push(sql.text(|number| variables.values[of[number - 1]].to_string()));
            }
            Action::Set { variable, value } => {
                variables.values[*variable] = value.evaluate(&mut variables).expect("a value");
            }
            Action::Sample { .. } => unreachable!("these scripts name no files"),
            Action::Unless { condition, target } => {
                at = if condition.evaluate(&mut variables).expect("a value").holds() { at } else { *target };
            }
            Action::Jump(target) => at = *target,
            Action::Pipeline(_) => {}
        }
    }
    sent
}

/// The text of an expression's value.
fn value(expression: &str) -> String {
    run(&format!("\\set v {expression}\n:v;"), 1).remove(0)
}

/// What an expression without variables is refused with when it is computed.
fn refusal(expression: &str) -> String {
    let script = parse(&format!("\\set v {expression}"));
    let Action::Set { value, .. } = &script.commands[0].action else { panic!("\\set") };
    let mut variables = Variables::new(&script.names, Random::new(1));
    value.evaluate(&mut variables).expect_err("refused").to_string()
}

#[test]
fn operators_and_their_precedence() {
    for (expression, wanted) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("7 / 2.0", "3.5"),
        ("10 - 4 - 3", "3"),
        ("1 | 2 + 4", "7"),
        ("5 & 3 | 8", "9"),
        ("6 # 3", "5"),
        ("1 << 4 >> 1", "8"),
        ("~1 + 2", "-4"),
        ("~1 & 7", "6"),
        ("- 3 + + 4", "1"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-9223372036854775808 / 1", "-9223372036854775808"),
        ("1 < 2 and 2 >= 2", "true"),
        ("1 <> 1 or 1 != 2", "true"),
        ("not 1 = 2", "true"),
        ("not false and false", "false"),
        ("true or true and false", "true"),
        ("1 = 2 is true", "false"),
        ("null is null", "true"),
        ("1 is not null", "true"),
        ("null isnull and 1 notnull", "true"),
        ("not 12345 is null isnull", "true"),
        ("not 7 is null notnull", "false"),
        ("1 + null", "NULL"),
        ("null and false", "NULL"),
        ("false and null", "false"),
        ("true or 1 / 0 = 1", "true"),
        ("1 = 1.0", "true"),
        ("5 % 3.4", "2"),
        ("case when 1 > 2 then 3 when 1 then 4 else 5 end", "4"),
        ("case when null then 1 end", "NULL"),
        (".5 + 1e2", "100.5"),
        ("1 \\\n + 1", "2"),
    ] {
        assert_eq!(value(expression), wanted, "{expression}");
    }
}

#[test]
fn functions() {
    for (expression, wanted) in [
        ("abs(-5)", "5"),
        ("abs(-5.5)", "5.5"),
        ("LEAST(3, 1, 2)", "1"),
        ("least(3, 1.5)", "1.5"),
        ("greatest(3, 1, 2, 4, 0)", "4"),
        ("mod(7, 3)", "1"),
        ("sqrt(2.25)", "1.5"),
        ("exp(0)", "1"),
        ("ln(1)", "0"),
        ("pi()", "3.14159265358979"),
        ("int(2.5)", "2"),
        ("int(5.4 + 3.8)", "9"),
        ("double(5432)", "5432"),
        ("power(2, 10)", "1024"),
        ("pow(2, -1)", "0.5"),
        ("hash(5432) = hash_murmur2(5432, 0)", "true"),
        ("hash_fnv1a(0, 1) <> hash_fnv1a(0)", "true"),
        ("permute(3, 10, 5)", "9"),
        ("permute(3, 10) = permute(3, 10, 0)", "true"),
        ("abs(null)", "NULL"),
        ("random(3, 3)", "3"),
        ("random_zipfian(3, 3, 1.5)", "3"),
    ] {
        assert_eq!(value(expression), wanted, "{expression}");
    }
}

#[test]
fn values_that_cannot_be_computed_are_refused() {
    for (expression, wanted) in [
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("9223372036854775807 + 1", "the result for 9223372036854775807 and 1 is too large for an integer"),
        (
            "-9223372036854775808 / -1",
            "the result for -9223372036854775808 and -1 is too large for an integer",
        ),
        ("true + 1", "a value of type boolean (true) is not an integer"),
        ("1 and true", "a value of type integer (1) is not a boolean"),
        ("int(1e30)", "1000000000000000000000000000000 is too large for an integer"),
        ("permute(1, 0)", "the size of a permutation must be greater than 0, not 0"),
        ("random(2, 1)", "the range from 2 to 1 is empty"),
        ("random_gaussian(1, 9, 1)", "the parameter of random_gaussian must be 2 or more, not 1"),
    ] {
        assert_eq!(refusal(expression), wanted, "{expression}");
    }
}

#[test]
fn conditions_choose_one_branch() {
    let script = |x: i32| {
        format!(
            "\\set x {x}\n\\if :x = 1\nONE;\n\\if false\nNEVER;\n\\endif\n\\elif :x = 2\nTWO;\n\\else\nOTHER;\n\\endif\nALWAYS;"
        )
    };
    for (x, wanted) in [(1, "ONE"), (2, "TWO"), (3, "OTHER")] {
        assert_eq!(run(&script(x), 1), [wanted, "ALWAYS"]);
    }
    assert_eq!(run("\\if null\nA;\n\\endif", 1), [""; 0]);
}

#[test]
fn an_operation_is_a_pure_function_of_its_seed() {
    let text = "\\set a random(1, 1000000)\n\\set b random_zipfian(1, 1000000, 1.1)\nSELECT :a, :b;";
    assert_eq!(run(text, 7), run(text, 7));
    assert_ne!(run(text, 7), run(text, 8));
}

/// pgbench's own script, as `pgbench --show-script=tpcb-like` prints it.
#[test]
fn the_tpcb_script_of_pgbench_is_read_unchanged() {
    let text = "\\set aid random(1, 100000 * :scale)\n\\set bid random(1, 1 * :scale)\n\
        \\set tid random(1, 10 * :scale)\n\\set delta random(-5000, 5000)\nBEGIN;\n\
        UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n\
        SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n\
        UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;\n\
        UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;\n\
        INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);\nEND;\n";
    let script = parse(text);
    let statements: Vec<String> =
        script.statements().map(|sql| sql.text(|number| format!("${number}"))).collect();
    assert_eq!(statements.len(), 7);
    assert_eq!(statements[1], "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2");
    assert_eq!(script.names.all()[4..], ["aid", "bid", "tid", "delta"]);
}
