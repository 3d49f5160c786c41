//! What an engine's switches need on the host that builds: libraries by their headers, and programs.

use humdrum_provision::tools::Tool;

use super::flags::Flags;

/// A switch, a value of it, what it needs, and the package of Debian that has that. The value `on` stands for all words
/// that turn a switch on; `*` for any that does not turn it off.
pub type Need = (&'static str, &'static str, &'static str, &'static str);

/// Words that turn a switch on.
const ON: [&str; 4] = ["on", "yes", "true", "1"];
/// Words that turn one off, or leave the choice to what is there.
const NOT_ON: [&str; 6] = ["off", "no", "none", "false", "0", "auto"];

/// What these flags need of a table, each once.
pub fn needed(flags: &Flags, table: &[Need]) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for (switch, wanted, name, package) in table {
        let asked = flags.switches.iter().any(|(key, value)| key == switch && is(value, wanted));
        if asked && !tools.iter().any(|tool| tool.name == *name) {
            tools.push(Tool::new(name, package));
        }
    }
    tools
}

fn is(value: &str, wanted: &str) -> bool {
    let among = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    match wanted {
        "on" => among(&ON),
        "*" => !among(&NOT_ON),
        one => value.eq_ignore_ascii_case(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_needs_its_library_once() {
        const TABLE: [Need; 5] = [
            ("with_lz4", "on", "<lz4.h>", "liblz4-dev"),
            ("with_lz4", "system", "<lz4.h>", "liblz4-dev"),
            ("with_uuid", "e2fs", "<uuid/uuid.h>", "uuid-dev"),
            ("with_perl", "*", "perl", "perl"),
            ("with_zstd", "on", "<zstd.h>", "libzstd-dev"),
        ];
        let of = |switches: &[(&str, &str)]| -> Vec<String> {
            let switches = switches.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
            needed(&Flags { switches, ..Flags::default() }, &TABLE)
                .into_iter()
                .map(|tool| tool.name)
                .collect()
        };
        assert_eq!(of(&[("with_lz4", "ON"), ("with_zstd", "off")]), ["<lz4.h>"]);
        assert_eq!(
            of(&[("with_lz4", "system"), ("with_uuid", "e2fs"), ("with_perl", "/p")]),
            ["<lz4.h>", "<uuid/uuid.h>", "perl"]
        );
        assert!(of(&[("with_lz4", "bundled"), ("with_uuid", "bsd"), ("with_perl", "auto")]).is_empty());
    }
}
