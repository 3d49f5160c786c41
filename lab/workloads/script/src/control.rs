//! Commands that begin with a backslash: `\set`, `\sample`, `\gset`, `\aset`, the conditions from `\if` to `\endif`, and those of
//! pipelines.
//!
//! A condition becomes a jump over the commands of its branch, so that an operation runs through one flat list.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::expression::Expression;
use crate::names::{Names, leading_name};
use crate::parse::{Action, Command};
use crate::pipeline::Mark;
use crate::sample::Opener;
use crate::source::{Source, meant};
use crate::sql::{Keep, Sql};

/// Offered commands.
const KNOWN: [&str; 11] = [
    "set",
    "sample",
    "gset",
    "aset",
    "if",
    "elif",
    "else",
    "endif",
    "startpipeline",
    "syncpipeline",
    "endpipeline",
];

/// Commands of pgbench that are not offered, and what to do instead.
const NOT_OFFERED: [(&str, &str); 4] = [
    ("include", "copy the lines of the other script"),
    ("setshell", "no other program runs during a measurement; use \\set"),
    ("shell", "no other program runs during a measurement"),
    ("sleep", "an operation has no pauses, because only work is measured"),
];

/// An open `\if`.
struct Open {
    /// Where its `\if` stands.
    offset: usize,
    /// The jump that leads to the next branch.
    unless: Option<usize>,
    /// Jumps from the ends of branches to the end of all.
    exits: Vec<usize>,
}

/// A command's name and the text behind it, by bytes of the file.
struct Line<'a> {
    name: &'a str,
    start: usize,
    text: usize,
    end: usize,
}

/// Reads commands.
#[derive(Default)]
pub(crate) struct Control {
    open: Vec<Open>,
}

impl Control {
    /// Reads the command whose backslash is at a byte; returns the byte behind its line.
    pub(crate) fn read(
        &mut self,
        source: &Source<'_>,
        start: usize,
        names: &mut Names,
        commands: &mut Vec<Command>,
        opener: &mut dyn Opener,
    ) -> Outcome<usize> {
        let name = leading_name(source.rest(start + 1));
        let text = start + 1 + name.len();
        let line = Line { name, start, text, end: line_end(source.text, text) };
        match name.to_ascii_lowercase().as_str() {
            "set" => commands.push(set(source, &line, names)?),
            "sample" => commands.push(sample(source, &line, names, opener)?),
            "gset" | "aset" => keep(source, &line, names, commands)?,
            "if" => {
                let unless = Some(commands.len());
                commands.push(condition(source, &line, names)?);
                self.open.push(Open { offset: start, unless, exits: Vec::new() });
            }
            "elif" => {
                self.branch(source, &line, commands)?;
                let command = condition(source, &line, names)?;
                self.opened(source, &line)?.unless = Some(commands.len());
                commands.push(command);
            }
            "else" => {
                nothing_behind(source, &line)?;
                self.branch(source, &line, commands)?;
            }
            "endif" => {
                nothing_behind(source, &line)?;
                self.close(source, &line, commands)?;
            }
            "startpipeline" => commands.push(mark(source, &line, Mark::Start)?),
            "syncpipeline" => commands.push(mark(source, &line, Mark::Sync)?),
            "endpipeline" => commands.push(mark(source, &line, Mark::End)?),
            _ => return Err(unknown(source, &line)),
        }
        Ok(line.end)
    }

    /// Every `\if` must be closed at the end of the file.
    pub(crate) fn finish(self, source: &Source<'_>) -> Outcome<()> {
        let Some(open) = self.open.last() else { return Ok(()) };
        Err(source.fault(open.offset, "no \\endif closes this \\if"))
    }

    fn opened(&mut self, source: &Source<'_>, line: &Line<'_>) -> Outcome<&mut Open> {
        let fault = source.fault(line.start, format!("no \\if is open before this \\{}", line.name));
        self.open.last_mut().ok_or(fault)
    }

    /// Ends a branch; the next one begins.
    fn branch(&mut self, source: &Source<'_>, line: &Line<'_>, commands: &mut Vec<Command>) -> Outcome<()> {
        let open = self.opened(source, line)?;
        let Some(unless) = open.unless.take() else {
            return Err(source.fault(line.start, format!("\\{} follows \\else", line.name)));
        };
        open.exits.push(commands.len());
        commands.push(Command { place: source.place(line.start), action: Action::Jump(0) });
        lead(commands, unless);
        Ok(())
    }

    fn close(&mut self, source: &Source<'_>, line: &Line<'_>, commands: &mut [Command]) -> Outcome<()> {
        self.opened(source, line)?;
        let open = self.open.pop();
        for jump in open.into_iter().flat_map(|open| open.exits.into_iter().chain(open.unless)) {
            lead(commands, jump);
        }
        Ok(())
    }
}

