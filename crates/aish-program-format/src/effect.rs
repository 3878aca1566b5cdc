//! What a part of a command does to the world.

use serde::{Deserialize, Serialize};

/// What a part of a command does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Reads, computes or shows; changes nothing.
    Read,
    /// Reads what is secret.
    ReadSecret,
    /// Changes files, settings or state in an ordinary way.
    Write,
    /// Deletes data.
    Delete,
    /// Throws recorded work away or rewrites it.
    Discard,
    /// Destroys a disk, partition, file system or volume.
    DestroyDisk,
    /// Changes who may do what.
    Permission,
    /// Changes files of the system, its boot or its users.
    System,
    /// Ends processes or takes the machine down.
    Stop,
    /// Uses up memory, disk or processes.
    Exhaust,
    /// Runs code that came from elsewhere or was hidden.
    RunForeign,
    /// Runs a program whose effect is not known.
    Run,
    /// Sends secrets away.
    SendSecret,
    /// Talks to other machines.
    Network,
    /// Deletes state of a cloud, cluster, container or service.
    DeleteRemote,
    /// Publishes, or changes what others depend on.
    Publish,
    /// Takes a protection off.
    Unprotect,
    /// Nothing is known.
    Unknown,
}

impl Effect {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadSecret => "read-secret",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Discard => "discard",
            Self::DestroyDisk => "destroy-disk",
            Self::Permission => "permission",
            Self::System => "system",
            Self::Stop => "stop",
            Self::Exhaust => "exhaust",
            Self::RunForeign => "run-foreign",
            Self::Run => "run",
            Self::SendSecret => "send-secret",
            Self::Network => "network",
            Self::DeleteRemote => "delete-remote",
            Self::Publish => "publish",
            Self::Unprotect => "unprotect",
            Self::Unknown => "unknown",
        }
    }

    /// Says whether what was done cannot be taken back.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Delete | Self::Discard | Self::DestroyDisk | Self::SendSecret | Self::DeleteRemote => true,
            Self::Read
            | Self::ReadSecret
            | Self::Write
            | Self::Permission
            | Self::System
            | Self::Stop
            | Self::Exhaust
            | Self::RunForeign
            | Self::Run
            | Self::Network
            | Self::Publish
            | Self::Unprotect
            | Self::Unknown => false,
        }
    }
}
