//! Records of files, in order and in error.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use skipsort_external::records::{Frame, KeyEncoder, Records, Shape, Tie};
use skipsort_external::{Error, FileStorage, MemoryStorage, Meter};

use crate::harness::{Drill, TINY, options};

/// A file of so many lines, and the lines.
fn lines(folder: &tempfile::TempDir, count: u32) -> (Vec<PathBuf>, Vec<String>) {
    let lines: Vec<String> =
        (0..count).map(|n| format!("{:x}", n.wrapping_mul(2_654_435_761) % 9973)).collect();
    let path = folder.path().join("lines");
    std::fs::write(&path, lines.join("\n")).unwrap();
    (vec![path], lines)
}

/// The last byte first.
#[derive(Debug)]
struct Backwards;

impl KeyEncoder for Backwards {
    fn encode(&self, record: &[u8], into: &mut Vec<u8>) {
        into.extend(record.iter().rev());
        into.push(0);
    }
    fn encoded_most(&self, record_len: usize) -> usize {
        record_len + 1
    }
}

/// Remembers the threads that ask for keys.
#[derive(Debug, Default)]
struct Asked(Mutex<HashSet<ThreadId>>);

impl KeyEncoder for Asked {
    fn encode(&self, record: &[u8], into: &mut Vec<u8>) {
        self.0.lock().unwrap().insert(thread::current().id());
        into.extend(record);
    }
    fn encoded_most(&self, record_len: usize) -> usize {
        record_len
    }
}

#[test]
fn a_small_input_is_read_by_the_thread_that_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (names, mut lines) = lines(&folder, 100_000);
    let asked = Arc::new(Asked::default());
    let shape = Shape { keys: Some(asked.clone()), tie: Tie::Input, ..Shape::lines(b'\n') };
    let mut output = Vec::new();
    let records = Records::new(&shape, options(64 << 20, 4), &names);
    records.sort(MemoryStorage::default(), &mut output).unwrap();
    lines.sort();
    assert!(output == (lines.join("\n") + "\n").as_bytes());
    assert_eq!(asked.0.lock().unwrap().iter().collect::<Vec<_>>(), [&thread::current().id()]);
}

#[test]
fn whole_and_keyed_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (names, lines) = lines(&folder, 30_000);
    let backwards = |line: &String| line.bytes().rev().collect::<Vec<u8>>();
    for memory in [TINY, 1 << 20, 64 << 20] {
        for (keys, tie) in [(false, Tie::Line), (true, Tie::Line), (true, Tie::Input)] {
            for limit in [u64::MAX, 20_000, 3] {
                let keys = keys.then(|| Arc::new(Backwards) as Arc<dyn KeyEncoder>);
                let mut expected = lines.clone();
                match keys {
                    Some(_) => expected.sort_by_key(backwards),
                    None => expected.sort(),
                }
                expected.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                let shape = Shape { keys, tie, ..Shape::lines(b'\n') };
                let records = Records::new(&shape, options(memory, 2), &names).limit(limit);
                let mut output = Vec::new();
                records.sort(FileStorage::new([]), &mut output).unwrap();
                assert!(output == (expected.join("\n") + "\n").as_bytes(), "{memory} {shape:?} {limit}");
            }
        }
    }
}

#[test]
fn errors_of_inputs_and_outputs_have_their_own_kinds() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (names, _) = lines(&folder, 5000);
    let shape = Shape::lines(b'\n');
    let records = |names| Records::new(&shape, options(TINY, 2), names);
    let full = records(&names).sort(MemoryStorage::default(), &mut Full);
    assert!(matches!(full, Err(Error::Output(error)) if error.kind() == io::ErrorKind::StorageFull));
    let missing = [folder.path().join("missing")];
    let got = records(&missing).sort(MemoryStorage::default(), &mut Vec::new());
    assert!(matches!(got, Err(Error::Input { name, .. }) if name == missing[0]));
    let shape = Shape { frame: Frame::Fixed(7), ..Shape::lines(0) };
    std::fs::write(folder.path().join("cut"), [1; 30]).unwrap();
    let names = [folder.path().join("cut")];
    let got = Records::new(&shape, options(TINY, 2), &names).sort(MemoryStorage::default(), &mut Vec::new());
    assert!(matches!(got, Err(Error::InputCut { more: 2, size: 7, .. })));
}

#[test]
fn damage_and_cancellation() {
    let folder = tempfile::tempdir().unwrap();
    let (names, _) = lines(&folder, 20_000);
    let shape = Shape::lines(b'\n');
    for threads in [1, 2] {
        let drill = Drill::default();
        let damage = |number, bytes: &mut Vec<u8>| {
            if number == 2 {
                bytes[100] ^= 4;
            }
        };
        *drill.0.damage.lock().unwrap() = Some(Box::new(damage));
        let got = Records::new(&shape, options(1 << 17, threads), &names).sort(drill, &mut Vec::new());
        match got {
            Err(Error::Corrupt { run, .. }) => assert_eq!(run.number, 2),
            other => panic!("{other:?}"),
        }
        let mut options = options(1 << 17, threads);
        options.meter = Arc::new(Meter::watched(|progress| match progress.runs {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }));
        let got = Records::new(&shape, options, &names).sort(MemoryStorage::default(), &mut Vec::new());
        assert!(matches!(got, Err(Error::Cancelled)));
    }
}
