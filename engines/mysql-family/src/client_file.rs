//! The file of options that MySQL's and MariaDB's own clients read, `~/.my.cnf`: its section `[client]`.
//!
//! ```text
//! [client]
//! password = "it's # a secret"
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use humdrum_engine_kit::private_file;

/// Options of the section, the last one of each name; `_` and `-` are the same in names.
pub(crate) type Options = BTreeMap<String, String>;

/// The options, and why the file was left out. As the servers' own clients see it, only its owner may write to it; one with
/// passwords should be read by no one else, but is.
pub(crate) fn read(file: &Path) -> (Options, Option<String>) {
    match private_file::read(file, 0o002, "0600") {
        Ok(text) => (options_in(&text.unwrap_or_default()), None),
        Err(note) => (Options::new(), Some(note)),
    }
}

fn options_in(text: &str) -> Options {
    let mut options = Options::new();
    let mut is_ours = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_ours = section.split(']').next() == Some("client");
        } else if is_ours
            && !line.starts_with(['#', ';', '!'])
            && let Some((name, value)) = line.split_once('=')
        {
            options.insert(name.trim().replace('_', "-"), plain(value.trim()));
        }
    }
    options
}

/// A value without its quotes or its comment, and with the servers' escapes undone.
fn plain(value: &str) -> String {
    let mut letters = value.chars().peekable();
    let quote = letters.next_if(|letter| matches!(letter, '\'' | '"'));
    let mut text = String::new();
    let mut end = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(match letters.next() {
                Some('b') => '\u{8}',
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('s') => ' ',
                Some(other) => other,
                None => '\\',
            }),
            _ if Some(letter) == quote => return text,
            '#' if quote.is_none() => break,
            _ => text.push(letter),
        }
        if !letter.is_whitespace() {
            end = text.len();
        }
    }
    // Blanks before a comment.
    if quote.is_none() {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_section_of_clients() {
        let text = "password=no\n[mysqld]\npassword=neither\n[client]\n# a comment\nssl_ca = /etc/ca.pem # mine\n\
                    password = \"it's # a secret\\\\\"\nno-value\n!include /etc/x\n[mysql]\npassword=other\n";
        let options = options_in(text);
        let named = |name: &str| options.get(name).map(String::as_str);
        assert_eq!(named("password"), Some("it's # a secret\\"));
        assert_eq!((named("ssl-ca"), options.len()), (Some("/etc/ca.pem"), 2));
        assert_eq!(["a\\sb\\s", "'a\\'b' c", ""].map(plain), ["a b ", "a'b", ""]);
    }
}
