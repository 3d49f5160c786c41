//! The processes of a server, by what they work for.

/// What a process of a server works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Serves client connections.
    Session,
    /// Everything else: checkpointer, writer, supervisor.
    Background,
}

/// One process of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// What it works for.
    pub role: Role,
}
