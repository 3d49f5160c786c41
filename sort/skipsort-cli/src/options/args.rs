//! The command line, spelled as `spelling.rs` leaves it. What it means together is found out in `resolve.rs`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Parser};

/// Sort lines or fixed-length records by their bytes, as `LC_ALL=C sort` does, also files larger than memory.
///
/// With no FILE, or when FILE is -, standard input is read.
#[derive(Debug, Parser)]
#[command(
    name = "skipsort",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    override_usage = "skipsort [OPTIONS] [FILE]...",
    after_help = "A key is F[.C][OPTS][,F[.C][OPTS]]: field and character, counted from 1, of its start and its end; \
        OPTS are letters of b, d, f, g, h, i, M, n, r, R and V and replace the global ones.\n\n\
        Exit codes: 0 sorted, 1 -c or -C found disorder, 2 bad usage or failed."
)]
pub(crate) struct Args {
    /// Files to sort, or with -m to merge; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,

    /// Sort by a key; may be given more than once
    #[arg(short = 'k', long = "key", value_name = "POS1[,POS2]", help_heading = "Order", action = ArgAction::Append)]
    pub(crate) keys: Vec<OsString>,
    /// Fields are separated by this character instead of by blanks; \0 is NUL
    #[arg(short = 't', long, value_name = "SEP", help_heading = "Order", action = ArgAction::Append)]
    pub(crate) field_separator: Vec<OsString>,
    /// Ignore leading blanks
    #[arg(short = 'b', long, help_heading = "Order")]
    pub(crate) ignore_leading_blanks: bool,
    /// Consider blanks, letters and digits only
    #[arg(short = 'd', long, help_heading = "Order")]
    pub(crate) dictionary_order: bool,
    /// Lower case letters count as upper case ones
    #[arg(short = 'f', long, help_heading = "Order")]
    pub(crate) ignore_case: bool,
    /// Consider printable characters only
    #[arg(short = 'i', long, help_heading = "Order")]
    pub(crate) ignore_nonprinting: bool,
    /// Compare by numeric value
    #[arg(short = 'n', long, help_heading = "Order")]
    pub(crate) numeric_sort: bool,
    /// Compare as -n, with units: 2K before 1M
    #[arg(short = 'h', long, help_heading = "Order")]
    pub(crate) human_numeric_sort: bool,
    /// Compare floating-point numbers: 1e-3, inf, nan, 0x1p4; slower than -n
    #[arg(short = 'g', long, help_heading = "Order")]
    pub(crate) general_numeric_sort: bool,
    /// Compare names of months: unknown, JAN, ... DEC
    #[arg(short = 'M', long, help_heading = "Order")]
    pub(crate) month_sort: bool,
    /// Compare numbers within text as numbers: file9 before file10
    #[arg(short = 'V', long, help_heading = "Order")]
    pub(crate) version_sort: bool,
    /// Shuffle, but keep equal keys together
    #[arg(short = 'R', long, help_heading = "Order")]
    pub(crate) random_sort: bool,
    /// Shuffle by the first 16 bytes of FILE: the same bytes, the same order
    #[arg(long, value_name = "FILE", help_heading = "Order", action = ArgAction::Append)]
    pub(crate) random_source: Vec<OsString>,
    /// Largest first
    #[arg(short = 'r', long, help_heading = "Order")]
    pub(crate) reverse: bool,
    /// Lines with equal keys stay in the order of the input
    #[arg(short = 's', long, help_heading = "Order")]
    pub(crate) stable: bool,
    /// Of lines with equal keys only the first; with -c, check for strict order
    #[arg(short = 'u', long, help_heading = "Order")]
    pub(crate) unique: bool,
    /// Compare text by the rules of the language TAG, as in --locale=sv [default: that of the environment]
    #[arg(long, value_name = "TAG", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = "Order")]
    pub(crate) locale: Option<String>,
    /// The order by its name: general-numeric, human-numeric, month, numeric, random or version
    #[arg(long, value_name = "WORD", help_heading = "Order", action = ArgAction::Append)]
    pub(crate) sort: Vec<String>,

