//! Which thread of the server serves a session: in MySQL and MariaDB a session is a thread, and the kernel
//! schedules, pins and counts threads as it does processes.
//!
//! MariaDB always reports the thread, and MySQL from 5.7 on if `performance_schema` is on. Otherwise the
//! thread is found by its work: the session answers a few dozen pings, and the thread with as many turns on a
//! processor meanwhile is the session's. The server's process has to be known: over a Unix socket the kernel says which
//! process is at the other end, and over TCP a server of ours says where it has written its own.

use std::collections::HashMap;
use std::fs;

use crate::exchange::Exchange;

/// Enough that no thread that merely wakes up now and then has as many turns.
const PINGS: u64 = 64;
/// Other sessions may be at work in one attempt, hardly in all.
const ATTEMPTS: u32 = 3;

/// The thread that serves this connection; `None` where it is on another host, or sessions share threads.
pub(crate) fn serving(exchange: &mut Exchange, is_ours: bool) -> Option<u32> {
    let server = match exchange.wire.socket().peer_process() {
        None if is_ours => written(exchange)?,
        process => process?,
    };
    if first_value(exchange, "SELECT @@GLOBAL.thread_handling")? != "one-thread-per-connection" {
        return None;
    }
    let told = told(exchange).filter(|thread| turns_of(server, *thread).is_some());
    told.or_else(|| (0..ATTEMPTS).find_map(|_| busiest(exchange, server)))
}

/// The process whose number the server has written.
fn written(exchange: &mut Exchange) -> Option<u32> {
    let path = first_value(exchange, "SELECT @@GLOBAL.pid_file")?;
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// What the server says. A number from another namespace is not among its threads here.
fn told(exchange: &mut Exchange) -> Option<u32> {
    let sql = if exchange.greeting.is_mariadb() {
        "SELECT TID FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()"
    } else {
        "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()"
    };
    first_value(exchange, sql)?.parse().ok()
}

/// The thread whose turns are as many as the pings, if it is one alone.
fn busiest(exchange: &mut Exchange, server: u32) -> Option<u32> {
    let before = turns(server);
    for _ in 0..PINGS {
        exchange.ping().ok()?;
    }
    let taken = turns(server)
        .into_iter()
        .map(|(thread, now)| (now - before.get(&thread).copied().unwrap_or_default(), thread));
    let mut taken: Vec<(u64, u32)> = taken.collect();
    taken.sort_unstable();
    let (most, thread) = taken.pop()?;
    let next = taken.pop().map_or(0, |(turns, _)| turns);
    (most >= PINGS / 2 && next <= most / 4).then_some(thread)
}

/// Turns on a processor of all threads of a process.
fn turns(server: u32) -> HashMap<u32, u64> {
    let Ok(threads) = fs::read_dir(format!("/proc/{server}/task")) else { return HashMap::new() };
    let names = threads.filter_map(|thread| thread.ok()?.file_name().to_str()?.parse().ok());
    names.filter_map(|thread| Some((thread, turns_of(server, thread)?))).collect()
}

/// The third number of `schedstat`.
fn turns_of(server: u32, thread: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{server}/task/{thread}/schedstat")).ok()?;
    text.split_whitespace().nth(2)?.parse().ok()
}

fn first_value(exchange: &mut Exchange, sql: &str) -> Option<String> {
    exchange.query(sql).ok()?.into_iter().next()?.into_iter().next()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_turns() {
        let own = std::process::id();
        assert!(turns(own).get(&own).is_some_and(|turns| *turns > 0));
        assert_eq!(turns_of(own, u32::MAX), None);
    }
}
