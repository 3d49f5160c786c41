//! `humdrum doctor`: checks whether this host is fit to measure on, and says what to change.

use anstyle::{AnsiColor, Style};
use humdrum_model::{Fault, Finding, Level};

use crate::args::DoctorOptions;
use crate::lab::Lab;

/// `humdrum doctor`. The exit code is always 0, because findings are advice.
///
/// # Errors
/// None of its own.
pub fn doctor(lab: &Lab, options: &DoctorOptions) -> Result<u8, Fault> {
    let mut facts = humdrum_provision::hosts::host_facts(&lab.dirs);
    facts.findings.push(humdrum_record::history::finding(&lab.dirs.cache));
    facts.findings.push(humdrum_record::selftests::finding(&lab.dirs.cache));
    if options.json {
        anstream::println!("{}", serde_json::to_string_pretty(&facts).unwrap_or_default());
        return Ok(0);
    }
    let gib = facts.memory_bytes as f64 / f64::from(1 << 30);
    anstream::println!("{} · {} processors · {gib:.1} GiB · {}", facts.cpu_model, facts.cpus, facts.kernel);
    if let Some(processor) = humdrum_report::processor(&facts) {
        anstream::println!("{}", humdrum_report::printable(&processor));
    }
    for finding in &facts.findings {
        anstream::println!("{}", line(finding));
    }
    Ok(0)
}

fn line(finding: &Finding) -> String {
    let (color, mark) = match finding.level {
        Level::Fine => (AnsiColor::Green, "fine"),
        Level::Warning => (AnsiColor::Yellow, "warn"),
        Level::Bad => (AnsiColor::Red, "bad "),
    };
    let style = Style::new().fg_color(Some(color.into()));
    let advice =
        if finding.advice.is_empty() { String::new() } else { format!("\n       → {}", finding.advice) };
    format!("{style}{mark}{style:#}  {:<14} {}{advice}", finding.name, finding.found)
}
