//! The hypervisor below this host.

use crate::system::read;

/// Signatures in CPUID leaf 0x4000_0000, and the hypervisors that use them.
const SIGNATURES: [(&str, &str); 8] = [
    ("ACRNACRNACRN", "ACRN"),
    ("KVMKVMKVM", "KVM"),
    ("Microsoft Hv", "Hyper-V"),
    ("TCGTCGTCGTCG", "QEMU without KVM"),
    ("VMwareVMware", "VMware"),
    ("XenVMMXenVMM", "Xen"),
    ("bhyve bhyve ", "bhyve"),
    ("prl hyperv  ", "Parallels"),
];

/// The hypervisor's name; `None` where there is none or it does not identify itself.
pub(super) fn of_host(is_virtual: bool) -> Option<String> {
    let by_kernel = read("/sys/hypervisor/type");
    match by_kernel.as_str() {
        "" if is_virtual => signature().as_deref().and_then(named),
        "" => None,
        kind => Some(if kind == "xen" { "Xen".to_owned() } else { kind.to_owned() }),
    }
}

/// The name that belongs to a signature; the signature itself where it is not known.
pub(super) fn named(signature: &str) -> Option<String> {
    let known = SIGNATURES.iter().find(|(of, _)| of.trim_end() == signature.trim_end());
    let text = known.map_or(signature.trim_end(), |(_, name)| name);
    (!text.is_empty()).then(|| text.to_owned())
}

/// The hypervisor's signature in CPUID, without padding.
#[cfg(target_arch = "x86_64")]
fn signature() -> Option<String> {
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].iter().flat_map(|part| part.to_le_bytes()).collect();
    let printable = |byte: &u8| (b' '..=b'~').contains(byte);
    let text: Vec<u8> = bytes.into_iter().take_while(printable).collect();
    String::from_utf8(text).ok()
}

/// Other processors have no such instruction.
#[cfg(not(target_arch = "x86_64"))]
fn signature() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_have_names() {
        assert_eq!(named("KVMKVMKVM").as_deref(), Some("KVM"));
        assert_eq!(named("bhyve bhyve").as_deref(), Some("bhyve"));
        assert_eq!(named("Something").as_deref(), Some("Something"));
        assert_eq!(named(""), None);
    }
}
