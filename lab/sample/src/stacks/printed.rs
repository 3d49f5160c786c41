//! Parses the stacks that debuggers print.

/// Threads and their frames, outermost first, from the output of either debugger.
pub(super) fn walked(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut found: Vec<(u32, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(thread) = thread(line) {
            found.push((thread, Vec::new()));
        } else if let (Some(frame), Some((_, frames))) = (frame(line), found.last_mut()) {
            frames.push(frame);
        }
    }
    found.retain(|(_, frames)| !frames.is_empty());
    found.iter_mut().for_each(|(_, frames)| frames.reverse());
    found
}

/// `TID 17:` or `Thread 1 (Thread 0x7f01 (LWP 17) "name"):`.
fn thread(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("TID ").or_else(|| {
        let rest = line.strip_prefix("Thread ")?;
        Some(&rest[rest.find("LWP ")? + 4..])
    })?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// `#0  0x00007f01 epoll_wait - /lib/libc.so.6`, or `#1  0x000055 in WaitEventSetWait (…) from /x/postgres`: the symbol, or
/// the file's name in brackets where it has none.
fn frame(line: &str) -> Option<String> {
    let (_number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix("0x") {
        Some(address) => address.split_once(' ').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    let (symbol, file) = match rest.strip_prefix("- ") {
        Some(file) => ("", file),
        None => rest.rsplit_once(" - ").or_else(|| rest.split_once(") from ")).unwrap_or((rest, "")),
    };
    // gdb appends arguments, and then the place in the source.
    let symbol = symbol.split_once(" (").map_or(symbol, |(name, _)| name).trim();
    let name = match symbol {
        "" | "??" => {
            let file = file.trim().rsplit('/').next().unwrap_or_default();
            format!("[{}]", if file.is_empty() { "unknown" } else { file })
        }
        symbol => symbol.to_owned(),
    };
    Some(name.replace(';', ":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_eu_stack_prints_is_read() {
        let text = "\
PID 17 - process\nTID 17:\n#0  0x00007fdde epoll_wait - /usr/lib/libc.so.6\n#1  0x000055d0a WaitEventSetWait - /x/postgres\n\
#2  0x000055d0b main - /x/postgres\nTID 18:\n#0  0x00007fddf - /usr/lib/libjemalloc.so.2\n#1  0x00007fde0 a::b(c; d) - /x/mysqld\n\
TID 19:\n";
        let of = |frames: &[&str]| frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            walked(text),
            [
                (17, of(&["main", "WaitEventSetWait", "epoll_wait"])),
                (18, of(&["a::b(c: d)", "[libjemalloc.so.2]"])),
            ]
        );
    }

    #[test]
    fn what_gdb_prints_is_read() {
        let text = "\
[New LWP 18]\n\nThread 2 (Thread 0x7f15 (LWP 18) \"ib_log\"):\n#0  0x00007f16 in ?? () from /lib/libaio.so.1\n\
#1  0x0000560e in os_aio_wait (...) at os0file.cc:120\n\nThread 1 (LWP 17):\n#0  0x00007f17 in poll () from /lib/libc.so.6\n\
#1  main (...) at main.cc:1\n[Inferior 1 (process 17) detached]\n";
        let of = |frames: &[&str]| frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>();
        assert_eq!(walked(text), [(18, of(&["os_aio_wait", "[libaio.so.1]"])), (17, of(&["main", "poll"]))]);
    }
}
