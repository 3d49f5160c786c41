//! The processor in words: its name for headlines, and all that is known of it for the host's lines.

use humdrum_model::{GenerationSource, HostFacts, Processor, Storage, Summary, TestResult};

use crate::number::{bytes, short};
use crate::text::clean;

/// `AMD EPYC (Zen 3)`; `None` for results that did not record the generation.
pub(crate) fn named(host: &HostFacts) -> Option<String> {
    let generation = clean(&host.processor.generation);
    if generation.is_empty() {
        return None;
    }
    let brand = brand(&host.cpu_model, &host.processor.vendor);
    let told = generation == brand || generation.starts_with(&format!("{} ", host.processor.vendor));
    Some(if brand.is_empty() || told { generation } else { format!("{brand} ({generation})") })
}

/// ` on AMD EPYC (Zen 3)`, to follow what a headline is about; empty for results that did not record the generation.
pub(crate) fn on(host: &HostFacts) -> String {
    named(host).map_or_else(String::new, |name| format!(" on {name}"))
}

/// The same of a comparison; ` on 4 hosts` if it was measured on several.
pub(crate) fn on_hosts(summary: &Summary) -> String {
    let tests = summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let hosts = |test: &TestResult| test.runs.iter().filter(|run| run.host.is_some()).count();
    match tests.map(hosts).max().unwrap_or_default() {
        0 | 1 => on(&summary.host),
        hosts => format!(" on {hosts} hosts"),
    }
}

/// What a processor's own name adds to its brand and number: `(R)`, `CPU`, `64-Core`, `@ 2.60GHz`.
fn brand(name: &str, vendor: &str) -> String {
    let name = clean(name).replace("(R)", " ").replace("(TM)", " ").replace("(tm)", " ");
    let before_clock = name.split('@').next().unwrap_or_default();
    let filler = |word: &&str| {
        !matches!(*word, "CPU" | "Processor" | "processor" | "with" | "Radeon" | "Graphics")
            && !word.ends_with("-Core")
            && !word.ends_with("-Cores")
    };
    let words: Vec<&str> = before_clock.split_whitespace().filter(filler).collect();
    if words.is_empty() { clean(vendor) } else { words.join(" ") }
}

/// All that is known of processor, memory pages and storage in one line; `None` for results that did not record it.
pub fn described(host: &HostFacts) -> Option<String> {
    if host.processor == Processor::default() {
        return None;
    }
    let processor = &host.processor;
    let parts = [
        Some(identity(processor)),
        Some(processor.simd.clone()),
        caches(processor),
        layout(processor),
        pages(host),
        host.hypervisor.as_ref().map(|name| format!("hypervisor {name}")),
        data(&host.storage),
    ];
    let known: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Some(known.join("; "))
}

/// `Intel Granite Rapids (by features and caches; it reports family 6 model 167 stepping 1)`.
fn identity(processor: &Processor) -> String {
    let numbers =
        [("family", processor.family), ("model", processor.model), ("stepping", processor.stepping)];
    let told: Vec<String> =
        numbers.iter().filter_map(|(name, number)| Some(format!("{name} {}", (*number)?))).collect();
    let told = match (processor.generation_source, told.join(" ")) {
        (_, told) if told.is_empty() => String::new(),
        (Some(GenerationSource::Features), told) => {
            format!(" (by features and caches; it reports {told})")
        }
        (_, told) => format!(" ({told})"),
    };
    format!("{} {}{told}", processor.vendor, processor.generation).trim_start().to_owned()
}

