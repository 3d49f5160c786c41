//! CPU time and wake-ups of a server's threads, with the kind of each. It reads four texts a thread, and is for
//! examinations.

use std::fs;

use humdrum_contract::ThreadWork;

use crate::schedstat::parse_switches;

/// What these threads have done since they began; those that have ended, or that the host does not show, are left out.
pub fn threads(ids: &[u32]) -> Vec<ThreadWork> {
    ids.iter().filter_map(|id| thread(*id)).collect()
}

fn thread(id: u32) -> Option<ThreadWork> {
    let text = |file: &str| {
        let bytes = fs::read(format!("/proc/{id}/{file}")).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let cpu_ns = text("schedstat")?.split_whitespace().next()?.parse().ok()?;
    let [wakeups, _] = parse_switches(&text("status")?)?;
    let kind = kind(text("comm")?.trim_end(), &text("cmdline")?);
    Some(ThreadWork { id, kind, cpu_ns, wakeups })
}

/// `walwriter` of a process `postgres` whose command is `postgres: walwriter`; any other thread has a name of its own. A
/// number at the end tells threads of one kind apart.
fn kind(name: &str, command: &str) -> String {
    let command = command.split('\0').next().unwrap_or_default();
    let title = command.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    let whole = title.unwrap_or(name).trim();
    let whole = whole.strip_suffix(" process").unwrap_or(whole);
    let plain = whole.trim_end_matches(|letter: char| letter.is_ascii_digit() || "-_# ".contains(letter));
    if plain.is_empty() { whole.to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_kind_is_the_title_of_a_process_or_the_name_of_a_thread() {
        let postgres = |command| kind("postgres", command);
        assert_eq!(postgres("postgres: walwriter   \0"), "walwriter");
        assert_eq!(postgres("postgres: wal writer process\0\0"), "wal writer");
        assert_eq!(postgres("postgres: io worker 12"), "io worker");
        assert_eq!(postgres("/opt/bin/postgres\0-D\0x: y"), "postgres");
        assert_eq!(kind("ib_io_wr-3", "/opt/mysqld\0--x"), "ib_io_wr");
        assert_eq!(kind("rocksdb:low0", "/opt/humdrum"), "rocksdb:low");
        assert_eq!(kind("42", ""), "42");
    }

    #[test]
    fn a_thread_that_sleeps_is_woken() {
        let named = thread::Builder::new().name("sleeper-7".into());
        let seen = named.spawn(|| {
            let own = [rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()];
            let before = threads(&own);
            (0..5).for_each(|_| thread::sleep(Duration::from_millis(1)));
            (before, threads(&own))
        });
        let (before, after) = seen.expect("a thread").join().expect("it ends");
        assert_eq!((before[0].kind.as_str(), after[0].id), ("sleeper", before[0].id));
        assert!(after[0].wakeups >= before[0].wakeups + 5 && after[0].cpu_ns >= before[0].cpu_ns);
        assert_eq!(threads(&[u32::MAX]), []);
    }
}
