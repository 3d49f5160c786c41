//! Finds complaints about settings in a server's log.

/// What a log says against the settings in a server's own words, if it does.
pub(crate) fn complaint(log: &str) -> Option<String> {
    const SIGNS: [&str; 5] = [
        "unrecognized configuration parameter",
        "invalid value for parameter",
        "is outside the valid range for parameter",
        "requires a numeric value",
        "requires a Boolean value",
    ];
    let line = log.lines().find(|line| SIGNS.iter().any(|sign| line.contains(sign)))?;
    let words = line.split_once(":  ").map_or(line, |(_, words)| words);
    Some(words.split(" in file ").next().unwrap_or(words).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hears_what_is_said_against_a_setting() {
        let log = "2026-01-01 LOG:  unrecognized configuration parameter \"io_method\" in file \"/x/postgresql.conf\" line 9\n\
                   2026-01-01 FATAL:  configuration file \"/x/postgresql.conf\" contains errors\n";
        assert_eq!(complaint(log).as_deref(), Some("unrecognized configuration parameter \"io_method\""));
        assert_eq!(complaint("LOG:  database system is ready"), None);
    }
}
