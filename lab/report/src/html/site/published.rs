//! Published figures beside those of a site's runs: a page of their own, and what was counted on the first one.

use humdrum_model::Beside;
use maud::{Markup, html};

use super::SitePage;
use crate::published::{html as beside, totals};

/// The file of the page.
pub(super) const PAGE: &str = "published.html";

/// The page, as `humdrum beside` writes it.
pub(super) fn page(found: &Beside) -> SitePage {
    SitePage { path: PAGE.into(), text: beside::page(found, Some("index.html")) }
}

/// What was counted of published figures, with a link to their page.
pub(super) fn section(found: &Beside) -> Markup {
    let lines = totals(found);
    // The last line is the rule, which the page has.
    let counted = lines.split_last().map_or(&[][..], |(_, counted)| counted);
    html! {
        section id="published" {
            h2 { "Beside published figures" }
            p { a href=(PAGE) { (found.rows.len()) " published ratios" } " beside those of these runs:" }
            ul { @for line in counted { li { (line) } } }
        }
    }
}
