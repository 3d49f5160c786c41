//! How fast `humdrum import` reads an output, and how much memory it needs, for each tool whose output grows with the time of a run.
//! An output is made first: a real one (`lab/import/fixtures`) whose lines over time go on until it is large.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::capture::{in_a_folder, timed};
use super::merge::humdrum;

/// Lines that go on: the reader, a real output, how a line over time begins, and such a line at a time in seconds.
struct Growing {
    reader: &'static str,
    output: &'static str,
    begins: &'static str,
    line: fn(u64) -> String,
}

const ALL: [Growing; 4] = [
    Growing {
        reader: "sysbench",
        output: "sysbench/read_write.log",
        begins: "[ ",
        line: |second| {
            format!(
                "[ {second}s ] thds: 2 tps: 853.18 qps: 17167.{:02} (r/w/o: 12026.50/3424.72/1716.36) lat (ms,95%): 6.79 err/s: 4.00 \
                 reconn/s: 0.00\n",
                second % 100
            )
        },
    },
    Growing {
        reader: "pgbench",
        output: "pgbench/select_only.1.log",
        begins: "progress: ",
        line: |second| {
            format!(
                "progress: {second}.0 s, 45379.{} tps, lat 0.022 ms stddev 0.057, 0 failed\n",
                second % 10
            )
        },
    },
    Growing {
        reader: "pgbench-log",
        output: "pgbench/transactions.log",
        begins: "",
        line: |number| {
            let (second, us) = (1_795_618_015 + number / 20_000, number % 20_000 * 50);
            format!("{} {number} {} 0 {second} {us}\n", number % 8, 300 + number % 977)
        },
    },
    Growing {
        reader: "db_bench",
        output: "db_bench/intervals.log",
        begins: "20",
        line: |second| {
            format!(
                "2026/11/25-14:46:59  ... thread 0: (418000,{}) ops and (416381.9,416381.9) ops/second in (1.000000,{second}.000000) \
                 seconds\n",
                418_000 * second
            )
        },
    },
];

/// `bench import [MB]`.
///
/// # Errors
/// If an output cannot be written, or a command fails.
pub fn main(args: &[&str]) -> Result<(), String> {
    in_a_folder(args, bench)
}

fn bench(folder: &Path, megabytes: u64) -> Result<(), String> {
    let humdrum = humdrum()?;
    // Two subjects have an output each, of half the size, in one file with two names.
    println!("reader\tMB\tseconds\tMB/s\tpeak memory, MB");
    let names = ["old", "new"].map(|side| folder.join(side).join("oltp_read_write.log"));
    for side in &names {
        std::fs::create_dir_all(side.parent().expect("a folder")).map_err(|error| error.to_string())?;
    }
    for growing in ALL {
        let said = |error| format!("{}: {error}", names[0].display());
        let bytes = make(&growing, &names[0], megabytes * 500_000).map_err(said)?;
        let _none_yet = std::fs::remove_file(&names[1]);
        std::fs::hard_link(&names[0], &names[1]).map_err(said)?;
        let mut command = Command::new(&humdrum);
        command.current_dir(folder).stdout(Stdio::null());
        command.args(["import", "old/oltp_read_write.log", "--subject", "postgres@15.18"]);
        command.args(["new/oltp_read_write.log", "--subject", "postgres@17.7", "--quiet"]);
        command.args(["--format", growing.reader, "--out", growing.reader]);
        println!("{}\t{}", growing.reader, timed(command, 2 * bytes)?);
    }
    Ok(())
}

/// Writes an output of at least so many bytes; returns how many there are. It is in the page cache then.
fn make(growing: &Growing, output: &Path, most: u64) -> std::io::Result<u64> {
    let fixture =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../lab/import/fixtures").join(growing.output);
    let text = std::fs::read_to_string(fixture)?;
    let mut out = BufWriter::new(File::create(output)?);
    let mut written = 0;
    let mut put = |text: &str| {
        written += text.len() as u64;
        out.write_all(text.as_bytes()).map(|()| written)
    };
    let mut begun = false;
    for line in text.split_inclusive('\n') {
        if !begun && line.starts_with(growing.begins) {
            begun = true;
            for number in 1_u64.. {
                if put(&(growing.line)(number))? >= most {
                    break;
                }
            }
        }
        if !line.starts_with(growing.begins) {
            put(line)?;
        }
    }
    out.flush()?;
    Ok(written)
}