/// Makes a jump lead behind the last command.
fn lead(commands: &mut [Command], jump: usize) {
    let behind = commands.len();
    let action = commands.get_mut(jump).map(|command| &mut command.action);
    if let Some(Action::Jump(target) | Action::Unless { target, .. }) = action {
        *target = behind;
    }
}

fn set(source: &Source<'_>, line: &Line<'_>, names: &mut Names) -> Outcome<Command> {
    let gap = blanks(source.text, line.text, line.end);
    let name = leading_name(&source.text[gap..line.end]);
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || gap == line.text {
        let fault = source.fault(gap, "a variable's name is missing: letters, digits and _, no digit first");
        return Err(fault.hint("\\set id random(1, 100)"));
    }
    let start = gap + name.len();
    let value = Expression::parse(source, start, line.end, names)?;
    // After its own expression: `\set a :a + 1` needs an earlier value.
    let variable = names.assign(name);
    Ok(Command { place: source.place(line.start), action: Action::Set { variable, value } })
}

fn sample(
    source: &Source<'_>,
    line: &Line<'_>,
    names: &mut Names,
    opener: &mut dyn Opener,
) -> Outcome<Command> {
    let gap = blanks(source.text, line.text, line.end);
    let file = source.text[gap..line.end].trim_end();
    if file.is_empty() {
        return Err(source
            .fault(line.end, "\\sample needs the name of a CSV file")
            .hint("\\sample orders.csv"));
    }
    let samples = opener.samples(file, &source.place(gap))?;
    let variables = samples.columns.iter().map(|name| names.assign(name)).collect();
    Ok(Command { place: source.place(line.start), action: Action::Sample { samples, variables } })
}

/// The answer of the statement that this command ends becomes variables.
fn keep(source: &Source<'_>, line: &Line<'_>, names: &mut Names, commands: &mut [Command]) -> Outcome<()> {
    let gap = blanks(source.text, line.text, line.end);
    let prefix = leading_name(&source.text[gap..line.end]);
    let behind = blanks(source.text, gap + prefix.len(), line.end);
    if behind != line.end {
        return Err(source.fault(behind, format!("\\{} takes at most one word, a prefix", line.name)));
    }
    let open = source.text[..line.start].trim_end();
    let statement = commands.last_mut().filter(|_| !open.ends_with(';'));
    let Some(Command { action: Action::Sql(sql @ Sql { keep: None, .. }), .. }) = statement else {
        let fault = source.fault(line.start, format!("no open statement is before this \\{}", line.name));
        return Err(
            fault.hint(format!("write it in place of the semicolon: SELECT 1 AS one \\{}", line.name))
        );
    };
    sql.keep = Some(Keep { prefix: prefix.to_owned(), one_row: line.name.eq_ignore_ascii_case("gset") });
    names.answer(prefix);
    Ok(())
}

fn condition(source: &Source<'_>, line: &Line<'_>, names: &mut Names) -> Outcome<Command> {
    let condition = Expression::parse(source, line.text, line.end, names)?;
    Ok(Command { place: source.place(line.start), action: Action::Unless { condition, target: 0 } })
}

fn mark(source: &Source<'_>, line: &Line<'_>, mark: Mark) -> Outcome<Command> {
    nothing_behind(source, line)?;
    Ok(Command { place: source.place(line.start), action: Action::Pipeline(mark) })
}

fn nothing_behind(source: &Source<'_>, line: &Line<'_>) -> Outcome<()> {
    let at = blanks(source.text, line.text, line.end);
    if at == line.end {
        return Ok(());
    }
    Err(source.fault(at, format!("nothing may follow \\{} on its line", line.name)))
}

fn unknown(source: &Source<'_>, line: &Line<'_>) -> Fault {
    if let Some((name, instead)) = NOT_OFFERED.iter().find(|(name, _)| line.name.eq_ignore_ascii_case(name)) {
        return source.fault(line.start, format!("\\{name} of pgbench is not offered")).hint(*instead);
    }
    let fault = source.fault(line.start, format!("no command \\{}", line.name));
    match meant(line.name, KNOWN.into_iter()) {
        Some(near) => fault.hint(format!("did you mean \\{near}?")),
        None => {
            let known: Vec<String> = KNOWN.iter().map(|name| format!("\\{name}")).collect();
            fault.hint(format!("commands are {}", known.join(", ")))
        }
    }
}

/// The byte of the next text on a line, or the line's end.
fn blanks(text: &str, from: usize, to: usize) -> usize {
    to - text[from..to].trim_start().len()
}

/// The end of a command: of its line, or of a later one if lines end with a backslash.
fn line_end(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let Some(length) = text[at..].find('\n') else { return text.len() };
        let line = text[at..at + length].trim_end_matches('\r');
        if !line.ends_with('\\') {
            return at + length;
        }
        at += length + 1;
    }
}
