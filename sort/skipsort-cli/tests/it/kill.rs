//! Killed at twenty moments: no temporary file is left, and the output is whole or untouched.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::{Place, lines, sorted};

#[test]
fn killed_at_twenty_moments() {
    let place = Place::new();
    let input = lines(150_000, 9);
    place.put("file", &input);
    let expected = sorted(&input);
    let args = ["-S1M", "-T", ".", "-o", "out", "file"];
    let start = Instant::now();
    assert!(place.ours(args).status().unwrap().success());
    let whole = start.elapsed();
    assert!(place.get("out") == expected);
    for moment in 0..20u32 {
        place.put("out", "old");
        let signal = [libc::SIGKILL, libc::SIGTERM, libc::SIGINT][moment as usize % 3];
        let mut child = place.ours(args).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::min(whole * moment / 19, Duration::from_secs(5)));
        // SAFETY: the child has not been waited for, so its number is its own.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        child.wait().unwrap();
        let out = place.get("out");
        assert!(out == b"old" || out == expected, "moment {moment}: neither old nor new");
        assert_eq!(place.names(), ["file", "out"], "moment {moment}");
    }
}
