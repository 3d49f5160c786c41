//! Rows that come one by one: in order and complete from memory and from files, and every failure is a code that stays.

use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;
use std::ptr;

use skipsort_c::{
    Record, SKIPSORT_BAD_ARGUMENT, SKIPSORT_DISTINCT, SKIPSORT_END, SKIPSORT_NO_MEMORY, SKIPSORT_OK,
    SKIPSORT_STOPPED, SKIPSORT_STORAGE, SorterHandle, SorterOptions, Take, skipsort_sorter_each,
    skipsort_sorter_finish, skipsort_sorter_free, skipsort_sorter_message, skipsort_sorter_new,
    skipsort_sorter_next, skipsort_sorter_push,
};
use skipsort_testkit::{oracle, patterns, suite};
use tempfile::TempDir;

/// A sorter that is freed.
struct Sorter(*mut SorterHandle);

impl Sorter {
    fn new(options: &SorterOptions) -> Result<Sorter, c_int> {
        let mut sorter = ptr::dangling_mut();
        // SAFETY: options that outlive the call, whose folder the tests keep and whose callback takes its context.
        let status = unsafe { skipsort_sorter_new(options, &mut sorter) };
        assert_eq!(sorter.is_null(), status != SKIPSORT_OK);
        if status == SKIPSORT_OK { Ok(Sorter(sorter)) } else { Err(status) }
    }

    fn push(&self, key: &[u8], payload: &[u8]) -> c_int {
        let (key, key_length) = (key.as_ptr().cast(), key.len());
        // SAFETY: slices, and a sorter that `drop` alone frees.
        unsafe { skipsort_sorter_push(self.0, key, key_length, payload.as_ptr().cast(), payload.len()) }
    }

    fn finish(&self) -> c_int {
        // SAFETY: as above.
        unsafe { skipsort_sorter_finish(self.0) }
    }

    fn next(&self) -> Result<(Vec<u8>, Vec<u8>), c_int> {
        let nothing = ptr::null();
        let mut record = Record { key: nothing, key_length: 0, payload: nothing, payload_length: 0 };
        // SAFETY: as above, and a record that is written.
        let status = unsafe { skipsort_sorter_next(self.0, &mut record) };
        if status == SKIPSORT_OK { Ok(copy(&record)) } else { Err(status) }
    }

    fn each(&self, take: Take, context: *mut c_void) -> c_int {
        // SAFETY: as above; the tests hand over a context that the callback takes.
        unsafe { skipsort_sorter_each(self.0, Some(take), context) }
    }

    fn message(&self) -> String {
        // SAFETY: as above; the message is there while the sorter is.
        unsafe { CStr::from_ptr(skipsort_sorter_message(self.0)) }.to_str().expect("text").to_owned()
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and freed once.
        unsafe { skipsort_sorter_free(self.0) };
    }
}

fn copy(record: &Record) -> (Vec<u8>, Vec<u8>) {
    // SAFETY: the sorter's word: never null, and there until the next call.
    let bytes =
        |start: *const c_void, length| unsafe { std::slice::from_raw_parts(start.cast(), length) }.to_vec();
    (bytes(record.key, record.key_length), bytes(record.payload, record.payload_length))
}

/// Rows that a callback has got, and after how many it stops.
struct Got {
    rows: Vec<(Vec<u8>, Vec<u8>)>,
    stop_at: usize,
}

unsafe extern "C" fn get(context: *mut c_void, record: *const Record) -> c_int {
    // SAFETY: the tests hand over a `Got` that nobody else uses during the call, and the sorter a record.
    let (got, record) = unsafe { (&mut *context.cast::<Got>(), &*record) };
    got.rows.push(copy(record));
    c_int::from(got.rows.len() == got.stop_at)
}

