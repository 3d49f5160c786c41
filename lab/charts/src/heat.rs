//! Latencies over the sessions of a run: a column per session, a row per band of latency, darker where more of the
//! session's calls are. It shows what percentiles hide: two peaks, a peak that moves, a session unlike the others.

use maud::{Markup, html};

use crate::scale::{brief, number, px};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 740.0;
/// Room for a panel's label above it.
const LABEL: f64 = 20.0;
const AXIS: f64 = 22.0;
const ROWS: usize = 28;
const ROW: f64 = 4.0;
/// Most columns. With more sessions, several share a column.
const COLUMNS_MAX: usize = 40;

/// Shades: the least share of a column's calls, and the opacity.
const SHADES: [(f64, &str); 5] = [(0.0, ".15"), (0.01, ".3"), (0.03, ".5"), (0.1, ".75"), (0.3, "1")];

/// Calls slower than this share of all are drawn in the top row, so that one slow call does not compress the rest.
const TOP_SHARE: f64 = 0.999;

/// One subject.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatPanel {
    /// Its label.
    pub label: String,
    /// By session: (microseconds, calls), in any order.
    pub sessions: Vec<Vec<(f64, u64)>>,
}

/// The bands that all panels share, from `low` to `high` microseconds, each the same factor wide.
#[derive(Clone, Copy, Debug)]
struct Bands {
    low: f64,
    high: f64,
}

/// All panels above one another, on the same axes. Empty if no calls were counted.
pub fn heat(title: &str, panels: &[HeatPanel]) -> Markup {
    let Some(bands) = bands(panels) else { return html! {} };
    let panel_height = LABEL + ROW * ROWS as f64;
    let height = panel_height * panels.len() as f64 + AXIS;
    let placed = || {
        panels.iter().enumerate().map(|(place, panel)| (place, panel, panel_height * place as f64 + LABEL))
    };
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(height)) } role="img" aria-label=(title) {
            @for (place, panel, top) in placed() {
                text x=(px(LEFT)) y=(px(top - 6.0)) { (brief(&panel.label, 80)) }
                (axis(bands, top))
                @for (opacity, path) in shades(panel, bands, top) {
                    path class={ "heat s" (place % 2) } stroke-width=(px(ROW)) stroke-opacity=(opacity) d=(path) {}
                }
            }
            text.quiet x=(px((LEFT + RIGHT) / 2.0)) y=(px(height - 6.0)) text-anchor="middle" {
                "sessions, first to last; darker: more of a session's calls (under 1, 3, 10, 30 %, more)"
            }
        }
    }
}

/// The data of the chart as tab-separated values: a row for each band, the longest first, and a column for each session
/// of each panel, with the percentage of its calls in the band.
pub fn heat_tsv(panels: &[HeatPanel]) -> String {
    let Some(bands) = bands(panels) else { return String::new() };
    let heads = panels.iter().flat_map(|panel| {
        let together = together(panel);
        (0..panel.sessions.len().div_ceil(together)).map(move |place| {
            let (first, last) = (place * together + 1, ((place + 1) * together).min(panel.sessions.len()));
            let sessions = if first == last { format!("{first}") } else { format!("{first}–{last}") };
            format!("\t{}, session {sessions}, %", panel.label)
        })
    });
    let mut text = format!("µs from{}", heads.collect::<String>());
    let columns: Vec<[f64; ROWS]> = panels.iter().flat_map(|panel| columns(panel, bands)).collect();
    for row in (0..ROWS).rev() {
        let cells = columns.iter().map(|column| match column[row] {
            share if share <= 0.0 => "\t".to_owned(),
            share if share < 0.01 => format!("\t{:.2}", share * 100.0),
            share => format!("\t{:.0}", share * 100.0),
        });
        text.push_str(&format!("\n{}{}", number(bands.from(row)), cells.collect::<String>()));
    }
    text
}

fn bands(panels: &[HeatPanel]) -> Option<Bands> {
    let mut all: Vec<(f64, u64)> =
        panels.iter().flat_map(|panel| panel.sessions.iter().flatten().copied()).collect();
    all.retain(|(us, calls)| us.is_finite() && *us > 0.0 && *calls > 0);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let low = all.first()?.0;
    let total: u64 = all.iter().map(|(_, calls)| calls).sum();
    let enough = total as f64 * TOP_SHARE;
    let mut seen = 0;
    let top = all.iter().find(|(_, calls)| {
        seen += calls;
        seen as f64 >= enough
    });
    // Equal latencies would make bands of width zero.
    let high = top.map_or(low, |(us, _)| *us).max(low * 1.1);
    Some(Bands { low, high })
}

impl Bands {
    /// The row of a latency, 0 for the lowest. Latencies beyond the highest band are in the highest.
    fn row(self, us: f64) -> usize {
        let part = (us / self.low).ln() / (self.high / self.low).ln();
        ((part * ROWS as f64).max(0.0) as usize).min(ROWS - 1)
    }

    /// The lower end of a row, microseconds.
    fn from(self, row: usize) -> f64 {
        self.low * (self.high / self.low).powf(row as f64 / ROWS as f64)
    }

    /// The height of a latency, in pixels from the bottom of a panel.
    fn height(self, us: f64) -> f64 {
        (us / self.low).ln() / (self.high / self.low).ln() * ROW * ROWS as f64
    }

