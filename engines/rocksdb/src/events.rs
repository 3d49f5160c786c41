//! The library's background work, from the events that it writes into its LOG.
//!
//! The LOG has bytes and times of flushes and compactions under names that are the same since 6.29. The tables of
//! `rocksdb.stats` have the same in columns, but the columns moved in 10.3 and are precise to a tenth of a
//! gigabyte only. The library's statistics would slow every operation.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Sums since a log was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Events {
    pub(crate) flush_written_bytes: u64,
    pub(crate) compactions: u64,
    pub(crate) compaction_read_bytes: u64,
    pub(crate) compaction_written_bytes: u64,
    pub(crate) compaction_wall_us: u64,
    pub(crate) compaction_cpu_us: u64,
    /// Writes were slowed or stopped.
    pub(crate) stalls: u64,
    /// Files of the first level, and levels with files: as they are now.
    pub(crate) level0_files: u64,
    pub(crate) levels: u64,
}

/// Follows one LOG.
pub(crate) struct EventLog {
    path: PathBuf,
    file: Option<(File, u64)>,
    read_to: u64,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
    /// Jobs that flush: other jobs' new files are compactions'.
    flushing: HashSet<u64>,
    sums: Events,
}

impl EventLog {
    /// From the log's beginning on.
    pub(crate) fn new(path: PathBuf) -> Self {
        let (rest, flushing) = (Vec::new(), HashSet::new());
        Self { path, file: None, read_to: 0, rest, flushing, sums: Events::default() }
    }

    /// Sums of all that is written by now.
    pub(crate) fn read(&mut self) -> Events {
        // What was written to a log before another took its name counts too.
        self.read_on();
        if self.reopen_if_replaced() {
            self.read_on();
        }
        self.sums
    }

    fn read_on(&mut self) {
        if let Some((file, _)) = &self.file {
            let length = file.metadata().map_or(self.read_to, |meta| meta.len());
            if length > self.read_to {
                let mut new = vec![0; (length - self.read_to) as usize];
                if file.read_exact_at(&mut new, self.read_to).is_ok() {
                    self.read_to = length;
                    self.take(&new);
                }
            }
        }
    }

    /// A store that is opened again begins a new log under the same name.
    fn reopen_if_replaced(&mut self) -> bool {
        let now = inode(&self.path);
        let replaced = now.is_some() && now != self.file.as_ref().map(|(_, inode)| *inode);
        if replaced {
            self.file = File::open(&self.path).ok().zip(now);
            self.read_to = 0;
            self.rest.clear();
        }
        replaced
    }

    fn take(&mut self, new: &[u8]) {
        self.rest.extend_from_slice(new);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.rest.drain(..whole).collect();
        String::from_utf8_lossy(&lines).lines().for_each(|line| self.line(line));
    }

    fn line(&mut self, line: &str) {
        let Some((_, event)) = line.split_once("EVENT_LOG_v1 ") else {
            let stalled = ["Stalling writes because", "Stopping writes because"];
            self.sums.stalls += u64::from(stalled.iter().any(|words| line.contains(words)));
            return;
        };
        let number = |name| number(event, name).unwrap_or(0);
        let job = number("job");
        match text(event, "event") {
            Some("flush_started") => drop(self.flushing.insert(job)),
            Some("table_file_creation") if self.flushing.contains(&job) => {
                self.sums.flush_written_bytes += number("file_size");
            }
            Some("flush_finished") => {
                self.flushing.remove(&job);
                self.tree(event);
            }
            Some("compaction_started") => self.sums.compaction_read_bytes += number("input_data_size"),
            Some("compaction_finished") => {
                self.sums.compactions += 1;
                self.sums.compaction_written_bytes += number("total_output_size");
                self.sums.compaction_wall_us += number("compaction_time_micros");
                self.sums.compaction_cpu_us += number("compaction_time_cpu_micros");
                self.tree(event);
            }
            _ => {}
        }
    }

