//! The frame of every page: its policy, its style, the bar on top, and switches that need no script.

use maud::{DOCTYPE, Markup, html};

use super::style;
use crate::table::{Align, Table};
use crate::text::clean;

/// The page's policy: inline styles only. It may load, run and send nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A script that is part of the program, which a page may run. Nothing else in the page can run, whatever names are in it.
pub(crate) struct Script {
    /// The script itself.
    pub(crate) text: &'static str,
    /// Its SHA-256 in base64, for the policy.
    pub(crate) sha256: &'static str,
}

/// A document without its body.
pub(crate) struct Page<'a> {
    /// Its title.
    pub(crate) title: &'a str,
    /// The section that a keyboard reaches first, and the words of the link to it.
    pub(crate) skip: (&'a str, &'a str),
    /// The bar on top.
    pub(crate) bar: &'a Markup,
    /// The script that makes filters work. Without it the page shows everything.
    pub(crate) script: Option<&'a Script>,
    /// Link to the feed of the site.
    pub(crate) feed: Option<&'a str>,
}

/// A whole document that runs nothing.
pub(crate) fn page(title: &str, skip: (&str, &str), bar: &Markup, body: &Markup, footer: &Markup) -> String {
    Page { title, skip, bar, script: None, feed: None }.text(body, footer)
}

impl Page<'_> {
    /// The document.
    pub(crate) fn text(&self, body: &Markup, footer: &Markup) -> String {
        let allowed =
            self.script.map_or_else(String::new, |one| format!("; script-src 'sha256-{}'", one.sha256));
        let (title, skip, bar) = (self.title, self.skip, self.bar);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content={ (POLICY) (allowed) };
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (title) " – humdrum" }
                    @if let Some(feed) = self.feed {
                        link rel="alternate" type="application/atom+xml" title="New results" href=(feed);
                    }
                    style { (maud::PreEscaped(style::sheet())) }
                }
                body {
                    a.skip href={ "#" (skip.0) } { (skip.1) }
                    (bar)
                    main { (body) }
                    footer { (footer) }
                    @if let Some(script) = self.script { script { (maud::PreEscaped(script.text)) } }
                }
            }
        };
        page.into_string()
    }
}

/// The bar on top: the subject of the page, links to its sections, and the switch of colours.
pub(crate) fn bar(about: &str, links: &Markup) -> Markup {
    html! {
        header.bar {
            strong { "humdrum" } " " span.quiet { (clean(about)) }
            nav aria-label="Sections" { (links) }
            fieldset.switch {
                legend.hidden { "Colours" }
                @for (id, name) in [("theme-auto", "Auto"), ("theme-light", "Light"), ("theme-dark", "Dark")] {
                    span.item {
                        input type="radio" name="theme" id=(id) checked[id == "theme-auto"];
                        label for=(id) { (name) }
                    }
                }
            }
        }
    }
}

/// Which part of their axis the charts show.
pub(super) fn view_switch() -> Markup {
    html! {
        fieldset.switch {
            legend { "Axis of the charts" }
            @for (id, name) in [("view-close", "close-up around 1"), ("view-zero", "from zero")] {
                span.item {
                    input type="radio" name="view" id=(id) checked[id == "view-close"];
                    label for=(id) { (name) }
                }
            }
        }
    }
}

/// The data of a chart as tab-separated text that one click selects. Empty if there is none.
pub(super) fn data(tsv: &str) -> Markup {
    html! {
        @if !tsv.is_empty() {
            details.data { summary { "Data to copy" } pre tabindex="0" { (tsv) } }
        }
    }
}

/// The head of a table: columns of words (`true`) are aligned left, those of numbers right.
pub(crate) fn head(columns: &[(&str, bool)]) -> Markup {
    html! {
        thead { tr {
            @for (name, words) in columns {
                @if *words { th.text scope="col" { (name) } } @else { th scope="col" { (name) } }
            }
        } }
    }
}

/// A plain table.
pub(crate) fn table(table: &Table) -> Markup {
    let heads: Vec<(&str, bool)> =
        table.columns.iter().map(|(name, align)| (name.as_str(), *align == Align::Left)).collect();
    html! {
        table {
            (head(&heads))
            tbody { @for row in &table.rows { tr {
                @for (cell, (_, words)) in row.iter().zip(&heads) { td.text[*words] { (cell) } }
            } } }
        }
    }
}
