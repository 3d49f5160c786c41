//! What a host of `humdrum fleet ssh` answers about its own folder, and how the answers are read.

use std::path::Path;

use humdrum_model::{Fault, FaultKind};
use humdrum_record::{Begun, ResultsFolder, Store};
use serde::{Deserialize, Serialize};

use super::folder::{Fleet, Host, Ssh, shard_folder};
use super::remote::Remote;

/// How far a shard is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardState {
    /// Its number.
    pub shard: u32,
    /// Whether it came to its end.
    pub finished: bool,
    /// Sessions that began, and how many it has at most; none before it began.
    pub sessions: Option<(u32, u32)>,
    /// Why its record cannot be read, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

impl ShardState {
    /// One that has not begun.
    pub fn not_begun(shard: u32) -> Self {
        Self { shard, finished: false, sessions: None, damage: None }
    }

    /// That of a folder's shard. A record that cannot be read is a state of one shard and hides no other.
    pub fn of(folder: &Path, shard: u32) -> Self {
        let file = shard_folder(folder, shard).join("results.sqlite");
        let found = Store::begun(&file).and_then(|begun| match begun {
            Begun::No => Ok((false, None)),
            begun => Ok((begun == Begun::Finished, Some(sessions(&file)?))),
        });
        match found {
            Ok((finished, sessions)) => Self { shard, finished, sessions, damage: None },
            Err(fault) => Self { damage: Some(fault.to_string()), ..Self::not_begun(shard) },
        }
    }

    /// `begun      2 of 4 sessions`.
    pub fn told(&self) -> String {
        let word = match (&self.damage, self.finished, self.sessions) {
            (Some(_), ..) => "damaged",
            (None, true, _) => "finished",
            (None, false, Some(_)) => "begun",
            (None, false, None) => "not begun",
        };
        let sessions =
            self.sessions.map_or_else(String::new, |(begun, most)| format!("{begun} of {most} sessions"));
        format!("{word:<10} {sessions:<20}")
    }
}

fn sessions(file: &Path) -> Result<(u32, u32), Fault> {
    let store = Store::open_quickly(file)?;
    Ok((store.count_sessions()?, store.read_head()?.plan.sessions_max()))
}

/// What a host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// It has no folder of this fleet, or not all of it.
    Absent,
    /// It measures.
    Running,
    /// All its shards were tried; the worst exit code, 0 if all are measured.
    Ended(u8),
    /// It was killed, or the host was started anew.
    Stopped,
}

/// `humdrum fleet state FOLDER`: the shards of this folder that began, as one line of JSON.
///
/// # Errors
/// Usage: no folder of a fleet.
pub fn state(folder: &Path) -> Result<u8, Fault> {
    let fleet = Fleet::read(folder)?;
    let mut states: Vec<ShardState> =
        (1..=fleet.shards).map(|number| ShardState::of(folder, number)).collect();
    states.retain(|state| state.sessions.is_some() || state.damage.is_some());
    // Writing plain data to memory cannot fail.
    anstream::println!("{}", serde_json::to_string(&states).unwrap_or_default());
    Ok(0)
}

/// `humdrum fleet copies FOLDER`: each shard that began, as it is at this moment, in FOLDER/copies. A record that is being
/// written may not be read by another program than SQLite. A damaged one is left out; `state` tells of it.
///
/// # Errors
/// Usage: no folder of a fleet; environment: the disk is full.
pub fn copies(folder: &Path) -> Result<u8, Fault> {
    let fleet = Fleet::read(folder)?;
    let out = ResultsFolder { folder: folder.join("copies") };
    let _ = std::fs::remove_dir_all(&out.folder);
    std::fs::create_dir_all(out.folder.join("shards"))
        .map_err(|error| Fault::environment(format!("cannot make {}: {error}", out.folder.display())))?;
    for number in 1..=fleet.shards {
        let file = shard_folder(folder, number).join("results.sqlite");
        let kept = Store::begun(&file).and_then(|begun| match begun {
            Begun::No => Ok(()),
            begun => out.keep_shard(number, &file, begun == Begun::Finished),
        });
        match kept {
            Err(fault) if fault.kind == FaultKind::Usage => {
                let _ = std::fs::remove_dir_all(shard_folder(&out.folder, number));
            }
            kept => kept?,
        }
    }
    Ok(0)
}

/// What a host does and how far its shards are.
///
/// # Errors
/// Environment: it cannot be reached, or does not answer as a host of a fleet does.
pub fn look(ssh: &Ssh, host: &Host) -> Result<(Work, Vec<ShardState>), Fault> {
    let remote = Remote { ssh, host };
    let printed = remote.ask(&remote.look())?;
    read(&printed).ok_or_else(|| {
        let said = humdrum_report::printable(printed.lines().next().unwrap_or("nothing"));
        Fault::environment(format!("{} answers `{said}`", host.address))
            .hint("the account's shell must print nothing of its own when a command is run over ssh")
    })
}

fn read(printed: &str) -> Option<(Work, Vec<ShardState>)> {
    let (first, rest) = printed.split_once('\n')?;
    let work = match first {
        "absent" => return Some((Work::Absent, Vec::new())),
        "running" => Work::Running,
        "stopped" => Work::Stopped,
        ended => Work::Ended(ended.strip_prefix("ended ")?.parse().ok()?),
    };
    Some((work, serde_json::from_str(rest).ok()?))
}

/// Asks all hosts side by side; answers are in the order of the hosts.
pub fn each<T: Send>(ssh: &Ssh, ask: impl Fn(&Host) -> T + Sync) -> Vec<T> {
    let ask = &ask;
    std::thread::scope(|scope| {
        let threads: Vec<_> = ssh.hosts.iter().map(|host| scope.spawn(move || ask(host))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let line = r#"[{"shard":2,"finished":false,"sessions":[1,4]}]"#;
        let states = vec![ShardState { shard: 2, finished: false, sessions: Some((1, 4)), damage: None }];
        for (word, work) in
            [("running", Work::Running), ("ended 3", Work::Ended(3)), ("stopped", Work::Stopped)]
        {
            assert_eq!(read(&format!("{word}\n{line}\n")), Some((work, states.clone())));
        }
        assert_eq!(read("absent\n"), Some((Work::Absent, Vec::new())));
        for other in ["", "running", "welcome\nrunning\n[]\n", "ended x\n[]\n", "running\n{\n"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
