//! `log_destination = jsonlog`, from Postgres 15 on: an object a line.

use std::borrow::Cow;

use humdrum_model::Fault;
use serde::Deserialize;

use super::postgres::{Pending, session, tells};
use crate::collect::Captured;
use crate::event::Dialect;
use crate::{Lines, Reader};

pub(super) struct Json;

/// What is read of a line. A text without escapes stays where it is.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow, default)]
    session_id: Option<Text<'l>>,
    #[serde(borrow, default)]
    error_severity: Option<Text<'l>>,
    #[serde(borrow, default)]
    message: Option<Text<'l>>,
    #[serde(borrow, default)]
    detail: Option<Text<'l>>,
}

/// `Option<Cow<str>>` would copy each text.
#[derive(Deserialize)]
struct Text<'l>(#[serde(borrow)] Cow<'l, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Reader for Json {
    fn name(&self) -> &'static str {
        "postgres-json"
    }

    fn about(&self) -> &'static str {
        "Postgres 15 and later, log_destination = jsonlog"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().take(50).any(|line| line.starts_with('{') && line.contains("\"error_severity\""))
    }

    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault> {
        let mut pending = Pending::default();
        while let Some(line) = lines.read()? {
            let Ok(found) = serde_json::from_str::<Line<'_>>(line) else {
                captured.unknown_lines += u64::from(!line.trim().is_empty());
                continue;
            };
            let message = found.message.as_deref().unwrap_or_default();
            if found.error_severity.as_deref() == Some("LOG") && tells(message) {
                pending.begin(found.session_id.as_deref().map(session), message, captured);
                pending.detail(found.detail.as_deref().unwrap_or_default());
                pending.finish(captured);
            }
        }
        Ok(())
    }
}
