//! The cells and rows of a table of steps.

/// The meaning of a cell, shown by colour and mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Bad,
    Good,
    Less,
    More,
    Void,
}

impl Tone {
    /// A sign with the same meaning as the colour, for readers who do not see the colour.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Plain | Self::Void => "",
            Self::Bad => " slow",
            Self::Good => " fast",
            Self::Less => " ▼",
            Self::More => " ▲",
        }
    }

    /// The class in the page's style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bad | Self::Less => "worse",
            Self::Good | Self::More => "better",
            Self::Void => "quiet",
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Cell {
    pub(crate) fn marked(&self) -> String {
        format!("{}{}", self.text, self.tone.mark())
    }
}

/// One table: steps across, subjects down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) title: &'static str,
    pub(crate) steps: Vec<String>,
    /// Name, then a cell for each step.
    pub(crate) rows: Vec<(String, Vec<Cell>)>,
}
