//! A release's number. Settings and behaviour depend on it.

use std::fmt;

/// `8.0.33`: three numbers, compared from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads the number that a text begins with: `10.11.5-MariaDB-log` is 10.11.5. What is missing is 0.
    pub fn of(text: &str) -> Self {
        let mut parts =
            text.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default().split('.');
        let mut part = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        Self(part(), part(), part())
    }

    /// `8.0` of 8.0.33.
    pub fn series(self) -> String {
        format!("{}.{}", self.0, self.1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_servers_say() {
        let versions = ["8.0.33", "10.11.5-MariaDB-1:x", "9.7", "11", "", "5.7.22-debug"].map(Version::of);
        assert_eq!(
            versions,
            [
                Version(8, 0, 33),
                Version(10, 11, 5),
                Version(9, 7, 0),
                Version(11, 0, 0),
                Version(0, 0, 0),
                Version(5, 7, 22)
            ]
        );
        assert!(Version(5, 7, 44) < Version(8, 0, 12) && Version(10, 11, 5) < Version(10, 11, 19));
        assert_eq!(Version(8, 0, 33).series(), "8.0");
    }
}
