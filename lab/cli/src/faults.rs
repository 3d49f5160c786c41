//! Prints a fault: what happened and where, then the end of the server's log, then what to type next.

use anstyle::{AnsiColor, Style};
use humdrum_model::Fault;
use humdrum_report::printable;

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
    fn neither_a_label_nor_a_log_nor_a_hint_drives_the_terminal() {
        let hostile = format!("a\x1b[2Jb\0\u{202e}\u{9b}<script>{}", "x".repeat(50_000));
        let fault = Fault::crash(&hostile).at(&hostile).hint(&hostile).log(&hostile);
        let told = anstream::adapter::strip_str(&text(&fault, false)).to_string();
        assert!(!told.contains(['\x1b', '\0', '\u{202e}', '\u{9b}']));
        assert!(told.matches("a\u{fffd}[2Jb").count() == 3 && told.len() < 10_000, "{}", told.len());
    }
}