    /// `"lsm_state": [4, 0, 0, 0, 1, 5, 31, 0]`: files by level.
    fn tree(&mut self, event: &str) {
        let Some((_, after)) = event.split_once("\"lsm_state\": [") else { return };
        let inside = after.split(']').next().unwrap_or_default();
        let files: Vec<u64> = inside.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        self.sums.level0_files = files.first().copied().unwrap_or(0);
        self.sums.levels = files.iter().filter(|files| **files > 0).count() as u64;
    }
}

fn inode(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|meta| meta.ino())
}

/// The text after the first `"name": `.
fn after<'a>(event: &'a str, name: &str) -> Option<&'a str> {
    let at = event.find(&format!("\"{name}\": "))?;
    Some(&event[at + name.len() + 4..])
}

fn number(event: &str, name: &str) -> Option<u64> {
    let after = after(event, name)?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after[..end].parse().ok()
}

fn text<'a>(event: &'a str, name: &str) -> Option<&'a str> {
    after(event, name)?.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Lines as 6.29 and 10.10 write them, shortened.
    const LINES: [&str; 6] = [
        "t 1 EVENT_LOG_v1 {\"time_micros\": 1, \"job\": 4, \"event\": \"flush_started\", \"num_memtables\": 1}",
        "t 1 EVENT_LOG_v1 {\"time_micros\": 2, \"cf_name\": \"default\", \"job\": 4, \"event\": \
         \"table_file_creation\", \"file_number\": 9, \"file_size\": 1000, \"table_properties\": {\"data_size\": 7}}",
        "t 1 (Original Log Time x) EVENT_LOG_v1 {\"time_micros\": 3, \"job\": 4, \"event\": \"flush_finished\", \
         \"lsm_state\": [4, 1, 0, 0], \"immutable_memtables\": 0}",
        "t 1 EVENT_LOG_v1 {\"time_micros\": 4, \"job\": 6, \"event\": \"compaction_started\", \"files_L0\": [15, 13], \
         \"score\": 1, \"input_data_size\": 1775166}",
        "t 1 EVENT_LOG_v1 {\"time_micros\": 5, \"job\": 6, \"event\": \"table_file_creation\", \"file_size\": 872739}",
        "t 1 EVENT_LOG_v1 {\"time_micros\": 6, \"job\": 6, \"event\": \"compaction_finished\", \
         \"compaction_time_micros\": 19292, \"compaction_time_cpu_micros\": 7222, \"output_level\": 1, \
         \"total_output_size\": 872739, \"lsm_state\": [0, 1, 0, 3]}",
    ];

    #[test]
    fn events_add_up_and_a_flush_counts_once() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("LOG");
        let mut log = EventLog::new(path.clone());
        assert_eq!(log.read(), Events::default());
        let text = LINES.join("\n\n") + "\nt 1 [WARN] Stalling writes because we have 20 level-0 files\n";
        let mut file = File::create(&path).expect("file");
        // In two parts, cut within a line.
        file.write_all(&text.as_bytes()[..500]).expect("write");
        log.read();
        file.write_all(&text.as_bytes()[500..]).expect("write");
        let expected = Events {
            flush_written_bytes: 1000,
            compactions: 1,
            compaction_read_bytes: 1_775_166,
            compaction_written_bytes: 872_739,
            compaction_wall_us: 19_292,
            compaction_cpu_us: 7_222,
            stalls: 1,
            level0_files: 0,
            levels: 2,
        };
        assert_eq!(log.read(), expected);
        assert_eq!(log.read(), expected, "nothing new, nothing added");
        // The store writes on, and is opened again before anybody looks: sums go on.
        file.write_all((LINES[3..].join("\n") + "\n").as_bytes()).expect("write");
        std::fs::rename(&path, folder.path().join("LOG.old")).expect("rename");
        std::fs::write(&path, LINES[3..].join("\n") + "\n").expect("write");
        assert_eq!(log.read().compactions, 3);
    }
}
