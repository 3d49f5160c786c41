//! One process: how long it took and how much memory it had, from the kernel's account of it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub seconds: f64,
    /// Peak resident size, bytes.
    pub resident: u64,
}

/// Runs a program that writes `output` so many times; the file is removed before each, so that both programs start alike.
/// The sum of their times, and the largest memory.
pub fn run(command: &mut Command, times: usize, output: &Path) -> io::Result<Cost> {
    let mut sum = Cost { seconds: 0.0, resident: 0 };
    for _ in 0..times {
        remove(output)?;
        let start = Instant::now();
        let child = command.spawn()?;
        let (status, resident) = wait(child.id())?;
        sum.seconds += start.elapsed().as_secs_f64();
        sum.resident = sum.resident.max(resident);
        if status != 0 {
            return Err(io::Error::other(format!("{command:?} ended with wait status {status}")));
        }
    }
    Ok(sum)
}

/// Removes a file if there is one.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits for a child; its wait status and its peak resident size.
fn wait(id: u32) -> io::Result<(i32, u64)> {
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`, which is integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers lead to live variables of the right types.
        let waited = unsafe { libc::wait4(id as libc::pid_t, &raw mut status, 0, &raw mut usage) };
        if waited == id as libc::pid_t {
            return Ok((status, usage.ru_maxrss as u64 * 1024));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The median time, and the largest memory.
pub fn median(costs: &[Cost]) -> Cost {
    let mut seconds: Vec<f64> = costs.iter().map(|cost| cost.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let middle = (seconds[(seconds.len() - 1) / 2] + seconds[seconds.len() / 2]) / 2.0;
    Cost { seconds: middle, resident: costs.iter().map(|cost| cost.resident).max().unwrap_or(0) }
}

/// True when two files hold the same bytes.
pub fn same(left: &Path, right: &Path) -> io::Result<bool> {
    let (mut left, mut right) = (File::open(left)?, File::open(right)?);
    let (mut a, mut b) = (vec![0; 1 << 18], vec![0; 1 << 18]);
    loop {
        let (x, y) = (read_full(&mut left, &mut a)?, read_full(&mut right, &mut b)?);
        if a[..x] != b[..y] {
            return Ok(false);
        }
        if x == 0 {
            return Ok(true);
        }
    }
}

fn read_full(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
