//! One file per chart: plain data in, SVG out, a snapshot beside it.
//!
//! Charts do not depend on runs, files or verdict rules. Colours and fonts come from `STYLE`, which a page includes
//! once. A page can change the colours with variables (`--hd-ink`, `--hd-quiet`, `--hd-paper`, `--hd-line`, `--hd-band`,
//! `--hd-blue`, `--hd-orange`), so that the same drawing works in light, dark and print. Every difference in colour is
//! also one of shape or text. `maud` escapes all text.

mod axis;
mod conditions;
mod flame;
mod heat;
mod hosts;
mod level;
mod mark;
mod published;
mod rate;
mod rqps;
mod scale;
mod sessions;

pub use conditions::{ConditionLine, ConditionPoint, conditions};
pub use flame::{FlameStack, FlameWidth, flame};
pub use heat::{HeatPanel, heat, heat_tsv};
pub use hosts::{HostRow, hosts};
pub use level::LevelChange;
pub use mark::Kind;
pub use published::{PublishedPoint, published};
pub use rate::{RateSeries, rate, rate_tsv};
pub use rqps::{Room, RqpsRow, View, rqps};
pub use sessions::sessions;

/// Style sheet of all charts. A page includes it once. Every chart is an `svg.hd`.
pub const STYLE: &str = "\
svg.hd{display:block;width:100%;height:auto;font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}\
svg.hd text{fill:var(--hd-ink,#1b2330)}\
svg.hd text.quiet{fill:var(--hd-quiet,#566070)}\
svg.hd .grid{stroke:var(--hd-line,#d9dee5);stroke-width:1}\
svg.hd .one{stroke:var(--hd-quiet,#566070);stroke-width:1.5}\
svg.hd .band{fill:var(--hd-band,#e6ebf1)}\
svg.hd .another{fill:var(--hd-blue,#0b5cad);fill-opacity:.12;stroke:var(--hd-blue,#0b5cad);stroke-dasharray:4 3}\
svg.hd .same{stroke:var(--hd-quiet,#566070);fill:var(--hd-quiet,#566070)}\
svg.hd .unclear{stroke:var(--hd-quiet,#566070);fill:var(--hd-paper,#fff)}\
svg.hd .better{stroke:var(--hd-blue,#0b5cad);fill:var(--hd-blue,#0b5cad)}\
svg.hd .worse{stroke:var(--hd-orange,#a84d00);fill:var(--hd-orange,#a84d00)}\
svg.hd .whisker{stroke-width:2;fill:none}\
svg.hd path.level{fill:none;stroke-width:1;stroke-dasharray:5 3}\
svg.hd text.level{font-size:10px;stroke-dasharray:none}\
svg.hd .hit{fill:none;stroke:transparent;stroke-width:12;pointer-events:stroke}\
svg.hd text.halo{stroke:var(--hd-paper,#fff);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}\
svg.hd .dots{fill:none;stroke-width:4.5}\
svg.hd .frame{fill:var(--hd-band,#e6ebf1);stroke:var(--hd-paper,#fff)}\
svg.hd .more{fill:var(--hd-orange,#a84d00)}\
svg.hd .less{fill:var(--hd-blue,#0b5cad)}\
svg.hd .heat{fill:none}\
svg.hd .round{stroke-linecap:round}\
svg.hd .square{stroke-linecap:square}\
svg.hd .s0{stroke:var(--hd-blue,#0b5cad)}\
svg.hd .s1{stroke:var(--hd-orange,#a84d00)}\
svg.hd .lost{stroke:var(--hd-quiet,#566070);stroke-width:.5;fill:var(--hd-band,#e6ebf1)}\
svg.hd .cross{stroke:var(--hd-quiet,#566070);stroke-width:1.2;fill:none}";