/// Row numbers in the sorter's order, the first half by the callback, which stops then.
fn sorted(keys: &[&[u8]], options: &SorterOptions) -> Vec<usize> {
    let sorter = Sorter::new(options).expect("a sorter");
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(sorter.push(key, &number.to_be_bytes()), SKIPSORT_OK);
    }
    let mut got = Got { rows: Vec::new(), stop_at: keys.len() / 2 };
    let half = sorter.each(get, ptr::from_mut(&mut got).cast());
    assert_eq!(half, if keys.len() < 2 { SKIPSORT_OK } else { SKIPSORT_STOPPED });
    got.rows.extend(std::iter::from_fn(|| sorter.next().ok()));
    assert_eq!((sorter.next(), sorter.next()), (Err(SKIPSORT_END), Err(SKIPSORT_END)));
    let number = |(key, payload): &(Vec<u8>, Vec<u8>)| {
        let number = usize::from_be_bytes(payload.as_slice().try_into().expect("a number"));
        assert_eq!(key, keys[number]);
        number
    };
    got.rows.iter().map(number).collect()
}

#[test]
fn rows_leave_in_stable_order() {
    suite::each(|keys| oracle::check_stable(keys, &sorted(keys, &SorterOptions::default())));
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no file without a name")]
fn rows_that_fill_the_memory_leave_in_stable_order() {
    let folder = TempDir::new().expect("a folder");
    let name = CString::new(folder.path().as_os_str().as_encoded_bytes()).expect("a name");
    let options = SorterOptions { memory_bytes: 16 << 10, folder: name.as_ptr(), ..SorterOptions::default() };
    for threads in [1, 3] {
        suite::each(|keys| oracle::check_stable(keys, &sorted(keys, &SorterOptions { threads, ..options })));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn of_equal_keys_the_first_leaves() {
    let options = SorterOptions { flags: SKIPSORT_DISTINCT, ..SorterOptions::default() };
    let sorter = Sorter::new(&options).expect("a sorter");
    for (key, payload) in [(b"b", b"1"), (b"a", b"2"), (b"b", b"3"), (b"a", b"4")] {
        assert_eq!(sorter.push(key, payload), SKIPSORT_OK);
    }
    assert_eq!(sorter.finish(), SKIPSORT_OK);
    let rows: Vec<_> = std::iter::from_fn(|| sorter.next().ok()).collect();
    assert_eq!(rows, [(b"a".to_vec(), b"2".to_vec()), (b"b".to_vec(), b"1".to_vec())]);
}

#[test]
fn calls_out_of_turn_are_refused_and_change_nothing() {
    let sorter = Sorter::new(&SorterOptions::default()).expect("a sorter");
    assert_eq!(sorter.next(), Err(SKIPSORT_BAD_ARGUMENT));
    assert_eq!(sorter.push(b"key", b""), SKIPSORT_OK);
    // SAFETY: refused before anything is read.
    let refused = unsafe {
        [
            skipsort_sorter_push(sorter.0, ptr::null(), 1, ptr::null(), 0),
            skipsort_sorter_push(sorter.0, ptr::null(), 0, ptr::null(), 1),
            skipsort_sorter_push(sorter.0, ptr::null(), 0, ptr::dangling(), usize::MAX),
            skipsort_sorter_each(sorter.0, None, ptr::null_mut()),
            skipsort_sorter_next(sorter.0, ptr::null_mut()),
            skipsort_sorter_finish(ptr::null_mut()),
            skipsort_sorter_new(ptr::null(), ptr::null_mut()),
        ]
    };
    assert_eq!(refused, [SKIPSORT_BAD_ARGUMENT; 7]);
    assert_eq!((sorter.finish(), sorter.finish()), (SKIPSORT_OK, SKIPSORT_OK));
    assert_eq!(sorter.push(b"late", b""), SKIPSORT_BAD_ARGUMENT);
    assert_eq!(sorter.next(), Ok((b"key".to_vec(), Vec::new())));
    assert_eq!((sorter.next(), sorter.message()), (Err(SKIPSORT_END), String::new()));
}

unsafe extern "C" fn stop_at_none_left(context: *mut c_void) -> c_int {
    // SAFETY: the tests hand over a number that nobody else uses during the call.
    let left = unsafe { &mut *context.cast::<usize>() };
    *left = left.saturating_sub(1);
    c_int::from(*left == 0)
}

#[test]
fn options_that_cannot_be_are_refused() {
    let plain = SorterOptions::default();
    let stop = Some(stop_at_none_left as unsafe extern "C" fn(*mut c_void) -> c_int);
    let refused = |options| Sorter::new(&options).err();
    assert_eq!(refused(SorterOptions { flags: 1, ..plain }), Some(SKIPSORT_BAD_ARGUMENT));
    assert_eq!(refused(SorterOptions { threads: 2, stop, ..plain }), Some(SKIPSORT_BAD_ARGUMENT));
    assert_eq!(refused(SorterOptions { threads: 1025, ..plain }), Some(SKIPSORT_BAD_ARGUMENT));
    if !cfg!(miri) {
        // Miri ends for memory that cannot be had.
        assert_eq!(refused(SorterOptions { memory_bytes: 1 << 60, ..plain }), Some(SKIPSORT_NO_MEMORY));
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no file without a name")]
fn a_folder_that_is_not_there_ends_the_sorter() {
    let folder = TempDir::new().expect("a folder");
    let missing = folder.path().join("none");
    assert_eq!(filled(&missing), "No such file or directory");
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no file without a name")]
fn a_folder_that_is_a_file_ends_the_sorter() {
    assert_eq!(filled(Path::new("/dev/full")), "Not a directory");
}

/// The system refuses to write more, here because of a limit on the sizes of files: that is of a process, so it is another one.
#[test]
#[cfg_attr(miri, ignore = "Miri starts no program")]
fn a_file_that_the_system_does_not_write_ends_the_sorter() {
    const FOLDER: &str = "SKIPSORT_TEST_FILE_LIMIT";
    if let Some(folder) = std::env::var_os(FOLDER) {
        return assert_eq!(filled(Path::new(&folder)), "File too large");
    }
    let folder = TempDir::new().expect("a folder");
    let test = "sorter::a_file_that_the_system_does_not_write_ends_the_sorter";
    // Without the signal a write fails in place of ending the process.
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" --exact \"$1\"";
    let program = std::env::current_exe().expect("a program");
    let mut child = std::process::Command::new("sh");
    child.args(["-c", limited]).arg(program).arg(test).env(FOLDER, folder.path());
    let ended = child.output().expect("a shell");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// Fills a sorter until it fails; the system's reason. Each later call says the same.
fn filled(folder: &Path) -> String {
    let name = CString::new(folder.as_os_str().as_encoded_bytes()).expect("a name");
    let options = SorterOptions { memory_bytes: 16 << 10, folder: name.as_ptr(), ..SorterOptions::default() };
    let sorter = Sorter::new(&options).expect("a sorter");
    drop(name);
    let failed = (0..10_000).map(|_| sorter.push(b"some key", b"")).find(|&status| status != SKIPSORT_OK);
    assert_eq!(failed, Some(SKIPSORT_STORAGE));
    assert_eq!((sorter.push(b"", b""), sorter.finish()), (SKIPSORT_STORAGE, SKIPSORT_STORAGE));
    assert_eq!(sorter.next(), Err(SKIPSORT_STORAGE));
    let message = sorter.message();
    let (place, reason) = message.split_once(": ").expect("a place and a reason");
    let (run, of) = place.split_once(" in ").expect("a run and a folder");
    assert!(run.starts_with("cannot write run ") && Path::new(of) == folder, "{message}");
    reason.split(" (os").next().expect("a reason").to_owned()
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no file without a name")]
fn stopped_at_every_moment_it_stays_stopped() {
    let count = 50_000;
    let keys = patterns::find("url").expect("a pattern").keys(count, 1);
    for first in 1.. {
        let mut left: usize = first;
        let context = ptr::from_mut(&mut left).cast();
        let (memory_bytes, stop) = (1 << 20, Some(stop_at_none_left as _));
        let options = SorterOptions { memory_bytes, stop, context, ..SorterOptions::default() };
        let sorter = Sorter::new(&options).expect("a sorter");
        let pushed = keys.iter().map(|key| sorter.push(key, b"")).find(|&status| status != SKIPSORT_OK);
        let mut status = pushed.unwrap_or_else(|| sorter.finish());
        while status == SKIPSORT_OK {
            status = sorter.next().err().unwrap_or(SKIPSORT_OK);
        }
        if status == SKIPSORT_END {
            assert!(first > count >> 12, "asked {first} times");
            return;
        }
        assert_eq!((status, sorter.finish()), (SKIPSORT_STOPPED, SKIPSORT_STOPPED));
        assert_eq!(sorter.message(), "the sort was cancelled");
    }
}
