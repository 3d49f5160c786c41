//! A package file of the archive, as catalogues pin it.

/// One package file of the pool, as a mirror serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Where it is below the archive's root (`pool/main/liba/libaio/libaio1_0.3.113-4_amd64.deb`).
    pub path: String,
    /// Its SHA-256.
    pub sha256: String,
}
