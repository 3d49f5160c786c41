//! A plan as this program measures it: checked, and with the files that single subjects name.

use std::fs;
use std::path::Path;

use humdrum_contract::Dirs;
use humdrum_model::{AFTER_LOAD, AfterLoad, Fault, Interface, PlacedStatement, Plan};
use humdrum_plan::Request;
use humdrum_run::Catalogue;
use humdrum_workload_script::{Action, Piece, Script, Source};

/// A larger file is probably data.
const BYTES_MAX: u64 = 1 << 20;

/// Checks a request, and reads the statements of `+after_load=FILE`.
///
/// # Errors
/// Usage: as `humdrum_plan::check`; a file that cannot be read, or that is no list of statements.
pub fn check(request: &Request, catalogue: &Catalogue, dirs: &Dirs) -> Result<Plan, Fault> {
    let mut plan = humdrum_plan::check(request, &catalogue.engines, &catalogue.workloads, dirs)?;
    let interface = catalogue.workload(&plan.suite)?.interface();
    for subject in &plan.subjects {
        let Some(file) = subject.after_load() else { continue };
        if interface != Interface::Sql {
            return Err(Fault::usage("statements are for servers that speak SQL")
                .at(format!("{}: +{AFTER_LOAD}", subject.label)));
        }
        let statements = statements(Path::new(file))
            .map_err(|fault| fault.at(format!("{}: +{AFTER_LOAD}", subject.label)))?;
        plan.after_load.push(AfterLoad { subject: subject.label.clone(), statements });
    }
    Ok(plan)
}

/// The statements of a file.
fn statements(file: &Path) -> Result<Vec<PlacedStatement>, Fault> {
    let shown = file.display().to_string();
    let unreadable = |error: std::io::Error| {
        Fault::usage(format!("{shown} cannot be read: {error}"))
            .hint("name a file of SQL statements, each with a `;` at its end")
    };
    let bytes = fs::metadata(file).map_err(unreadable)?.len();
    if bytes > BYTES_MAX {
        let what = format!("{shown} has {bytes} bytes, and {BYTES_MAX} is the most");
        return Err(Fault::usage(what).hint("rows belong into load.sql or a dump; see docs/your-workload.md"));
    }
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let script = Script::parse(&Source { file: &shown, text: &text })?;
    let statement = |command: &humdrum_workload_script::Command| match &command.action {
        Action::Sql(sql) if sql.keep.is_none() => match &*sql.pieces {
            [Piece::Text(text)] => Ok(PlacedStatement { place: command.place.clone(), text: text.clone() }),
            _ => Err(not_sql(&command.place)),
        },
        _ => Err(not_sql(&command.place)),
    };
    let found = script.commands.iter().map(statement).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() {
        return Err(Fault::usage("there is no statement in it").at(shown));
    }
    Ok(found)
}

fn not_sql(place: &str) -> Fault {
    Fault::usage("only SQL statements can run after a load, without variables")
        .at(place.to_owned())
        .hint("a workload's own load.sql takes the whole language")
}
