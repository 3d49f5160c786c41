//! Finds complaints about settings in a server's log. Such a failure is the user's typing error and not a
//! crash.

/// What a log says against a setting in the server's own words, if it does. A value that the server has changed
/// counts when it is one of `asked`, the names that the user typed.
pub(crate) fn complaint(log: &str, asked: &[String]) -> Option<String> {
    const SIGNS: [&str; 9] = [
        "unknown variable '",
        "unknown option '",
        "ambiguous option '",
        "Error while setting value '",
        "Unknown suffix '",
        "cannot take an argument",
        "requires an argument",
        "Wrong value for",
        "Invalid value for",
    ];
    // A name that the release does not know is no more than a warning after `loose-`.
    let refused = |line: &&str| {
        // 5.5 goes on with its default.
        let left_aside = line.contains("ignoring option '") && line.contains("due to invalid value");
        left_aside || (!line.contains("[Warning]") && SIGNS.iter().any(|sign| line.contains(sign)))
    };
    let changed = |line: &&str| {
        let adjusted = line.contains(" adjusted to ");
        adjusted && asked.iter().any(|name| line.replace('-', "_").contains(&format!("'{name}'")))
    };
    let line = log.lines().find(refused).or_else(|| log.lines().find(changed))?;
    Some(words(line))
}

/// The line without its time, thread, level, number, component and program.
fn words(line: &str) -> String {
    let mut rest = line.trim();
    while let Some((_, after)) = rest.split_once(']').filter(|(before, _)| before.contains('[')) {
        rest = after.trim_start();
    }
    // What the option file's reader says begins with the program's path.
    let program = |word: &str| word.starts_with('/') && word.ends_with("d:");
    let first = rest.split(' ').next().unwrap_or_default();
    if program(first) {
        rest = rest[first.len()..].trim_start();
    }
    rest.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hears_what_is_said_against_a_setting() {
        let cases = [
            (
                "2026-11-21T09:00:00.1Z 0 [ERROR] [MY-000067] [Server] unknown variable 'foo=1'.",
                "unknown variable 'foo=1'",
            ),
            ("261121  9:35:52 [ERROR] /b/bin/mysqld: unknown variable 'foo=1'", "unknown variable 'foo=1'"),
            ("/b/bin/mysqld: unknown variable 'foo=1'", "unknown variable 'foo=1'"),
            (
                "2026-11-21 9:00:00 0 [ERROR] /b/bin/mariadbd: Error while setting value 'x' to 'binlog_format'",
                "Error while setting value 'x' to 'binlog_format'",
            ),
            (
                "2026-11-21  9:00:00 [ERROR] Unknown suffix 'l' used for variable 'sort_buffer_size' (value 'lots')",
                "Unknown suffix 'l' used for variable 'sort_buffer_size' (value 'lots')",
            ),
        ];
        for (line, words) in cases {
            assert_eq!(complaint(&format!("starting\n{line}\nAborting\n"), &[]).as_deref(), Some(words));
        }
        assert_eq!(complaint("[Note] ready for connections", &[]), None);
        let aside = "/b/mysqld: ignoring option '--innodb-doublewrite' due to invalid value 'lots'";
        let words = complaint(&format!("261121 [Warning] {aside}"), &[]);
        assert_eq!(words.as_deref(), aside.strip_prefix("/b/mysqld: "));
        assert_eq!(
            complaint("261121 [Warning] /b/mysqld: unknown variable 'loose-gtid-mode=OFF'", &[]),
            None
        );
    }

    #[test]
    fn a_changed_value_counts_where_the_user_asked_for_it() {
        let log = "[Warning] option 'max-connections': unsigned value 1 adjusted to 10";
        assert_eq!(complaint(log, &["innodb_x".into()]), None);
        let words = complaint(log, &["max_connections".into()]);
        assert_eq!(words.as_deref(), Some("option 'max-connections': unsigned value 1 adjusted to 10"));
    }
}
