//! What sources of both engines have in common.

use humdrum_engine_kit::{Flags, cmake_tools, source};
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;

/// What both engines need beside the compiler of C.
pub fn tools(flags: &Flags) -> Vec<Tool> {
    let mut tools = cmake_tools(flags);
    let others = [
        ("pkg-config", "pkg-config"),
        ("<curses.h>", "libncurses-dev"),
        ("<libaio.h>", "libaio-dev"),
        ("<openssl/ssl.h>", "libssl-dev"),
    ];
    tools.extend(others.map(|(name, package)| Tool::new(name, package)));
    tools
}

/// `9.7.2` of a file with lines such as `MYSQL_VERSION_MAJOR=9`.
pub fn release_in(sources: &Sources, file: &str) -> Option<String> {
    source::release_in(sources, file, |part| format!("MYSQL_VERSION_{part}="))
}
