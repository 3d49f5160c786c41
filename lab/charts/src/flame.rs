//! A flame graph of calls. A frame's width is its time per operation, and its colour is the difference between two
//! subjects. The root is at the top.
//!
//! The widths are those of one subject, so that functions of only the other one are missing. A page shows both graphs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::scale::{brief, px};

const WIDTH: f64 = 960.0;
const ROW: f64 = 17.0;
/// Narrower frames are left out, because no pointer could hit them.
const NARROWEST: f64 = 1.2;
/// Width of a letter. Names that do not fit are cut, and left out below three letters.
const LETTER: f64 = 6.3;
/// Deeper calls are left out.
const DEPTH_MAX: usize = 80;
/// The share of the whole that a change needs for the darkest colour.
const DARKEST: f64 = 0.1;

/// One stack on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameStack {
    /// Outermost first.
    pub frames: Vec<String>,
    /// µs per operation.
    pub base: f64,
    /// µs per operation.
    pub subject: f64,
}

/// The subject whose times the widths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlameWidth {
    /// The base's: shows what went away.
    Base,
    /// The subject's: shows what was added.
    Subject,
}

#[derive(Default)]
struct Node {
    base: f64,
    subject: f64,
    below: BTreeMap<String, Node>,
}

/// The graph. Empty if no time was sampled.
pub fn flame(title: &str, stacks: &[FlameStack], width: FlameWidth) -> Markup {
    let root = tree(stacks);
    let whole = root.wide(width);
    if whole <= 0.0 {
        return html! {};
    }
    let mut boxes = Vec::new();
    let scale = WIDTH / whole;
    lay(&root, width, scale, (0.0, 0), &mut boxes);
    let depth = boxes.iter().map(|one| one.depth).max().unwrap_or(0);
    let height = ROW * (depth + 1) as f64;
    html! {
        svg.hd.flame xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(height)) } role="img" aria-label=(title) {
            @for one in &boxes { (drawn(one, root.base.max(root.subject))) }
        }
    }
}

/// A frame that is drawn.
struct Frame<'a> {
    name: &'a str,
    node: &'a Node,
    x: f64,
    width: f64,
    depth: usize,
}

impl Node {
    fn wide(&self, width: FlameWidth) -> f64 {
        match width {
            FlameWidth::Base => self.base,
            FlameWidth::Subject => self.subject,
        }
    }
}

fn tree(stacks: &[FlameStack]) -> Node {
    let mut root = Node::default();
    for stack in stacks.iter().filter(|one| one.base.is_finite() && one.subject.is_finite()) {
        let (base, subject) = (stack.base.max(0.0), stack.subject.max(0.0));
        let mut node = &mut root;
        node.base += base;
        node.subject += subject;
        for frame in stack.frames.iter().take(DEPTH_MAX) {
            node = node.below.entry(frame.clone()).or_default();
            node.base += base;
            node.subject += subject;
        }
    }
    root
}

fn lay<'a>(
    node: &'a Node,
    width: FlameWidth,
    scale: f64,
    (x, depth): (f64, usize),
    boxes: &mut Vec<Frame<'a>>,
) {
    let mut x = x;
    for (name, below) in &node.below {
        let wide = below.wide(width) * scale;
        if wide >= NARROWEST {
            boxes.push(Frame { name, node: below, x, width: wide, depth });
            lay(below, width, scale, (x, depth + 1), boxes);
        }
        x += wide;
    }
}

fn drawn(one: &Frame<'_>, whole: f64) -> Markup {
    let (base, subject) = (one.node.base, one.node.subject);
    let change = subject - base;
    let class = if change > 0.0 { "more" } else { "less" };
    let shade = (change.abs() / (whole * DARKEST)).min(1.0) * 0.75;
    let y = ROW * one.depth as f64;
    let letters = ((one.width - 4.0) / LETTER) as usize;
    html! {
        g {
            title { (one.name) ": " (us(base)) " → " (us(subject)) " µs/o (" (signed(change)) ")" }
            rect.frame x=(px(one.x)) y=(px(y)) width=(px(one.width)) height=(px(ROW)) {}
            @if shade >= 0.02 {
                rect class=(class) fill-opacity=(format!("{shade:.2}")) x=(px(one.x)) y=(px(y)) width=(px(one.width)) height=(px(ROW)) {}
            }
            @if letters >= 3 {
                text x=(px(one.x + 3.0)) y=(px(y + 12.5)) { (brief(one.name, letters)) }
            }
        }
    }
}

fn us(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn signed(value: f64) -> String {
    if value < 0.0 { format!("−{}", us(-value)) } else { format!("+{}", us(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &str, base: f64, subject: f64) -> FlameStack {
        FlameStack { frames: frames.split(';').map(str::to_owned).collect(), base, subject }
    }

    #[test]
    fn looks_like_this() {
        let stacks = [
            stack("main;parse", 10.0, 10.0),
            stack("main;run;<scan>", 30.0, 45.0),
            stack("main;old", 5.0, 0.0),
        ];
        insta::assert_snapshot!(
            flame("Where point-query's time goes", &stacks, FlameWidth::Subject).into_string()
        );
    }

    #[test]
    fn each_side_shows_what_it_has() {
        let stacks = [stack("main;new", 0.0, 5.0), stack("main;old", 5.0, 0.0)];
        let of = |width| flame("x", &stacks, width).into_string();
        assert!(of(FlameWidth::Base).contains("old:") && !of(FlameWidth::Base).contains("new:"));
        assert!(of(FlameWidth::Subject).contains("new:") && !of(FlameWidth::Subject).contains("old:"));
    }

    #[test]
    fn nothing_and_nonsense_are_not_drawn() {
        assert_eq!(flame("x", &[], FlameWidth::Base).into_string(), "");
        let odd = [stack("a", f64::NAN, 1.0), stack("b", -1.0, -1.0)];
        assert_eq!(flame("x", &odd, FlameWidth::Base).into_string(), "");
        let deep = stack(&"f;".repeat(1_000), 1.0, 1.0);
        assert!(flame("x", &[deep], FlameWidth::Base).into_string().matches("<rect").count() <= DEPTH_MAX);
    }
}
