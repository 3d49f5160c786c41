//! What the fuzzers share: keys out of a fuzzer's bytes, complaints that it notices, and panics that it shall not.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static MAY_PANIC: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`, and goes on if it panics; the fuzzer's own hook would end the process.
pub fn outlive_panics(work: impl FnOnce()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let abort = take_hook();
        set_hook(Box::new(move |panic| {
            if !MAY_PANIC.get() {
                abort(panic);
            }
        }));
    });
    MAY_PANIC.set(true);
    let _ = catch_unwind(AssertUnwindSafe(work));
    MAY_PANIC.set(false);
}

/// Splits the input into keys, and repeats them so that few bytes make many ties and large groups.
///
/// ```text
///   [repeat][separator][...........................]   keys end at the separator byte
/// ```
pub fn keys(input: &[u8]) -> Vec<Vec<u8>> {
    let [repeat, separator, rest @ ..] = input else {
        return Vec::new();
    };
    let keys: Vec<&[u8]> = rest.split(|byte| byte == separator).collect();
    let mut all = Vec::new();
    for round in 0..=usize::from(*repeat % 16) {
        for (at, key) in keys.iter().enumerate() {
            // Later rounds put a shared prefix before the key, or cut it short.
            let mut key = key.to_vec();
            match (round + at) % 4 {
                1 => key.truncate(round),
                2 => drop(key.splice(..0, std::iter::repeat_n(*separator, round * 9))),
                3 => key.extend(keys[(at + round) % keys.len()]),
                _ => {}
            }
            all.push(key);
        }
    }
    all
}

/// The keys as slices.
pub fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(|key| &key[..]).collect()
}

/// Panics with the complaint, which is what a fuzzer notices.
pub fn expect(result: Result<(), String>) {
    if let Err(complaint) = result {
        panic!("{complaint}");
    }
}
