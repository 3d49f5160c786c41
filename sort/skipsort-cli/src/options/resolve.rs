//! What the arguments mean together, and which do not go together.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::args::Args;
use super::complete::{Action, Options};
use super::once::one;
use super::{annotate, locale, names, order, size, words};
use crate::available;
use crate::fault::{Fault, Result};

pub(super) fn options(args: Args) -> Result<Options> {
    let action = action(&args)?;
    let shape = order::shape(&args)?;
    let annotation = annotate::annotation(&args, action)?;
    let mut notices = notices(&args);
    notices.extend(annotate::warnings(&args)?);
    let inputs = names::all(args.files, args.files0_from.as_ref())?;
    if let (Action::Check { .. }, [_, extra, ..]) = (action, &*inputs) {
        return Err(Fault::new(format!(
            "extra operand {}: only one file is checked at a time",
            extra.display()
        ))
        .hint("check the files one by one"));
    }
    inputs.iter().try_for_each(|name| names::check_readable(name))?;
    Ok(Options {
        action,
        shape,
        inputs: names::stdin_once(inputs),
        output: output(args.output, action)?,
        limit: args.limit,
        memory: memory(&args.buffer_size)?,
        folders: folders(args.temporary_directory),
        threads: threads(args.parallel)?,
        compress: one("--compress-program", args.compress_program)?.map(PathBuf::from),
        batch: batch(args.batch_size)?,
        progress: words::progress(args.progress.as_deref())?,
        stats: words::stats(args.stats.as_deref())?,
        annotation,
        notices,
    })
}

/// Nobody reads standard error of a script for this, so it is said on a terminal.
fn notices(args: &Args) -> Vec<String> {
    let wanted = args.locale.is_none() && (args.debug || std::io::stderr().is_terminal());
    locale::notice(|name| std::env::var_os(name)).filter(|_| wanted).into_iter().collect()
}

fn action(args: &Args) -> Result<Action> {
    Ok(match words::check(args)? {
        // A check reads as a merge does, so -m adds nothing.
        Some(aloud) => Action::Check { aloud },
        None if args.merge => Action::Merge,
        None => Action::Sort,
    })
}

fn output(outputs: Vec<PathBuf>, action: Action) -> Result<Option<PathBuf>> {
    let output = one("-o", outputs)?;
    if let (Some(_), Action::Check { aloud }) = (&output, action) {
        let letter = if aloud { 'c' } else { 'C' };
        return Err(Fault::new(format!("options '-{letter}o' are incompatible"))
            .hint(format!("-{letter} writes nothing")));
    }
    Ok(output)
}

/// Of several sizes the largest counts, up to what leaves an eighth of the memory to all else: of all of it, the system
/// grants none.
fn memory(sizes: &[String]) -> Result<usize> {
    let bytes = if sizes.is_empty() {
        available::fair_share()
    } else {
        let physical = available::physical();
        let sizes: Vec<u64> = sizes.iter().map(|text| size::parse(text, physical)).collect::<Result<_>>()?;
        sizes.into_iter().fold(0, u64::max).min(physical / 8 * 7)
    };
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX).max(available::LEAST))
}

fn folders(given: Vec<PathBuf>) -> Vec<PathBuf> {
    if given.is_empty() { vec![std::env::temp_dir()] } else { given }
}

fn threads(given: Option<usize>) -> Result<NonZeroUsize> {
    match given {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(given) => NonZeroUsize::new(given.min(256))
            .ok_or_else(|| Fault::new("--parallel 0: at least one thread is needed").hint("leave it out")),
    }
}

fn batch(given: Option<usize>) -> Result<Option<usize>> {
    match given {
        Some(given) if given < 2 => {
            Err(Fault::new(format!("--batch-size {given}: a merge has at least two inputs"))
                .hint("leave it out"))
        }
        given => Ok(given),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn refuses_by_name() {
        for (line, word) in
            [("-c -o x", "incompatible"), ("--parallel 0", "thread"), ("--batch-size 1", "two")]
        {
            let said = parse(line).unwrap_err().to_string();
            assert!(said.contains(word), "{line}: {said}");
        }
    }
}
