//! rustls' configuration of one connection.

use std::path::Path;
use std::sync::Arc;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::verify::Certificates;
use crate::encryption::Encryption;

/// Ring, as in the fetches of releases: no second library of cryptography is built.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The configuration. Every connection agrees on keys anew, so that all subjects' connections begin alike.
pub(super) fn of(encryption: &Encryption, certificates: Arc<Certificates>) -> Outcome<ClientConfig> {
    let unusable = |error: rustls::Error| Fault::environment(format!("no encryption on this host: {error}"));
    let builder = ClientConfig::builder_with_provider(provider());
    let builder = builder.with_safe_default_protocol_versions().map_err(unusable)?;
    let builder = builder.dangerous().with_custom_certificate_verifier(certificates);
    let mut config = match &encryption.identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let chain = self::certificates(&identity.certificate)?;
            let key = PrivateKeyDer::from_pem_file(&identity.key).map_err(|error| match error {
                Error::NoItemsFound => no_pem(&identity.key, "unencrypted private key"),
                error => unreadable(&identity.key, &error),
            })?;
            builder.with_client_auth_cert(chain, key).map_err(|error| {
                let (certificate, key) = (identity.certificate.display(), identity.key.display());
                Fault::usage(format!("{certificate} and {key} are not a certificate and its key: {error}"))
            })?
        }
    };
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// The certificates of a PEM file, at least one.
pub(super) fn certificates(path: &Path) -> Outcome<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| unreadable(path, &error))?;
    if found.is_empty() { Err(no_pem(path, "certificate")) } else { Ok(found) }
}

fn no_pem(path: &Path, wanted: &str) -> Fault {
    let what = format!("{} holds no {wanted} in PEM", path.display());
    Fault::usage(what).hint(format!("name a file with a line `-----BEGIN …`; it must hold a {wanted}"))
}

fn unreadable(path: &Path, error: &Error) -> Fault {
    let error = match error {
        Error::Io(error) => error.to_string(),
        other => format!("{other:?}"),
    };
    Fault::usage(format!("cannot read {}: {error}", path.display()))
}
