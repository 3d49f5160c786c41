//! `-c` and `-C`: is the input sorted?

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use skipsort_external::records::{Disorder, Records};

use crate::fault::{Fault, Result, shown};

/// Checks the input of this name; `aloud` says which line is out of order.
pub(crate) fn run(name: &Path, records: Records<'_>, aloud: bool) -> Result<ExitCode> {
    let found = records.check().map_err(|error| Fault::sorting(error, |error| Fault::reading(name, error)));
    let Some(disorder) = found? else {
        return Ok(ExitCode::SUCCESS);
    };
    if aloud {
        let _ = std::io::stderr().write_all(&message(name, &disorder));
    }
    Ok(ExitCode::from(1))
}

/// What GNU sort says, with our name.
fn message(name: &Path, disorder: &Disorder) -> Vec<u8> {
    let name = if name.as_os_str() == "-" { "-".to_owned() } else { shown(name) };
    let mut message = format!("skipsort: {name}:{}: disorder: ", disorder.number).into_bytes();
    message.extend_from_slice(&disorder.record);
    message.push(b'\n');
    message
}
