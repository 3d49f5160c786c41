//! The fingerprint of a server: the same for the same build with the same settings.

use humdrum_provision::checksum;

/// SHA-256 of what a build is and what it was given, in order.
pub fn fingerprint(build: &str, settings: &[(String, String)]) -> String {
    let lines: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
    checksum::sha256_of_bytes(format!("{build}\n{}", lines.join("\n")).as_bytes())
}