/// `L1 48 KiB data and 64 KiB instructions, L2 2.0 MiB, L3 480 MiB`.
fn caches(processor: &Processor) -> Option<String> {
    let first = [(processor.l1d_bytes, "data"), (processor.l1i_bytes, "instructions")];
    let first: Vec<String> =
        first.iter().filter_map(|(size, what)| Some(format!("{} {what}", bytes((*size)?)))).collect();
    let mut parts = Vec::new();
    if !first.is_empty() {
        parts.push(format!("L1 {}", first.join(" and ")));
    }
    parts.extend(processor.l2_bytes.map(|size| format!("L2 {}", bytes(size))));
    parts.extend(processor.l3_bytes.map(|size| format!("L3 {}", bytes(size))));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `SMT off, 1 socket, 2 NUMA nodes`.
fn layout(processor: &Processor) -> Option<String> {
    let count = |number: u32, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let mut parts = Vec::new();
    parts.extend(processor.smt.map(|on| format!("SMT {}", if on { "on" } else { "off" })));
    parts.extend(processor.sockets.map(|number| count(number, "socket")));
    parts.extend(processor.numa_nodes.map(|number| count(number, "NUMA node")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `pages of 4.0 KiB, transparent huge pages madvise`.
fn pages(host: &HostFacts) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(host.page_bytes.map(|size| format!("pages of {}", bytes(size))));
    parts.extend(host.huge_pages.as_ref().map(|when| format!("transparent huge pages {when}")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `data on ext4 (rw,relatime), /dev/vda (virtio_blk)`.
fn data(storage: &Storage) -> Option<String> {
    let model =
        if storage.device_model.is_empty() { String::new() } else { format!(" ({})", storage.device_model) };
    (!storage.file_system.is_empty()).then(|| {
        format!("data on {} ({}), {}{model}", storage.file_system, storage.mount_options, storage.device)
    })
}

/// Distribution and kernel.
pub(crate) fn system(host: &HostFacts) -> String {
    let kernel = if host.kernel.trim().is_empty() { "unknown" } else { &host.kernel };
    host.distribution.as_ref().map_or_else(|| kernel.to_owned(), |name| format!("{name}, {kernel}"))
}

/// How long an fsync takes, as a median and for all but one in a hundred.
pub(crate) fn fsync(host: &HostFacts) -> String {
    let Some(median) = host.fsync_us_p50 else { return "not measured".to_owned() };
    let most = host.fsync_us_p99.map(|us| format!(" (p99 {})", short(us)));
    format!("{} µs{}", short(median), most.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use humdrum_model::Summary;

    use super::*;
    use crate::{Style, fixture};

    fn host(cpu_model: &str, vendor: &str, generation: &str) -> HostFacts {
        let processor =
            Processor { vendor: vendor.into(), generation: generation.into(), ..Processor::default() };
        HostFacts { cpu_model: cpu_model.into(), processor, ..HostFacts::default() }
    }

    #[test]
    fn headlines_have_the_brand_and_the_generation() {
        let cases = [
            ("AMD EPYC", "AMD", "Zen 3", "AMD EPYC (Zen 3)"),
            ("AMD EPYC 7763 64-Core Processor", "AMD", "Zen 3", "AMD EPYC 7763 (Zen 3)"),
            ("Intel(R) Xeon(R) Processor", "Intel", "Granite Rapids", "Intel Xeon (Granite Rapids)"),
            (
                "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz",
                "Intel",
                "Cascade Lake",
                "Intel Xeon Platinum 8275CL (Cascade Lake)",
            ),
            ("Neoverse N1", "Arm", "Neoverse N1", "Neoverse N1"),
            ("Apple M1", "Apple", "Apple M1", "Apple M1"),
            ("", "Arm", "Neoverse V2", "Arm (Neoverse V2)"),
            ("AMD EPYC", "AMD", "unknown, family 25 model 200", "AMD EPYC (unknown, family 25 model 200)"),
        ];
        for (cpu_model, vendor, generation, expected) in cases {
            assert_eq!(named(&host(cpu_model, vendor, generation)).as_deref(), Some(expected));
        }
        assert_eq!(on(&host("AMD EPYC", "AMD", "Zen 3")), " on AMD EPYC (Zen 3)");
    }

    #[test]
    fn what_was_not_recorded_is_not_told() {
        let old = host("AMD EPYC", "", "");
        assert_eq!((named(&old), on(&old), described(&old)), (None, String::new(), None));
        assert_eq!(described(&host("AMD EPYC", "AMD", "Zen 3")).as_deref(), Some("AMD Zen 3"));
    }

    #[test]
    fn all_that_is_known_is_told_in_a_line() {
        let processor = Processor {
            vendor: "Intel".into(),
            family: Some(6),
            model: Some(167),
            stepping: Some(1),
            generation: "Granite Rapids".into(),
            generation_source: Some(GenerationSource::Features),
            l1d_bytes: Some(48 << 10),
            l1i_bytes: Some(64 << 10),
            l2_bytes: Some(2 << 20),
            l3_bytes: Some(480 << 20),
            simd: "AVX-512, AMX".into(),
            smt: Some(false),
            sockets: Some(1),
            numa_nodes: Some(2),
        };
        let storage = Storage {
            file_system: "ext4".into(),
            mount_options: "rw,relatime".into(),
            device: "/dev/vda".into(),
            device_model: "virtio_blk".into(),
        };
        let facts = HostFacts {
            processor,
            storage,
            hypervisor: Some("KVM".into()),
            page_bytes: Some(4096),
            huge_pages: Some("madvise".into()),
            ..HostFacts::default()
        };
        insta::assert_snapshot!(described(&facts).expect("known"), @"Intel Granite Rapids (by features and caches; it reports family 6 model 167 stepping 1); AVX-512, AMX; L1 48.0 KiB data and 64.0 KiB instructions, L2 2.0 MiB, L3 480 MiB; SMT off, 1 socket, 2 NUMA nodes; pages of 4.0 KiB, transparent huge pages madvise; hypervisor KVM; data on ext4 (rw,relatime), /dev/vda (virtio_blk)");
    }

    #[test]
    fn every_headline_names_the_host() {
        let (mut summary, results, extras) = fixture::run();
        let style = Style { color: false, width: 100, verbose: false };
        let texts = |summary: &Summary| {
            [
                crate::terminal(summary, &results, &extras, style),
                crate::markdown(summary, &results, &extras),
                crate::github(summary, &results, &extras),
                crate::html(summary, &results, &extras),
            ]
        };
        assert!(texts(&summary).iter().all(|text| !text.contains(" on Example")), "an old result");
        summary.host.processor = host("", "Example", "Zen 3").processor;
        let heads =
            ["against postgres@16.11", "against `postgres@16.11`", "against `postgres@16.11`", "<h1>"];
        for (text, head) in texts(&summary).iter().zip(heads) {
            let line = text.lines().find(|line| line.contains(head)).expect("a headline");
            assert!(line.contains(" on Example (Zen 3)"), "{line}");
        }
        let (mut row, results, _) = fixture::releases();
        row.host.processor = summary.host.processor;
        let title = crate::markdown(&row, &results, &extras);
        assert!(
            title.lines().next().is_some_and(|line| line.ends_with(" releases on Example (Zen 3)")),
            "{title}"
        );
    }
}
