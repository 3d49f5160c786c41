//! What a user asks of the encryption of a connection over TCP. A Unix socket is never encrypted.

use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind};

/// How a connection over TCP is encrypted, and what is checked of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encryption {
    /// Whether to encrypt.
    pub wish: Wish,
    /// What is checked of the server's certificate.
    pub check: Check,
    /// Who may have signed the server's certificate.
    pub roots: Roots,
    /// The client's own certificate, for servers that ask for one.
    pub identity: Option<Identity>,
    /// Whether a password's proof is bound to the encrypted connection (SCRAM).
    pub binding: Binding,
    /// How the engine's users write these options, for hints.
    pub spelling: &'static Spelling,
}

/// Whether to encrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// No.
    Never,
    /// If the server refuses a connection without it.
    IfPlainIsRefused,
    /// If the server offers it.
    IfOffered,
    /// Yes, or there is no connection.
    Always,
}

/// What is checked of the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Nothing: protects from those who listen, not from those who pose as the server.
    Nothing,
    /// Who signed it, and its dates.
    Authority,
    /// That, and that it is for the host in the URL.
    Name,
}

/// Who may have signed the server's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Roots {
    /// Whom the operating system trusts.
    System,
    /// Certificates in a PEM file.
    File(PathBuf),
}

/// The client's own certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// PEM file with the certificate, and those that lead from it to its authority.
    pub certificate: PathBuf,
    /// PEM file with its key.
    pub key: PathBuf,
}

/// Whether a password's proof is bound to the encrypted connection, so that no one in between can pass it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// No.
    Never,
    /// If the server offers it.
    IfOffered,
    /// Yes, or there is no connection.
    Always,
}

/// How the engine's users write these options in a URL.
#[derive(Debug, PartialEq, Eq)]
pub struct Spelling {
    /// `Wish::Never`.
    pub never: &'static str,
    /// `Wish::IfOffered`.
    pub if_offered: &'static str,
    /// `Wish::Always` with `Check::Nothing`.
    pub unchecked: &'static str,
    /// `Check::Authority`.
    pub authority: &'static str,
    /// Name of the option for `Roots::File`.
    pub root_file: &'static str,
    /// Names of the options for `Identity`.
    pub identity: &'static str,
    /// What turns encryption on in the server's configuration.
    pub server_setting: &'static str,
}

impl Encryption {
    /// What clients do unless they are told otherwise: encrypt where the server offers it, and check nothing.
    pub fn usual(spelling: &'static Spelling) -> Self {
        Self {
            wish: Wish::IfOffered,
            check: Check::Nothing,
            roots: Roots::System,
            identity: None,
            binding: Binding::IfOffered,
            spelling,
        }
    }

    /// That the server does not encrypt.
    pub fn not_offered(&self) -> Fault {
        let Spelling { if_offered, server_setting, .. } = self.spelling;
        Fault::environment("the server offers no encryption, and the URL demands it").hint(format!(
            "turn it on in the server's configuration ({server_setting}); `{if_offered}` goes on without it"
        ))
    }

    fn attempts(&self) -> &'static [bool] {
        match self.wish {
            Wish::Never => &[false],
            Wish::IfPlainIsRefused => &[false, true],
            Wish::IfOffered => &[true, false],
            Wish::Always => &[true],
        }
    }
}

/// Opens a connection: `open` is told whether to ask for encryption. Where the user left that open, it is called again the
/// other way, if no encryption came about or `is_refusal` holds for the fault of the first call.
///
/// # Errors
/// That of the last call.
pub fn open_either_way<T>(
    encryption: Option<&Encryption>,
    is_refusal: impl Fn(&Fault) -> bool,
    mut open: impl FnMut(Option<&Encryption>) -> Outcome<T>,
) -> Outcome<T> {
    let attempts = encryption.map_or(&[false][..], Encryption::attempts);
    let mut way = |encrypts: bool| open(encryption.filter(|_| encrypts));
    match (way(attempts[0]), attempts.get(1)) {
        (Err(fault), Some(encrypts)) if fault.kind == FaultKind::Environment || is_refusal(&fault) => {
            way(*encrypts)
        }
        (opened, _) => opened,
    }
}
