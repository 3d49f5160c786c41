//! Lists of values in a plan file.

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use serde::{Deserialize, Serialize};

use crate::request::Request;

/// `[matrix]` of a plan file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matrix {
    /// Numbers of clients: `clients = [1, 4, 16]`, as `--scale clients=1,4,16`.
    pub clients: Vec<u32>,
}

impl Request {
    /// The scale as `--scale` takes it, with the lists of the matrix.
    ///
    /// # Errors
    /// Usage, if both name clients.
    pub(crate) fn scale_text(&self) -> Outcome<Option<String>> {
        if self.matrix.clients.is_empty() {
            return Ok(self.scale.clone());
        }
        if self.scale.as_deref().is_some_and(names_clients) {
            return Err(Fault::usage("both scale and [matrix] name clients").hint("name them in one place"));
        }
        let clients: Vec<String> = self.matrix.clients.iter().map(u32::to_string).collect();
        let list = format!("clients={}", clients.join(","));
        Ok(Some(self.scale.as_ref().map_or_else(|| list.clone(), |scale| format!("{scale},{list}"))))
    }
}

/// Whether a scale names clients.
pub(crate) fn names_clients(scale: &str) -> bool {
    scale.split(',').any(|part| part.trim().starts_with("clients"))
}
