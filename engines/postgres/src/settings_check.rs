//! Asks a release's own `postgres` whether it takes a configuration, before any server is started: an unknown
//! option is then the user's typing error and not a crash.

use std::fs;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::guardian::Guarded;

use crate::install::Build;
use crate::log;
use crate::server::{guard_spec, layout};

/// Makes `postgres -C` read the configuration of the server in `home`.
///
/// # Errors
/// Usage, naming the setting and the release.
pub(crate) fn run(build: &Build, home: &Path) -> Outcome<()> {
    let log_file = home.join("settings.log");
    let data = layout::data(home).into_os_string();
    let args = vec!["-D".into(), data, "-C".into(), "max_connections".into()];
    let mut asked = Guarded::spawn(&guard_spec(build, home, "postgres", args, &log_file))?;
    let status = asked.wait(Duration::from_secs(30))?;
    let said = fs::read_to_string(&log_file).unwrap_or_default();
    // Some releases only warn of a name that they do not know and go on.
    match log::complaint(&said) {
        Some(complaint) => Err(refused(build, &complaint)),
        None if status.success() => Ok(()),
        None => {
            Err(Fault::crash(format!("postgres {} cannot read its configuration", build.release)).log(said))
        }
    }
}

/// The fault for what a release says against a setting.
pub(crate) fn refused(build: &Build, complaint: &str) -> Fault {
    Fault::usage(format!("postgres {} does not take a setting: {complaint}", build.release))
        .hint("check its name and value against that release's manual, or leave it out")
}