    /// Round values within the bands.
    fn ticks(self) -> Vec<f64> {
        let powers = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let round = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
        round.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

fn axis(bands: Bands, top: f64) -> Markup {
    let bottom = top + ROW * ROWS as f64;
    html! {
        @for tick in bands.ticks() {
            @let y = bottom - bands.height(tick);
            line.grid x1=(px(LEFT)) x2=(px(RIGHT)) y1=(px(y)) y2=(px(y)) {}
            text.quiet x=(px(LEFT - 6.0)) y=(px(y + 4.0)) text-anchor="end" { (told(tick)) }
        }
    }
}

/// `50 µs`, `2 ms`.
fn told(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", us / 1e6),
        _ if us >= 1e3 => format!("{} ms", us / 1e3),
        _ => format!("{us} µs"),
    }
}

/// One path per shade. Cells are lines as thick as a row, and neighbours of one shade are one line.
fn shades(panel: &HeatPanel, bands: Bands, top: f64) -> Vec<(&'static str, String)> {
    let columns: Vec<[Option<usize>; ROWS]> =
        columns(panel, bands).iter().map(|column| column.map(shade)).collect();
    let width = (RIGHT - LEFT) / columns.len().max(1) as f64;
    let mut paths = SHADES.map(|(_, opacity)| (opacity, String::new()));
    for row in 0..ROWS {
        let y = top + ROW * (ROWS - row) as f64 - ROW / 2.0;
        let mut place = 0;
        while let Some(shade) = columns.get(place).map(|column| column[row]) {
            let length = columns[place..].iter().take_while(|column| column[row] == shade).count();
            if let Some((_, path)) = shade.and_then(|shade| paths.get_mut(shade)) {
                let x = LEFT + width * place as f64;
                path.push_str(&format!("M{} {}h{}", px(x), px(y), px(width * length as f64)));
            }
            place += length;
        }
    }
    paths.into_iter().filter(|(_, path)| !path.is_empty()).collect()
}

/// The shade of a share of a column's calls.
fn shade(share: f64) -> Option<usize> {
    SHADES.iter().rposition(|(from, _)| share > 0.0 && share >= *from)
}

/// How many sessions share a column.
fn together(panel: &HeatPanel) -> usize {
    panel.sessions.len().div_ceil(COLUMNS_MAX).max(1)
}

/// The share of a column's calls in every row, column by column.
fn columns(panel: &HeatPanel, bands: Bands) -> Vec<[f64; ROWS]> {
    panel.sessions.chunks(together(panel)).map(|sessions| column(sessions, bands)).collect()
}

fn column(sessions: &[Vec<(f64, u64)>], bands: Bands) -> [f64; ROWS] {
    let mut counts = [0_u64; ROWS];
    for (us, calls) in sessions.iter().flatten().filter(|(us, _)| us.is_finite() && *us > 0.0) {
        counts[bands.row(*us)] += calls;
    }
    let total: u64 = counts.iter().sum();
    counts.map(|count| count as f64 / total.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(label: &str, sessions: &[&[(f64, u64)]]) -> HeatPanel {
        HeatPanel { label: label.into(), sessions: sessions.iter().map(|one| one.to_vec()).collect() }
    }

    #[test]
    fn looks_like_this() {
        let calm: &[(f64, u64)] = &[(50.0, 60), (60.0, 35), (100.0, 5)];
        let slow: &[(f64, u64)] = &[(80.0, 95), (900.0, 5)];
        let panels = [panel("base", &[calm, calm, calm]), panel("<subject>", &[calm, slow, calm])];
        insta::assert_snapshot!(heat("Latency of point-query", &panels).into_string());
    }

    #[test]
    fn nothing_and_nonsense_are_not_drawn() {
        assert_eq!(heat("x", &[]).into_string(), "");
        let odd: &[(f64, u64)] = &[(f64::NAN, 5), (f64::INFINITY, 5), (-1.0, 5), (0.0, 5), (3.0, 0)];
        assert_eq!(heat("x", &[panel("x", &[odd, &[]])]).into_string(), "");
    }

    #[test]
    fn every_call_is_in_a_row_and_one_hiccup_flattens_nothing() {
        let sessions: &[(f64, u64)] = &[(50.0, 5_000), (55.0, 5_000), (1e6, 1)];
        let panels = [panel("x", &[sessions])];
        let bands = bands(&panels).expect("bands");
        assert!(bands.high < 60.0);
        let shaded = columns(&panels[0], bands)[0].iter().filter(|share| **share > 0.0).count();
        assert_eq!(shaded, 2, "the hiccup is in the top row");
        assert_eq!((bands.row(1.0), bands.row(1e9)), (0, ROWS - 1));
    }

    #[test]
    fn the_data_are_what_is_drawn() {
        let calm: &[(f64, u64)] = &[(50.0, 600), (100.0, 399), (60.0, 1)];
        let text = heat_tsv(&[panel("old", &[calm, &[]]), panel("new", &[calm])]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "µs from\told, session 1, %\told, session 2, %\tnew, session 1, %");
        assert_eq!((lines.len(), *lines.last().expect("a row")), (1 + ROWS, "50.0\t60\t\t60"));
        assert!(lines[1].ends_with("\t40\t\t40") && text.contains("\t0.10\t\t0.10"));
        assert_eq!(heat_tsv(&[]), "");
    }

    #[test]
    fn many_sessions_share_columns() {
        let calls: &[(f64, u64)] = &[(50.0, 1), (80.0, 1)];
        let many = panel("x", &vec![calls; 101]);
        let bands = bands(std::slice::from_ref(&many)).expect("bands");
        assert!(columns(&many, bands).len() <= COLUMNS_MAX);
    }
}
