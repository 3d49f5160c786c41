//! Processors as kernels describe them, shortened to the fields that are read.

use humdrum_model::GenerationSource::{Features, Model};

use super::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Flags of x86 processors; each line adds to the one above.
const AVX2: &str = "fpu sse2 sse4_2 avx avx2";
const AVX512: &str = "fpu sse2 sse4_2 avx avx2 avx512f avx512bw avx512_vnni";
const AVX512_ICE: &str = "fpu sse2 sse4_2 avx avx2 avx512f avx512bw avx512_vnni avx512_vbmi2";
const AMX: &str =
    "fpu sse2 sse4_2 avx avx2 avx512f avx512bw avx512_vnni avx512_vbmi2 avx512_fp16 amx_tile amx_int8";

/// One processor of /proc/cpuinfo of an x86 host, in a virtual machine.
fn x86(vendor: &str, [family, model, stepping]: [u32; 3], name: &str, flags: &str) -> String {
    format!(
        "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: {name}\n\
         stepping\t: {stepping}\ncpu MHz\t\t: 2599.998\nphysical id\t: 0\nflags\t\t: {flags} hypervisor\nbugs\t\t:\n\n"
    )
}

/// One processor of /proc/cpuinfo of an Arm host.
fn arm(number: u32, implementer: u32, part: u32, features: &str) -> String {
    format!(
        "processor\t: {number}\nBogoMIPS\t: 243.75\nFeatures\t: {features}\nCPU implementer\t: {implementer:#x}\n\
         CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: {part:#05x}\nCPU revision\t: 1\n\n"
    )
}

/// Sizes in KiB: first-level data and instructions, second, third.
fn caches([l1d, l1i, l2, l3]: [u64; 4]) -> Caches {
    let size = |kib: u64| (kib > 0).then_some(kib * KIB);
    Caches { l1d_bytes: size(l1d), l1i_bytes: size(l1i), l2_bytes: size(l2), l3_bytes: size(l3) }
}

fn described(cpuinfo: String, sizes: [u64; 4]) -> Processor {
    describe(&Texts { cpuinfo, caches: caches(sizes), ..Texts::default() })
}

#[track_caller]
fn is(found: &Processor, vendor: &str, generation: &str, simd: &str) {
    assert_eq!(
        (found.vendor.as_str(), found.generation.as_str(), found.simd.as_str()),
        (vendor, generation, simd)
    );
}

#[test]
fn native_is_of_the_first_processor_without_its_name_and_clock() {
    let one = |model: u32| x86("AuthenticAMD", [0x19, model, 1], "AMD EPYC", "avx2 avx");
    assert_eq!(native(&one(1)), "AuthenticAMD 25 1 avx avx2 hypervisor");
    assert_eq!(native(&one(1)), native(&(one(1) + &one(2))));
    assert_ne!(native(&one(1)), native(&one(2)));
    assert_eq!(native(&arm(0, 0x41, 0xd0c, "fp asimd")), "65 3340 asimd fp");
    assert_eq!(native(""), "");
}

#[test]
fn amd_by_family_and_model() {
    let of = |family, model, flags: &str, l1d| {
        described(x86("AuthenticAMD", [family, model, 1], "AMD EPYC", flags), [l1d, 32, 512, 32 << 10])
    };
    is(&of(0x17, 0x01, AVX2, 32), "AMD", "Zen", "AVX2");
    is(&of(0x17, 0x31, AVX2, 32), "AMD", "Zen 2", "AVX2");
    is(&of(0x19, 0x01, AVX2, 32), "AMD", "Zen 3", "AVX2");
    is(&of(0x19, 0x44, AVX2, 32), "AMD", "Zen 3+", "AVX2");
    is(&of(0x19, 0x11, AVX512, 32), "AMD", "Zen 4", "AVX-512");
    is(&of(0x1a, 0x02, AVX512, 48), "AMD", "Zen 5", "AVX-512");
    let found = of(0x19, 0x01, AVX2, 32);
    assert_eq!(
        (found.family, found.model, found.stepping, found.generation_source),
        (Some(25), Some(1), Some(1), Some(Model))
    );
    assert_eq!((found.l2_bytes, found.l3_bytes), (Some(512 * KIB), Some(32 * MIB)));
}

#[test]
fn intel_by_model_and_stepping() {
    let of = |model, stepping, flags: &str, l2| {
        described(
            x86("GenuineIntel", [6, model, stepping], "Intel(R) Xeon(R)", flags),
            [32, 32, l2, 32 << 10],
        )
    };
    is(&of(79, 1, AVX2, 256), "Intel", "Broadwell-EP", "AVX2");
    is(&of(85, 4, AVX512, 1024), "Intel", "Skylake-SP", "AVX-512");
    is(&of(85, 7, AVX512, 1024), "Intel", "Cascade Lake", "AVX-512");
    is(&of(85, 11, AVX512, 1024), "Intel", "Cooper Lake", "AVX-512");
    is(&of(106, 6, AVX512_ICE, 1280), "Intel", "Ice Lake-SP", "AVX-512");
    is(&of(143, 8, AMX, 2048), "Intel", "Sapphire Rapids", "AVX-512, AMX");
    is(&of(173, 1, AMX, 2048), "Intel", "Granite Rapids", "AVX-512, AMX");
    // A hypervisor that hides AMX hides nothing of the model.
    is(&of(143, 8, AVX512_ICE, 2048), "Intel", "Sapphire Rapids", "AVX-512");
}

