//! The processor that a table was measured on, so that no figure stands without it.

use std::fs;

/// Its name, the numbers that tell its generation, its caches, how many of it there are, and whether it is a virtual one, as Linux
/// says them: `AMD EPYC (family 25, model 1), L2 512K, L3 32768K, 2 processors, virtual`.
pub(crate) fn describe() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cache = |index: u32, what: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
        fs::read_to_string(path).map(|text| text.trim().to_owned()).ok()
    };
    let caches = (0..8).filter_map(|index| Some((cache(index, "level")?, cache(index, "size")?)));
    text(&cpuinfo, caches.filter(|(level, _)| level != "1"))
}

fn text(cpuinfo: &str, caches: impl Iterator<Item = (String, String)>) -> String {
    let value = |name: &str| {
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        };
        cpuinfo.lines().find_map(of)
    };
    let mut parts = vec![value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())];
    if let (Some(family), Some(model)) = (value("cpu family"), value("model")) {
        parts[0] += &format!(" (family {family}, model {model})");
    }
    parts.extend(caches.map(|(level, size)| format!("L{level} {size}")));
    let count = cpuinfo.lines().filter(|line| line.starts_with("processor")).count().max(1);
    parts.push(format!("{count} processor{}", if count == 1 { "" } else { "s" }));
    if value("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")) {
        parts.push("virtual".into());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_virtual_processor_is_named_with_its_caches() {
        let one = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor\n\n";
        let caches =
            [("2", "512K"), ("3", "32768K")].map(|(level, size)| (level.to_owned(), size.to_owned()));
        assert_eq!(
            text(&one.repeat(2), caches.into_iter()),
            "AMD EPYC (family 25, model 1), L2 512K, L3 32768K, 2 processors, virtual"
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(text("", std::iter::empty()), format!("{}, 1 processor", std::env::consts::ARCH));
    }
}
