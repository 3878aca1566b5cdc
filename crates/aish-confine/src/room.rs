//! Room for what comes out of a tree where that is copied: looked for before the first move.

use std::io;
use std::os::unix::fs::MetadataExt as _;

use crate::attributes::Attributes;
use crate::deep::size;
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};

impl Layer {
    /// Fails where the layer's disk has no room for what moves take out of trees.
    pub(crate) fn has_room(&self, moves: &[Move]) -> Result<(), LayerError> {
        let mut needed = 0_u64;
        for one in moves.iter().filter(|one| matches!(one.kind, MoveKind::Exchange | MoveKind::Delete)) {
            let path = self.tree(one.root).join(&one.path);
            if at(&path, Attributes::of(&path))?.is_some() {
                let own = at(&path, std::fs::symlink_metadata(&path))?.blocks().saturating_mul(512);
                needed = needed.saturating_add(own).saturating_add(size(&path).0);
            }
        }
        let room = at(&self.folder, rustix::fs::statvfs(&self.folder).map_err(io::Error::from))?;
        if needed > room.f_bavail.saturating_mul(room.f_frsize) {
            return Err(LayerError { path: self.folder.clone(), source: io::Error::from_raw_os_error(libc::ENOSPC) });
        }
        Ok(())
    }
}
