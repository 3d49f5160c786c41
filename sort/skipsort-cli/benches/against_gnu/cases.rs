//! What is measured: each data set in memory and spilling, and single options on one of them.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use crate::data::{self, Set};

/// Files of parts for `-m`.
const PARTS: usize = 16;

/// Where files are, and how many threads both programs get.
pub struct Paths {
    pub dir: PathBuf,
    pub parallel: usize,
}

impl Paths {
    pub fn output(&self, who: &str) -> PathBuf {
        self.dir.join(format!("{who}.out"))
    }

    fn data(&self, set: Set, size: u64) -> PathBuf {
        self.dir.join(format!("{}-{size}.txt", set.name()))
    }

    fn part(&self, set: Set, size: u64, part: usize) -> PathBuf {
        self.dir.join(format!("{}-{size}-part{part:02}.txt", set.name()))
    }
}

/// One row of the table.
pub struct Case {
    pub name: String,
    set: Set,
    size: u64,
    /// `-S`, bytes.
    pub memory: u64,
    options: &'static [&'static str],
    kind: Kind,
    /// Both write the same.
    pub comparable: bool,
    /// The least ratio that is good enough.
    pub bar: f64,
}

/// A group of cases whose names end alike, and the least geometric mean of its ratios.
pub const GROUPS: [(&str, Option<f64>); 2] = [("in memory", Some(4.5)), ("spilling", None)];

enum Kind {
    Sort,
    /// Of sorted parts.
    Merge,
    /// Ours with these options more, beside reading the file.
    Read(&'static [&'static str]),
}

pub fn all(size: u64) -> Vec<Case> {
    let case = |name: String, set, memory, options, kind, bar| {
        let comparable = !matches!(kind, Kind::Read(_));
        Case { name, set, size, memory, options, kind, comparable, bar }
    };
    let roomy = size * 5;
    let mut cases = Vec::new();
    for set in Set::ALL {
        cases.push(case(format!("{} in memory", set.name()), set, roomy, &[][..], Kind::Sort, 3.5));
    }
    for set in Set::ALL {
        cases.push(case(format!("{} spilling", set.name()), set, size / 8, &[], Kind::Sort, 3.0));
    }
    for (name, set, options) in [
        ("-u of words", Set::Words, &["-u"][..]),
        ("-k2,2n of numbers", Set::Numbers, &["-k2,2n"]),
        ("-r of URLs", Set::Urls, &["-r"]),
    ] {
        cases.push(case(name.into(), set, roomy, options, Kind::Sort, 2.0));
    }
    cases.push(case("-m of 16 files".into(), Set::Urls, roomy, &[], Kind::Merge, 2.0));
    let read = Kind::Read(&["--limit", "10"]);
    cases.push(case("--limit 10 beside cat".into(), Set::Urls, roomy, &[], read, 1.0 / 1.3));
    cases
}

impl Case {
    /// Makes the data that is not there yet.
    pub fn prepare(&self, paths: &Paths) -> io::Result<()> {
        let data = paths.data(self.set, self.size);
        if !data.exists() {
            data::write(self.set, self.size, 1, &data)?;
        }
        if matches!(self.kind, Kind::Merge) {
            for part in 0..PARTS {
                let path = paths.part(self.set, self.size, part);
                if !path.exists() {
                    data::write(self.set, self.size / PARTS as u64, 100 + part as u64, &path)?;
                    let sorted = gnu().arg("-o").arg(&path).arg(&path).status()?;
                    assert!(sorted.success(), "GNU sort sorts a part");
                    // What is still being written would slow down whoever runs first.
                    File::open(&path)?.sync_all()?;
                }
            }
        }
        Ok(())
    }

    fn complete(&self, mut command: Command, who: &str, paths: &Paths) -> Command {
        command.arg(format!("--parallel={}", paths.parallel)).arg("-S").arg(format!("{}b", self.memory));
        command.arg("-T").arg(&paths.dir).arg("-o").arg(paths.output(who)).args(self.options);
        match self.kind {
            Kind::Merge => {
                command.arg("-m").args((0..PARTS).map(|part| paths.part(self.set, self.size, part)))
            }
            _ => command.arg(paths.data(self.set, self.size)),
        };
        command
    }

    /// The most memory that skipsort may use, bytes.
    pub fn bound(&self) -> u64 {
        self.memory + self.memory / 10 + (16 << 20)
    }

    pub fn gnu(&self, paths: &Paths) -> Command {
        if let Kind::Read(_) = self.kind {
            let mut cat = Command::new("cat");
            cat.arg(paths.data(self.set, self.size)).stdout(std::process::Stdio::null());
            return cat;
        }
        self.complete(gnu(), "gnu", paths)
    }

    pub fn ours(&self, paths: &Paths) -> Command {
        let mut command = self.complete(Command::new(env!("CARGO_BIN_EXE_skipsort")), "ours", paths);
        if let Kind::Read(more) = self.kind {
            command.args(more);
        }
        command
    }
}

fn gnu() -> Command {
    let mut command = Command::new("sort");
    command.env("LC_ALL", "C");
    command
}
