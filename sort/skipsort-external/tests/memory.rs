//! The promise of `memory_bytes`: a resident size of at most that, a tenth more and 16 MB.
//!
//! The test runs itself for each case: what an allocator keeps of one sort would count for the next one.

use std::io::Write;
use std::process::Command;

use skipsort_external::records::{Records, Shape};
use skipsort_external::{ExternalSorter, FileStorage, Options};

/// Tells the program's own child what to do.
const CASE: &str = "SKIPSORT_MEMORY_CASE";

/// The largest resident size so far, bytes.
fn resident_most() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Lines of a file, sorted into nothing.
fn sort_lines(memory: usize, rows: usize, line_len: usize) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = std::io::BufWriter::new(&file);
    for row in 0..rows as u32 {
        writeln!(writer, "{:010}{:line_len$}", row.wrapping_mul(2_654_435_761), row).unwrap();
    }
    writer.flush().unwrap();
    let base = resident_most();
    let (shape, names) = (Shape::lines(b'\n'), [file.path().to_owned()]);
    let storage = FileStorage::new([std::env::temp_dir()]);
    Records::new(&shape, Options::new(memory), &names).sort(storage, &mut std::io::sink()).unwrap();
    within_the_promise(base, memory);
}

fn within_the_promise(base: usize, memory: usize) {
    let (used, promised) = (resident_most() - base, memory + memory / 10 + (16 << 20));
    assert!(used <= promised, "{used} of {promised}");
}

fn sort(memory: usize, rows: usize, key_len: usize, payload_len: usize, all_threads: bool) {
    let base = resident_most();
    let storage = FileStorage::new([std::env::temp_dir()]);
    let mut sorter = ExternalSorter::new(Options::new(memory), storage).unwrap();
    let (mut key, payload) = (vec![b'k'; key_len], vec![b'p'; payload_len]);
    for row in 0..rows as u32 {
        key[..4].copy_from_slice(&row.wrapping_mul(2_654_435_761).to_be_bytes());
        sorter.push(&key, &payload).unwrap();
    }
    let mut count = 0;
    if all_threads {
        let counting = |_: &[u8], _: &[u8]| {
            count += 1;
            Ok(())
        };
        sorter.finish_into(counting).unwrap();
    } else {
        let mut sorted = sorter.finish().unwrap();
        while sorted.advance().unwrap() {
            count += 1;
        }
    }
    assert_eq!(count, rows);
    within_the_promise(base, memory);
}

#[test]
fn resident_size_stays_within_the_promise() {
    if let Ok(case) = std::env::var(CASE) {
        let mut numbers = case.split(' ').map(|number| number.parse::<usize>().unwrap());
        let mut next = || numbers.next().unwrap();
        let (memory, rows, key_len, payload_len, way) = (next(), next(), next(), next(), next());
        return match way {
            2 => sort_lines(memory, rows, key_len + payload_len),
            way => sort(memory, rows, key_len, payload_len, way == 1),
        };
    }
    for memory in [16 << 10, 1 << 20, 16 << 20, 64 << 20] {
        for shape in ["1000000 4 0", "400000 8 200", "4000 40 30000"] {
            for way in [0, 1, 2] {
                let case = format!("{memory} {shape} {way}");
                let output =
                    Command::new(std::env::current_exe().unwrap()).env(CASE, &case).output().unwrap();
                assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stdout));
            }
        }
    }
}
