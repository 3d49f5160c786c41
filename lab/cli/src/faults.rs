//! How a fault is told: what happened and where, then the server's last words, then what to type next.

use anstyle::{AnsiColor, Style};
use humdrum_model::Fault;

/// Lines of a server's log that are shown without `-v`.
const LOG_LINES: usize = 8;

/// Prints to standard error.
pub fn print(fault: &Fault, verbose: bool) {
    anstream::eprint!("{}", text(fault, verbose));
}

/// The words, with colours for a terminal.
pub fn text(fault: &Fault, verbose: bool) -> String {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let cyan = Style::new().fg_color(Some(AnsiColor::Cyan.into()));
    let mut out = format!("{red}error:{red:#} {}\n", printable(&fault.to_string()));
    if let Some(log) = &fault.log_tail {
        let lines: Vec<&str> = log.lines().collect();
        let shown = if verbose { lines.len() } else { LOG_LINES.min(lines.len()) };
        for line in &lines[lines.len() - shown..] {
            out.push_str(&format!("  log│ {}\n", printable(line)));
        }
    }
    if let Some(hint) = &fault.hint {
        out.push_str(&format!("{cyan} help:{cyan:#} {}\n", printable(hint)));
    }
    out
}

/// Without control characters: a log or a label must not drive the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_where_and_what_next() {
        let fault = Fault::usage("no release 17.99").at("postgres@17.99").hint("humdrum versions postgres");
        let plain = anstream::adapter::strip_str(&text(&fault, false)).to_string();
        assert_eq!(plain, "error: postgres@17.99: no release 17.99\n help: humdrum versions postgres\n");
    }

    #[test]
    fn a_log_cannot_drive_the_terminal() {
        let fault = Fault::crash("gone").log("a\x1b[2Jb");
        assert!(text(&fault, false).contains("a\u{fffd}[2Jb"));
    }
}
