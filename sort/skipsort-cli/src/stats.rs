//! `--stats`: what was done, in words or as JSON for scripts.

use skipsort_external::Meter;

use crate::options::{Options, Stats};

/// The report, with a newline at its end.
pub(crate) fn report(form: Stats, meter: &Meter, options: &Options) -> String {
    let seen = meter.seen();
    let (first, last) = (seen.first_row.unwrap_or(seen.last_row).as_secs_f64(), seen.last_row.as_secs_f64());
    match form {
        Stats::Json => {
            let report = serde_json::json!({
                "schema": 1,
                "tool": concat!("skipsort ", env!("CARGO_PKG_VERSION")),
                "rows": seen.rows_written,
                "bytes": seen.bytes_written,
                "rows_read": seen.rows_read,
                "bytes_read": seen.bytes_read,
                "spills": seen.runs,
                "bytes_spilled": seen.bytes_spilled,
                "merges": seen.merges,
                "seconds_to_first_row": first,
                "seconds_to_last_row": last,
                "memory_bytes": options.memory,
                "threads": options.threads,
            });
            format!("{report}\n")
        }
        Stats::Text => format!(
            "{} rows, {} bytes written; {} bytes read; {} spills of {} bytes, {} merges; \
             first row after {first:.3} s, last after {last:.3} s; {} bytes of memory, {} threads\n",
            seen.rows_written,
            seen.bytes_written,
            seen.bytes_read,
            seen.runs,
            seen.bytes_spilled,
            seen.merges,
            options.memory,
            options.threads,
        ),
    }
}
