//! What is measured: each data set in memory and spilling, single options on one of them, options of all kinds on real
//! files, two threads beside one, and small inputs.

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
    /// Runs one after the other that count as one.
    pub times: usize,
}

/// A group of cases whose names end alike, and the least geometric mean of its ratios.
pub const GROUPS: [(&str, Option<f64>); 3] =
    [("in memory", Some(4.5)), ("spilling", None), ("of real files", None)];

enum Kind {
    Sort,
    /// Of sorted parts.
    Merge,
    /// Ours with these options more, beside reading the file.
    Read(&'static [&'static str]),
    /// Ours with one thread beside two.
    Threads,
}

pub fn all(size: u64) -> Vec<Case> {
    let case = |name: String, set, memory, options, kind, bar| {
        let comparable = !matches!(kind, Kind::Read(_));
        Case { name, set, size, memory, options, kind, comparable, bar, times: 1 }
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
    for set in Set::OWN {
        for (what, memory, options) in real(set, size) {
            let name = format!("{what} {} of real files", set.name());
            cases.push(case(name, set, memory, options, Kind::Sort, 5.0));
        }
        let name = format!("{} by two threads beside one", set.name());
        cases.push(case(name, set, roomy, &[], Kind::Threads, 1.0 / 0.6));
        for (what, size, times) in [("1 KB", 1000, 200), ("1 MB", 1_000_000, 50)] {
            let small = case(format!("{what} of {}", set.name()), set, 1 << 30, &[], Kind::Sort, 0.95);
            cases.push(Case { size, times, ..small });
        }
    }
    cases
}

/// What is measured on each set of real files: a name, `-S` and options.
fn real(set: Set, size: u64) -> [(&'static str, u64, &'static [&'static str]); 5] {
    let second_field: &[&str] = match set {
        Set::Files => &["-t/", "-k2"],
        Set::Csv => &["-t,", "-k2"],
        _ => &["-k2"],
    };
    let roomy = size * 5;
    let in_memory = [("plain", &[][..]), ("-u", &["-u"]), ("-r", &["-r"]), ("-k2", second_field)];
    let [plain, unique, reverse, keyed] = in_memory.map(|(what, options)| (what, roomy, options));
    [plain, unique, reverse, keyed, ("-S 1/14", size / 14, &[])]
}

impl Case {
    /// Makes the data that is not there yet.
    pub fn prepare(&self, paths: &Paths) -> io::Result<()> {
        let data = paths.data(self.set, self.size);
        if !data.exists() {
            data::write_apart(self.set, self.size, 1, &data)?;
        }
        if matches!(self.kind, Kind::Merge) {
            for part in 0..PARTS {
                let path = paths.part(self.set, self.size, part);
                if !path.exists() {
                    data::write_apart(self.set, self.size / PARTS as u64, 100 + part as u64, &path)?;
                    let sorted = gnu().arg("-o").arg(&path).arg(&path).status()?;
                    assert!(sorted.success(), "GNU sort sorts a part");
                    // What is still being written would slow down whoever runs first.
                    File::open(&path)?.sync_all()?;
                }
            }
        }
        Ok(())
    }

    fn complete(&self, mut command: Command, who: &str, parallel: usize, paths: &Paths) -> Command {
        command.arg(format!("--parallel={parallel}")).arg("-S").arg(format!("{}b", self.memory));
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
        if let Kind::Threads = self.kind {
            return self.complete(skipsort(), "gnu", 1, paths);
        }
        self.complete(gnu(), "gnu", paths.parallel, paths)
    }

    pub fn ours(&self, paths: &Paths) -> Command {
        let parallel = if let Kind::Threads = self.kind { 2 } else { paths.parallel };
        let mut command = self.complete(skipsort(), "ours", parallel, paths);
        if let Kind::Read(more) = self.kind {
            command.args(more);
        }
        command
    }
}

/// The program that was built, or the one that is named.
fn skipsort() -> Command {
    let built = || env!("CARGO_BIN_EXE_skipsort").into();
    Command::new(std::env::var_os("SKIPSORT").unwrap_or_else(built))
}

fn gnu() -> Command {
    let mut command = Command::new("sort");
    command.env("LC_ALL", "C");
    command
}
