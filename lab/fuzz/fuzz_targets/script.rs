//! Scripts: a script that is accepted is run once, with every statement taken as sent.
#![no_main]

use humdrum_contract::Random;
use humdrum_fuzz::text;
use humdrum_workload_script::{Action, Script, Source, Value, Variables};
use libfuzzer_sys::fuzz_target;

/// Commands of one run: jumps lead forward alone, so a run that takes longer never ends.
const COMMANDS_MOST: usize = 100_000;

fuzz_target!(|input: &[u8]| {
    let text = text(input);
    let script = match Script::parse(&Source { file: "t.sql", text: &text }) {
        Ok(script) => script,
        Err(fault) => {
            assert_eq!(fault.exit_code(), 2);
            assert!(fault.to_string().starts_with("t.sql:"), "{fault}");
            return;
        }
    };
    let mut variables = Variables::new(&script.names, Random::new(1));
    let (mut at, mut commands) = (0, 0);
    while let Some(command) = script.commands.get(at) {
        commands += 1;
        assert!(commands < COMMANDS_MOST, "the script never ends");
        at += 1;
        match &command.action {
            Action::Sql(_) => {}
            Action::Set { variable, value } => match value.evaluate(&mut variables) {
                Ok(value) => variables.values[*variable] = value,
                Err(_) => return,
            },
            Action::Unless { condition, target } => match condition.evaluate(&mut variables) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => at = *target,
                Err(_) => return,
            },
            Action::Jump(target) => at = *target,
        }
    }
});
