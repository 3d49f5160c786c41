//! What a worker is started with, in its environment.

use std::ffi::OsString;
use std::path::PathBuf;

/// The beginning of a worker's last message in its log, when the user's input is at fault.
pub const REFUSED: &str = "humdrum-worker refuses: ";
/// The same for failures that are not the user's fault.
pub const FAILED: &str = "humdrum-worker fails: ";

const PREFIX: &str = "HUMDRUM_ORDERBY_";

/// Everything that a worker of any engine needs to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orders {
    /// Where to listen.
    pub socket: PathBuf,
    /// A folder of its own, for data and what is spilled.
    pub folder: PathBuf,
    /// Settings in the engine's own terms.
    pub settings: Vec<(String, String)>,
}

impl Orders {
    /// As an environment.
    ///
    /// # Panics
    /// Never: texts are always JSON.
    pub fn to_env(&self) -> Vec<(OsString, OsString)> {
        let settings = serde_json::to_string(&self.settings).expect("plain texts");
        let pairs: [(&str, OsString); 3] = [
            ("SOCKET", self.socket.clone().into()),
            ("FOLDER", self.folder.clone().into()),
            ("SETTINGS", settings.into()),
        ];
        pairs.into_iter().map(|(name, value)| (format!("{PREFIX}{name}").into(), value)).collect()
    }

    /// From an environment; `None` where it is not a worker's.
    pub fn from_env(get: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let get = |name: &str| get(&format!("{PREFIX}{name}"));
        let settings = get("SETTINGS")?.into_string().ok()?;
        Some(Self {
            socket: get("SOCKET")?.into(),
            folder: get("FOLDER")?.into(),
            settings: serde_json::from_str(&settings).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_pass_through_an_environment() {
        let orders = Orders {
            socket: "/x/s".into(),
            folder: "/x/data".into(),
            settings: vec![("threads".into(), "2".into()), ("memory_limit".into(), "1 \"GB\"".into())],
        };
        let env = orders.to_env();
        let get = |name: &str| env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        assert_eq!(Orders::from_env(get), Some(orders.clone()));
        assert_eq!(Orders::from_env(|_| None), None);
    }
}
