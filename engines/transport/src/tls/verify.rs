//! What is checked of a server's certificate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;
use x509_cert::der::Decode;
use x509_cert::{Certificate, TbsCertificate};

use super::config::{self, provider};
use crate::encryption::{Check, Encryption, Roots};

/// Checks the certificates of one connection.
#[derive(Debug)]
pub(super) struct Certificates {
    trust: Trust,
    /// The name must be the host's.
    named: bool,
    algorithms: WebPkiSupportedAlgorithms,
    /// The server has proven that it has the certificate's key.
    proven: AtomicBool,
}

#[derive(Debug)]
enum Trust {
    /// Any certificate will do.
    All,
    System(Verifier),
    File {
        roots: RootCertStore,
        /// A server's own certificate may be in the file: it signed itself.
        exact: Vec<CertificateDer<'static>>,
    },
}

impl Certificates {
    pub(super) fn new(encryption: &Encryption) -> Outcome<Arc<Self>> {
        let provider = provider();
        let algorithms = provider.signature_verification_algorithms;
        let trust = match (encryption.check, &encryption.roots) {
            (Check::Nothing, _) => Trust::All,
            (_, Roots::File(path)) => {
                let exact = config::certificates(path)?;
                let mut roots = RootCertStore::empty();
                let (usable, _) = roots.add_parsable_certificates(exact.iter().cloned());
                if usable == 0 {
                    let what = format!("no certificate in {} can be read", path.display());
                    return Err(Fault::usage(what));
                }
                Trust::File { roots, exact }
            }
            (_, Roots::System) => Trust::System(system(provider, encryption)?),
        };
        let named = encryption.check == Check::Name;
        Ok(Arc::new(Self { trust, named, algorithms, proven: AtomicBool::new(false) }))
    }

    pub(super) fn is_proven(&self) -> bool {
        self.proven.load(Ordering::Relaxed)
    }

    fn check_file(
        &self,
        (roots, exact): (&RootCertStore, &[CertificateDer<'static>]),
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        (name, now): (&ServerName<'_>, UnixTime),
    ) -> Result<(), Error> {
        let parsed = ParsedCertificate::try_from(certificate)?;
        if exact.iter().any(|root| root == certificate) {
            is_in_time(certificate, now)?;
        } else {
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, roots, intermediates, now, algorithms)?;
        }
        if self.named { verify_server_name(&parsed, name) } else { Ok(()) }
    }

    fn prove(&self, done: Result<HandshakeSignatureValid, Error>) -> Result<HandshakeSignatureValid, Error> {
        match (done, &self.trust) {
            (Ok(valid), _) => {
                self.proven.store(true, Ordering::Relaxed);
                Ok(valid)
            }
            // Certificates of the first version of X.509, which many servers made for themselves, cannot be read here.
            // Where nothing is checked, nothing is lost: whoever poses as the server would bring a key of his own.
            (Err(Error::InvalidCertificate(_)), Trust::All) => Ok(HandshakeSignatureValid::assertion()),
            (error, _) => error,
        }
    }
}

fn system(provider: Arc<CryptoProvider>, encryption: &Encryption) -> Outcome<Verifier> {
    Verifier::new(provider).map_err(|error| {
        let option = encryption.spelling.root_file;
        Fault::environment(format!("this host's trusted authorities cannot be read: {error}"))
            .hint(format!("install the package ca-certificates, or name a file: {option}=/path/of/ca.pem"))
    })
}

/// The dates of a certificate that is trusted by itself. Those of others are checked with their signatures.
fn is_in_time(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let read = Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding)?;
    let validity = TbsCertificate::validity(read.tbs_certificate());
    let (from, until) = (validity.not_before.to_unix_duration(), validity.not_after.to_unix_duration());
    let time = |time| UnixTime::since_unix_epoch(time);
    if now.as_secs() < from.as_secs() {
        return Err(CertificateError::NotValidYetContext { time: now, not_before: time(from) }.into());
    }
    if now.as_secs() > until.as_secs() {
        return Err(CertificateError::ExpiredContext { time: now, not_after: time(until) }.into());
    }
    Ok(())
}

impl ServerCertVerifier for Certificates {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        status: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.trust {
            Trust::All => {}
            Trust::System(verifier) => {
                return verifier.verify_server_cert(certificate, intermediates, name, status, now);
            }
            Trust::File { roots, exact } => {
                self.check_file((roots, exact), certificate, intermediates, (name, now))?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.prove(verify_tls12_signature(message, certificate, signature, &self.algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.prove(verify_tls13_signature(message, certificate, signature, &self.algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
