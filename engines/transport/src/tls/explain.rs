//! What went wrong when keys were agreed on, and what to type next.

use humdrum_model::Fault;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error};

use crate::encryption::{Encryption, Roots};

/// The fault; `place` is host and port.
pub(super) fn explain(error: &Error, place: &str, encryption: &Encryption) -> Fault {
    match error {
        Error::InvalidCertificate(why) => certificate(why, place, encryption),
        Error::AlertReceived(alert) => alerted(*alert, place, encryption),
        Error::PeerIncompatible(_) => old(place, encryption),
        Error::InvalidMessage(_) | Error::InappropriateMessage { .. } => Fault::environment(format!(
            "what listens at {place} answers with something other than TLS: {error}"
        ))
        .hint("check host and port"),
        other => Fault::environment(format!("no encrypted connection to {place}: {other}")),
    }
}

/// The same behind the handshake. With TLS 1.3 a server judges the client's certificate when the client has done its part.
pub(super) fn later(error: &Error, place: &str, encryption: &Encryption) -> Fault {
    match error {
        Error::AlertReceived(alert) if is_of_certificate(*alert) => alerted(*alert, place, encryption),
        _ => Fault::crash(format!("the server sent what cannot be decrypted: {error}")),
    }
}

fn certificate(why: &CertificateError, place: &str, encryption: &Encryption) -> Fault {
    let spelling = encryption.spelling;
    let whose = format!("the certificate of {place}");
    let unchecked = format!("`{}` encrypts without this check", spelling.unchecked);
    let (what, hint) = match why {
        CertificateError::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            let names = presented.iter().map(|name| plain_name(name)).collect::<Vec<_>>().join(", ");
            (
                format!("{whose} is for {names}, and not for this host"),
                format!(
                    "connect to a name that it is for; `{}` checks who signed it and not the name",
                    spelling.authority
                ),
            )
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
            format!("{whose} names no host in its subjectAltName"),
            format!(
                "make it anew with a subjectAltName (openssl: -addext subjectAltName=DNS:the.host); `{}` checks who \
                 signed it and not the name",
                spelling.authority
            ),
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            format!("{whose} is out of date{}", days_since(why)),
            format!("renew it and reload the server; {unchecked}"),
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
            format!("{whose} is not valid yet"),
            format!("check the clocks of this host and of the server; {unchecked}"),
        ),
        // The second: an authority of the same name has another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            let trusted = match &encryption.roots {
                Roots::System => "this host trusts".to_owned(),
                Roots::File(path) => format!("is in {}", path.display()),
            };
            (
                format!("{whose} was signed by no authority that {trusted}"),
                format!(
                    "name the PEM file of the authority that signed it: {}=/path/of/ca.pem; {unchecked}",
                    spelling.root_file
                ),
            )
        }
        other => {
            let what = format!("{whose} cannot be checked: {}", Error::InvalidCertificate(other.clone()));
            let text =
                "certificates of the first version of X.509 cannot: make it anew, with a subjectAltName";
            (what, format!("{text}; {unchecked}"))
        }
    };
    Fault::environment(what).hint(hint)
}

/// `db.example` of `DnsName("db.example")`.
fn plain_name(shown: &str) -> &str {
    shown.split('"').nth(1).unwrap_or(shown)
}

fn days_since(why: &CertificateError) -> String {
    let CertificateError::ExpiredContext { time, not_after } = why else { return String::new() };
    let days = (UnixTime::as_secs(time).saturating_sub(not_after.as_secs())) / 86_400;
    format!(" since {days} days")
}

/// What servers say of a client's certificate. The last: its authority has a name that they know, and another key.
fn is_of_certificate(alert: AlertDescription) -> bool {
    use AlertDescription as A;
    [
        A::CertificateRequired,
        A::BadCertificate,
        A::UnsupportedCertificate,
        A::CertificateRevoked,
        A::CertificateExpired,
        A::CertificateUnknown,
        A::UnknownCA,
        A::AccessDenied,
        A::DecryptError,
    ]
    .contains(&alert)
}

fn alerted(alert: AlertDescription, place: &str, encryption: &Encryption) -> Fault {
    use AlertDescription as A;
    match alert {
        A::ProtocolVersion | A::InsufficientSecurity => old(place, encryption),
        alert if is_of_certificate(alert) => {
            let what = match &encryption.identity {
                None => format!("{place} wants a certificate of the client"),
                Some(identity) => {
                    format!("{place} refuses the certificate {} ({alert:?})", identity.certificate.display())
                }
            };
            let hint =
                format!("name a certificate that the server accepts: {}", encryption.spelling.identity);
            Fault::environment(what).hint(hint)
        }
        _ => Fault::environment(format!("{place} refused to agree on encryption ({alert:?})"))
            .hint(not_old(encryption)),
    }
}

fn old(place: &str, encryption: &Encryption) -> Fault {
    let what = format!("{place} offers no encryption of TLS 1.2 or later");
    Fault::environment(what).hint(not_old(encryption))
}

fn not_old(encryption: &Encryption) -> String {
    format!(
        "let the server offer TLS 1.2 or 1.3, or use a Unix socket; `{}` leaves out encryption",
        encryption.spelling.never
    )
}
