//! How to write for a terminal.

/// How to write for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Use ANSI colours.
    pub color: bool,
    /// Columns of the terminal; fewer than 40 count as 40.
    pub width: u16,
    /// Add p, the minimum detectable change, blocks, the operation of each test and all settings.
    pub verbose: bool,
}
