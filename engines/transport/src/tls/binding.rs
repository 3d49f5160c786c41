//! The hash of a server's certificate that a password's proof is bound to: `tls-server-end-point` (RFC 5929, 4.1).

use sha2::{Digest, Sha256, Sha384, Sha512};
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// The certificate's hash by the hash function of its signature, SHA-256 in place of MD5 and SHA-1. `None` for signatures
/// without one.
pub(super) fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let read = Certificate::from_der(certificate).ok()?;
    match read.signature_algorithm().oid.to_string().as_str() {
        // RSA with MD5, SHA-1 and SHA-256; ECDSA with SHA-1 and SHA-256.
        "1.2.840.113549.1.1.4"
        | "1.2.840.113549.1.1.5"
        | "1.2.840.113549.1.1.11"
        | "1.2.840.10045.4.1"
        | "1.2.840.10045.4.3.2" => Some(Sha256::digest(certificate).to_vec()),
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Some(Sha384::digest(certificate).to_vec()),
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}
