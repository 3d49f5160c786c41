//! Runs in files of DataFusion's `DiskManager`, which counts their bytes and removes them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::{SpillFile, SpillWriter};
use skipsort_external::{Storage, StoredRun};

/// A file of the manager for each run.
pub(crate) struct DiskStorage(pub(crate) Arc<DiskManager>);

impl Storage for DiskStorage {
    fn create(&mut self, _: u64) -> io::Result<Box<dyn StoredRun>> {
        let kept = self.0.create_tmp_file("sorting (SkipSortExec)").map_err(io::Error::other)?;
        let Some(path) = kept.path() else {
            let what =
                "this session keeps spill files where they have no path; sorts need local files to spill";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        };
        let file = Arc::new(File::open(path)?);
        let writer = kept.open_writer().map_err(io::Error::other)?;
        Ok(Box::new(Run { file, writer: std::sync::Mutex::new(writer), _kept: kept }))
    }

    fn place(&self, _: u64) -> String {
        let paths = self.0.temp_dir_paths();
        let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        if named.is_empty() { "the temporary folder".into() } else { named.join(", ") }
    }
}

struct Run {
    file: Arc<File>,
    /// Runs are shared by threads once they are written; a writer need not be.
    writer: std::sync::Mutex<Box<dyn SpillWriter>>,
    /// The file is removed, and its bytes are no longer counted, when this is dropped.
    _kept: Arc<dyn SpillFile>,
}

impl Run {
    fn writer(&mut self) -> &mut dyn SpillWriter {
        match self.writer.get_mut() {
            Ok(writer) => writer.as_mut(),
            Err(poisoned) => poisoned.into_inner().as_mut(),
        }
    }
}

impl Write for Run {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()?;
        self.writer().finish().map_err(io::Error::other)
    }
}

impl StoredRun for Run {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Stretch { file: Arc::clone(&self.file), at: from, end: to }))
    }
}

struct Stretch {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for Stretch {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = room.len().min(left);
        let read = self.file.read_at(&mut room[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
