//! Lists of values in a plan file.

use humdrum_contract::Outcome;
use humdrum_model::{Dimension, Fault};
use serde::{Deserialize, Serialize};

use crate::request::Request;

/// `[matrix]` of a plan file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matrix {
    /// Numbers of clients: `clients = [1, 4, 16]`, as `--scale clients=1,4,16`.
    pub clients: Vec<u32>,
    /// Numbers of rows of a table: `rows = [40_000, 160_000]`, as `--scale rows=40k,160k`.
    pub rows: Vec<u64>,
}

impl Matrix {
    fn numbers(&self, dimension: Dimension) -> Vec<u64> {
        match dimension {
            Dimension::Rows => self.rows.clone(),
            Dimension::Clients => self.clients.iter().copied().map(u64::from).collect(),
        }
    }

    /// The lists that are left where a scale on the command line names other numbers.
    pub(crate) fn replaced_by(self, scale: Option<&str>) -> Self {
        let named = |dimension| scale.is_some_and(|scale| names(scale, dimension));
        Self {
            clients: if named(Dimension::Clients) { Vec::new() } else { self.clients },
            rows: if named(Dimension::Rows) { Vec::new() } else { self.rows },
        }
    }
}

impl Request {
    /// The scale as `--scale` takes it, with the lists of the matrix.
    ///
    /// # Errors
    /// Usage, if both name rows, or both clients.
    pub(crate) fn scale_text(&self) -> Outcome<Option<String>> {
        let mut parts: Vec<String> = self.scale.iter().cloned().collect();
        for dimension in Dimension::ALL {
            let (numbers, word) = (self.matrix.numbers(dimension), dimension.word());
            if numbers.is_empty() {
                continue;
            }
            if self.scale.as_deref().is_some_and(|scale| names(scale, dimension)) {
                let what = format!("both scale and [matrix] name {word}");
                return Err(Fault::usage(what).hint("name them in one place"));
            }
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            parts.push(format!("{word}={}", numbers.join(",")));
        }
        Ok((!parts.is_empty()).then(|| parts.join(",")))
    }
}

/// Whether a scale names a number of these.
fn names(scale: &str, dimension: Dimension) -> bool {
    scale.split(',').any(|part| part.trim().starts_with(dimension.word()))
}