    /// Lines end with NUL instead of newline
    #[arg(short = 'z', long, help_heading = "Records")]
    pub(crate) zero_terminated: bool,
    /// Records of N bytes instead of lines
    #[arg(long, value_name = "N", help_heading = "Records")]
    pub(crate) record_size: Option<usize>,
    /// Where the key of a fixed-length record starts [default: 0]
    #[arg(long, value_name = "O", help_heading = "Records", requires = "record_size")]
    pub(crate) key_offset: Option<usize>,
    /// How long the key of a fixed-length record is [default: to the record's end]
    #[arg(long, value_name = "K", help_heading = "Records", requires = "record_size")]
    pub(crate) key_size: Option<usize>,

    /// Merge files that are sorted already
    #[arg(short = 'm', long, help_heading = "What to do")]
    pub(crate) merge: bool,
    /// Check that the input is sorted, name the first line that is not, exit with 1
    #[arg(short = 'c', help_heading = "What to do")]
    pub(crate) check_aloud: bool,
    /// Like -c, but say nothing
    #[arg(short = 'C', help_heading = "What to do")]
    pub(crate) check_silently: bool,
    /// As -c; with `quiet` or `silent` as -C
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "diagnose-first", help_heading = "What to do", action = ArgAction::Append)]
    pub(crate) check: Vec<String>,
    /// Write the first N lines of the sorted output only, without sorting all
    #[arg(long, value_name = "N", help_heading = "What to do")]
    pub(crate) limit: Option<u64>,
    /// Read the input's file names from FILE, each ended by NUL; - is standard input
    #[arg(long, value_name = "FILE", help_heading = "What to do")]
    pub(crate) files0_from: Option<OsString>,
    /// Write to FILE, which is replaced only when all is done; it may be an input
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "What to do", action = ArgAction::Append)]
    pub(crate) output: Vec<PathBuf>,

    /// Memory to use, in KiB or with a unit of b K M G T or % [default: half of what is free]
    #[arg(short = 'S', long, value_name = "SIZE", help_heading = "Resources", action = ArgAction::Append)]
    pub(crate) buffer_size: Vec<String>,
    /// Where to put temporary files [default: TMPDIR or /tmp]; may be given more than once
    #[arg(short = 'T', long, value_name = "DIR", help_heading = "Resources", action = ArgAction::Append)]
    pub(crate) temporary_directory: Vec<PathBuf>,
    /// Threads to use [default: one per processor]
    #[arg(long, value_name = "N", help_heading = "Resources")]
    pub(crate) parallel: Option<usize>,
    /// Compress temporary files with PROG, decompress with PROG -d
    #[arg(long, value_name = "PROG", help_heading = "Resources", action = ArgAction::Append)]
    pub(crate) compress_program: Vec<OsString>,
    /// Merge at most N inputs at once [default: as many as memory and descriptors allow]
    #[arg(long, value_name = "N", help_heading = "Resources")]
    pub(crate) batch_size: Option<usize>,

    /// Underline what of each line is compared, and warn about options that may not be meant
    #[arg(long, help_heading = "Reports")]
    pub(crate) debug: bool,
    /// Show progress on standard error: auto, always or never [default: auto, on a terminal after two seconds]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always", help_heading = "Reports")]
    pub(crate) progress: Option<String>,
    /// Say on standard error what was done; as one JSON object with --stats=json
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text", help_heading = "Reports")]
    pub(crate) stats: Option<String>,
    /// Print help
    #[arg(long, action = ArgAction::Help, help_heading = "Reports")]
    pub(crate) help: Option<bool>,
    /// Print version
    #[arg(long, action = ArgAction::Version, help_heading = "Reports")]
    pub(crate) version: Option<bool>,
}
