//! `--debug`, from the arguments.

use super::args::Args;
use super::complete::Action;
use super::{locale, order};
use crate::debug::Annotation;
use crate::debug::warnings::Given;
use crate::fault::{Fault, Result};

/// What is shown below each line.
pub(super) fn annotation(args: &Args, action: Action) -> Result<Option<Annotation>> {
    if !args.debug {
        return Ok(None);
    }
    let refused = match action {
        Action::Check { aloud: true } => Some("-c"),
        Action::Check { aloud: false } => Some("-C"),
        Action::Sort | Action::Merge => (!args.output.is_empty()).then_some("-o"),
    };
    if let Some(option) = refused {
        return Err(Fault::new(format!("options '{option} --debug' are incompatible"))
            .hint("--debug writes lines and underlines to standard output; leave one of them out"));
    }
    if args.record_size.is_some() {
        return Err(Fault::new("--debug is about lines, --record-size is not").hint("leave one of them out"));
    }
    let keys = order::keys(args)?;
    let whole = keys.is_empty() || !(args.stable || args.unique);
    let end = if args.zero_terminated { 0 } else { b'\n' };
    Ok(Some(Annotation { keys, separator: order::separator(args)?, whole, end }))
}

/// What may not be meant.
pub(super) fn warnings(args: &Args) -> Result<Vec<String>> {
    if !args.debug {
        return Ok(Vec::new());
    }
    let locale = args.locale.as_deref().map(locale::tag).transpose()?;
    let given = Given {
        keys: &order::keys(args)?,
        global: order::global(args)?,
        only_global: args.keys.is_empty(),
        separator: order::separator(args)?,
        locale: locale.as_deref(),
        by_input: args.stable || args.unique,
    };
    Ok(given.warnings())
}
