//! Takes passwords out of this program's title in the list of processes. Every user of the host can read the arguments of
//! every program there, as long as it runs.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

/// Overwrites passwords in the URLs that were typed, as MySQL's own clients do. Call it when arguments have been parsed:
/// the standard library reads them from the same memory.
pub fn hide_passwords() {
    // A kernel that refuses leaves the title as it was typed; docs/external.md names the ways without a typed password.
    let _ = overwrite();
}

fn overwrite() -> Option<()> {
    let typed = fs::read("/proc/self/cmdline").ok()?;
    let shown = without_passwords(&typed)?;
    let start = arguments_start(&fs::read_to_string("/proc/self/stat").ok()?)?;
    let memory = OpenOptions::new().write(true).open("/proc/self/mem").ok()?;
    memory.write_all_at(&shown, start).ok()
}

/// Where the arguments lie in memory: the 48th field of `stat` (proc_pid_stat(5)). The second one is in brackets and may
/// hold blanks.
fn arguments_start(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(48 - 3)?.parse().ok().filter(|start| *start != 0)
}

/// The same number of bytes, with an `x` for each byte of a password; `None` if there is none.
fn without_passwords(arguments: &[u8]) -> Option<Vec<u8>> {
    let mut shown = arguments.to_vec();
    for argument in shown.split_mut(|byte| *byte == 0) {
        let Some(scheme) = argument.windows(3).position(|three| three == b"://") else { continue };
        let rest = &mut argument[scheme + 3..];
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at_mut(end);
        if let Some(at) = authority.iter().rposition(|byte| *byte == b'@')
            && let Some(colon) = authority[..at].iter().position(|byte| *byte == b':')
        {
            authority[colon + 1..at].fill(b'x');
        }
        for option in tail.split_mut(|byte| matches!(byte, b'?' | b'&')) {
            let Some(equals) = option.iter().position(|byte| *byte == b'=') else { continue };
            if option[..equals].to_ascii_lowercase().ends_with(b"password") {
                option[equals + 1..].fill(b'x');
            }
        }
    }
    (shown != arguments).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_become_as_many_x() {
        let typed = b"humdrum\0compare\0a=postgres@postgres://me:s@crt@h:1/db?a=b\0mysql@mysql://u@h?password=pw&c=d\0";
        let shown = b"humdrum\0compare\0a=postgres@postgres://me:xxxxx@h:1/db?a=b\0mysql@mysql://u@h?password=xx&c=d\0";
        assert_eq!(without_passwords(typed).as_deref(), Some(&shown[..]));
        assert_eq!(without_passwords(b"humdrum\0run\0plan.toml\0postgres@postgres://me@h/a:b@c\0"), None);
    }

    #[test]
    fn finds_where_arguments_lie() {
        let fields = (4..=52).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(arguments_start(&format!("7 (a ) b) S {fields}")), Some(48));
        assert_eq!(arguments_start("7 (a) S 1 2"), None);
    }
}