/// Family 6 model 167 is Rocket Lake, a desktop processor with 512 KB of second-level cache and without AMX.
#[test]
fn a_masked_model_is_found_by_features_and_caches() {
    let of = |flags: &str, sizes| {
        described(x86("GenuineIntel", [6, 167, 1], "Intel(R) Xeon(R) Processor", flags), sizes)
    };
    let masked = of(AMX, [48, 64, 2048, 480 << 10]);
    is(&masked, "Intel", "Granite Rapids", "AVX-512, AMX");
    assert_eq!((masked.model, masked.generation_source), (Some(167), Some(Features)));
    is(&of(AMX, [48, 32, 2048, 480 << 10]), "Intel", "Granite Rapids", "AVX-512, AMX");
    is(&of(AMX, [48, 32, 2048, 105 << 10]), "Intel", "Sapphire Rapids or Emerald Rapids", "AVX-512, AMX");
    is(&of(AMX, [48, 32, 0, 0]), "Intel", "unknown, family 6 model 167", "AVX-512, AMX");
    let honest = of(AVX512_ICE, [48, 32, 512, 16 << 10]);
    is(&honest, "Intel", "Rocket Lake", "AVX-512");
    assert_eq!(honest.generation_source, Some(Model));
    // Haswell has no AVX-512.
    let haswell = |flags: &str, l2| {
        described(x86("GenuineIntel", [6, 60, 1], "Intel Core Processor (Haswell)", flags), [32, 32, l2, 0])
    };
    is(&haswell(AVX512_ICE, 1280), "Intel", "Ice Lake-SP", "AVX-512");
    is(&haswell(AVX512, 1024), "Intel", "Skylake-SP, Cascade Lake or Cooper Lake", "AVX-512");
    let amd =
        |l1d| described(x86("AuthenticAMD", [23, 49, 0], "AMD EPYC", AVX512), [l1d, 32, 1024, 32 << 10]);
    is(&amd(32), "AMD", "Zen 4", "AVX-512");
    is(&amd(48), "AMD", "Zen 5", "AVX-512");
}

#[test]
fn what_is_not_in_the_tables_is_unknown_and_says_its_numbers() {
    let amd = described(x86("AuthenticAMD", [25, 200, 1], "AMD EPYC", AVX2), [32, 32, 512, 0]);
    is(&amd, "AMD", "unknown, family 25 model 200", "AVX2");
    assert_eq!(amd.generation_source, None);
    is(
        &described(arm(0, 0x41, 0xdff, "fp asimd"), [0; 4]),
        "Arm",
        "unknown, implementer 0x41 part 0xdff",
        "NEON",
    );
    is(&described(String::new(), [0; 4]), "", "unknown", "");
    let power = described("processor\t: 0\ncpu\t\t: POWER9\n".into(), [0; 4]);
    is(&power, "", "unknown", "");
}

#[test]
fn arm_by_implementer_and_part() {
    let of = |implementer, part, features| described(arm(0, implementer, part, features), [64, 64, 1024, 0]);
    is(&of(0x41, 0xd0c, "fp asimd"), "Arm", "Neoverse N1", "NEON");
    is(&of(0x41, 0xd40, "fp asimd sve"), "Arm", "Neoverse V1", "SVE");
    is(&of(0x41, 0xd49, "fp asimd sve sve2"), "Arm", "Neoverse N2", "SVE2");
    is(&of(0x41, 0xd4f, "fp asimd sve sve2"), "Arm", "Neoverse V2", "SVE2");
    is(&of(0xc0, 0xac3, "fp asimd"), "Ampere", "AmpereOne", "NEON");
    is(&of(0x61, 0x023, "fp asimd"), "Apple", "Apple M1", "NEON");
    let both = arm(0, 0x41, 0xd05, "asimd") + &arm(1, 0x41, 0xd0b, "asimd") + &arm(2, 0x41, 0xd0b, "asimd");
    is(&described(both, [32, 32, 128, 0]), "Arm", "Cortex-A55 and Cortex-A76", "NEON");
}

#[test]
fn names_are_the_processors_own_where_it_has_one() {
    assert_eq!(
        name(&x86("AuthenticAMD", [25, 1, 1], "AMD EPYC 7763 64-Core", AVX2)),
        "AMD EPYC 7763 64-Core"
    );
    assert_eq!(name(&arm(0, 0x41, 0xd0c, "asimd")), "Neoverse N1");
    assert_eq!(name(""), std::env::consts::ARCH);
    assert!(is_virtual(&x86("AuthenticAMD", [25, 1, 1], "AMD EPYC", AVX2)) && !is_virtual(""));
}

#[test]
fn sockets_nodes_and_siblings_are_counted() {
    let texts = Texts {
        smt_active: "1".into(),
        packages: ["0", "0", "1", "1"].map(str::to_owned).to_vec(),
        nodes_online: "0-3,8".into(),
        ..Texts::default()
    };
    let found = describe(&texts);
    assert_eq!((found.smt, found.sockets, found.numa_nodes), (Some(true), Some(2), Some(5)));
    assert_eq!(sockets(&["-1".to_owned()]), None);
    assert_eq!([ranges("0"), ranges(""), ranges("3-1"), ranges("0-4294967295")], [Some(1), None, None, None]);
    assert_eq!([smt("0"), smt("notsupported")], [Some(false), None]);
}

#[test]
fn this_host_has_a_processor() {
    let found = describe(&Texts::of_host());
    assert!(!found.generation.is_empty(), "{found:?}");
}
