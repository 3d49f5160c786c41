//! The processes of a server, by their purpose.

/// The purpose of a server's process.
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
    /// Its purpose.
    pub role: Role,
}
