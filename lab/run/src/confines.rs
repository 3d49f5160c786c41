//! What a plan confines servers to: memory (`--memory`) and a slower device (`--fsync-delay`), checked before any server is
//! made.

use std::collections::BTreeSet;

use humdrum_contract::Configuration;
use humdrum_model::{Fault, Plan, memory_text};
use humdrum_provision::{cgroup, guardian, hosts};

use crate::catalogue::Catalogue;
use crate::provision::servers_at_once;

/// Checks that this host can confine each server as the plan wants. Removes what killed runs have left. Without limit and
/// delay, does nothing.
///
/// # Errors
/// Usage: the host has less memory than all servers together, does not let this process limit any, or lets it hold back no
/// call.
pub fn check_confines(plan: &Plan, catalogue: &Catalogue) -> Result<(), Fault> {
    check_memory(plan, catalogue)?;
    plan.fsync_delay_us.map_or(Ok(()), |_| guardian::check_fsync_delay())
}

fn check_memory(plan: &Plan, catalogue: &Catalogue) -> Result<(), Fault> {
    let Some(bytes) = plan.memory_bytes else { return Ok(()) };
    fits(bytes, servers_at_once(plan) as u64, hosts::memory_bytes())?;
    cgroup::check().map_err(|fault| {
        let engines = plan.subjects.iter().filter_map(|subject| catalogue.engine(subject).ok());
        let direct = engines.flat_map(|engine| direct(engine.name(), &engine.configurations()));
        with_instead(fault, direct.collect())
    })
}

/// The engine's named configurations that read past the page cache, as they are typed.
fn direct(engine: &str, configurations: &[Configuration]) -> Vec<String> {
    let direct = configurations.iter().filter(|one| one.about.contains("O_DIRECT"));
    direct.map(|one| format!("{engine}@...+{}", one.name)).collect()
}

/// The fault, with the configurations that need no limit.
fn with_instead(fault: Fault, instead: BTreeSet<String>) -> Fault {
    let names: Vec<String> = instead.into_iter().collect();
    match fault.hint.clone() {
        Some(hint) if !names.is_empty() => {
            fault.hint(format!("{hint}; without a limit: {}", names.join(", ")))
        }
        _ => fault,
    }
}

/// A limit that the host's memory does not hold is none: what lacks is taken from the page cache of all.
fn fits(bytes: u64, servers: u64, host: u64) -> Result<(), Fault> {
    if bytes.saturating_mul(servers) <= host {
        return Ok(());
    }
    let [limit, host_text] = [bytes, host >> 20 << 20].map(memory_text);
    let servers_text = if servers == 1 { "1 server".to_owned() } else { format!("{servers} servers") };
    let what = format!("{servers_text} with --memory {limit} do not fit the {host_text} of this host");
    let each = memory_text((host / servers.max(1)) >> 20 << 20);
    Err(Fault::usage(what).hint(format!("give at most --memory {each}, or compare fewer subjects")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_with_direct_io_are_named() {
        let one = |name: &str, about: &str| Configuration { name: name.into(), about: about.into() };
        let found = direct("e", &[one("plain", "as always"), one("io", "the same with O_DIRECT")]);
        assert_eq!(found, ["e@...+io"]);
        let told = with_instead(Fault::usage("no").hint("be root"), found.into_iter().collect());
        assert_eq!(told.hint.as_deref(), Some("be root; without a limit: e@...+io"));
        let plain = Fault::usage("no").hint("be root");
        assert_eq!(with_instead(plain.clone(), BTreeSet::new()), plain);
    }

    #[test]
    fn all_servers_of_a_session_fit_the_host() {
        const GIB: u64 = 1 << 30;
        assert_eq!(fits(GIB, 3, 4 * GIB), Ok(()));
        let fault = fits(2 * GIB, 3, 4 * GIB + 5).expect_err("too much");
        assert_eq!(fault.what, "3 servers with --memory 2G do not fit the 4G of this host");
        assert_eq!(fault.hint.as_deref(), Some("give at most --memory 1365M, or compare fewer subjects"));
        assert_eq!(fault.exit_code(), 2);
    }
}
