//! The formats of `--format`, and their names.

use std::str::FromStr;

use humdrum_model::Fault;

/// A way to render a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Terminal,
    /// `summary.json`.
    Json,
    /// One row per comparison and test.
    Tsv,
    /// A short post.
    Markdown,
    /// A comment for a pull request.
    Github,
    /// A post for a blog, as Markdown.
    Post,
    /// The same as a page.
    PostHtml,
    /// Columns as the Small Datum posts have them.
    Smalldatum,
    /// One file that works offline.
    Html,
}

/// Every format with its words; the first is the one that messages use.
const WORDS: &[(Format, &[&str])] = &[
    (Format::Terminal, &["terminal", "text"]),
    (Format::Json, &["json"]),
    (Format::Tsv, &["tsv"]),
    (Format::Markdown, &["markdown", "md"]),
    (Format::Github, &["github"]),
    (Format::Post, &["post"]),
    (Format::PostHtml, &["post-html"]),
    (Format::Smalldatum, &["smalldatum"]),
    (Format::Html, &["html"]),
];

impl FromStr for Format {
    type Err = Fault;

    /// The format of a word (`terminal`, `json`, `tsv`, `markdown` or `md`, `html`), in any case.
    ///
    /// # Errors
    /// A usage fault that lists the words.
    fn from_str(word: &str) -> Result<Self, Fault> {
        let lower = word.to_ascii_lowercase();
        let found = WORDS.iter().find(|(_, words)| words.contains(&lower.as_str()));
        found.map(|(format, _)| *format).ok_or_else(|| {
            let known: Vec<&str> = WORDS.iter().map(|(_, words)| words[0]).collect();
            Fault::usage(format!("unknown report format `{}`", crate::text::clean(word)))
                .hint(format!("use one of {}", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_words_and_names_them_to_those_who_do_not() {
        assert_eq!("HTML".parse::<Format>().unwrap(), Format::Html);
        assert_eq!("md".parse::<Format>().unwrap(), Format::Markdown);
        let fault = "pdf\u{1b}[31m".parse::<Format>().unwrap_err();
        assert_eq!(fault.exit_code(), 2);
        assert!(!fault.what.contains('\u{1b}') && fault.hint.unwrap().contains("markdown"));
    }
}
