//! libpq's file of passwords: lines of `host:port:database:user:password`, where `*` stands for anything and a backslash
//! takes the meaning of `:` and `\` away. The first line that fits is taken.

use std::path::Path;

use humdrum_engine_kit::private_file;

/// What a password is wanted for.
pub(super) struct Wanted<'a> {
    /// `localhost` for a Unix socket.
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) password: Option<String>,
    /// Why the file was left out.
    pub(super) note: Option<String>,
}

/// The password for `wanted`. As libpq demands, only the owner may have access to the file.
pub(super) fn find(wanted: &Wanted<'_>, file: Option<&Path>) -> Found {
    match file.map(|file| private_file::read(file, 0o077, "0600")) {
        None | Some(Ok(None)) => Found::default(),
        Some(Ok(Some(text))) => Found { password: password_in(&text, wanted), note: None },
        Some(Err(note)) => Found { password: None, note: Some(note) },
    }
}

fn password_in(text: &str, wanted: &Wanted<'_>) -> Option<String> {
    let port = wanted.port.to_string();
    let wanted = [wanted.host, &port, wanted.database, wanted.user];
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|mut fields| {
        let password = fields.pop()?;
        let fits = fields.len() == wanted.len()
            && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || *field == wanted);
        fits.then_some(password)
    })
}

/// The five fields of a line; a `:` in the last one is part of it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => letters.next().unwrap_or('\\'),
            other => other,
        };
        fields.last_mut().expect("at least one").push(letter);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# host:port:database:user:password\n\
                        db.example:5432:shop:me:one\n\
                        db.example:*:*:you:t\\:w\\\\o:2\n\
                        broken\n\
                        *:*:*:*:last\n";

    #[test]
    fn the_first_line_that_fits_is_taken() {
        let find = |host, port, database, user| {
            password_in(TEXT, &Wanted { host, port, database, user }).expect("the last line fits all")
        };
        assert_eq!(find("db.example", 5432, "shop", "me"), "one");
        assert_eq!(find("db.example", 6000, "shop", "you"), "t:w\\o:2");
        assert_eq!(find("db.example", 5433, "shop", "me"), "last");
        assert_eq!(password_in("a:1:b:c:d", &Wanted { host: "x", port: 1, database: "b", user: "c" }), None);
    }
}
