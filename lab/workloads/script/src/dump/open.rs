//! Opens a dump, packed or not. What it is follows from its first bytes, not from its name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::bufread::MultiGzDecoder;
use humdrum_contract::Outcome;
use humdrum_model::Fault;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use sha2::{Digest, Sha256};

use super::{WRITERS, cut_off};
use crate::checksum;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 18;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Memory that a frame of zstd may ask for: what its own program allows.
const WINDOW_BYTES_MOST: u64 = 128 << 20;

/// Text that is read in pieces.
pub(crate) type Text = BufReader<Box<dyn Read>>;

/// An opened dump.
pub(crate) struct Opened {
    /// Unpacked.
    pub(crate) text: Text,
    /// The file's name.
    pub(crate) shown: String,
    pub(crate) progress: Reading,
}

/// How much of the file is read.
#[derive(Clone)]
pub(crate) struct Reading {
    done: Arc<AtomicU64>,
    hash: Arc<Mutex<Option<Sha256>>>,
    /// Bytes of the whole file.
    pub(crate) total: u64,
}

impl Reading {
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The checksum of what was read, if one is made.
    pub(crate) fn sha256(&self) -> String {
        let hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner).clone();
        hash.map(checksum::in_hex).unwrap_or_default()
    }
}

/// Opens a file; with `sums`, makes a checksum of what is read of it.
pub(crate) fn open(path: &Path, sums: bool) -> Outcome<Opened> {
    let shown = path.display().to_string();
    let no_file = |error: io::Error| {
        let fault = Fault::usage(error.to_string()).at(shown.clone());
        fault.hint(format!("a dump is a file that {WRITERS} wrote, and that you may read"))
    };
    let file = File::open(path).map_err(no_file)?;
    let about = file.metadata().map_err(no_file)?;
    if about.is_dir() {
        let fault = Fault::usage("it is a folder").at(shown);
        return Err(fault.hint("of pg_dump's formats, take plain or custom: pg_dump -Fc -f prod.dump"));
    }
    let progress = Reading {
        done: Arc::default(),
        hash: Arc::new(Mutex::new(sums.then(Sha256::new))),
        total: about.len(),
    };
    let mut raw = BufReader::with_capacity(PIECE_BYTES, Counted { file, progress: progress.clone() });
    let text: Box<dyn Read> = if begins_with(&mut raw, GZIP, &shown)? {
        Box::new(MultiGzDecoder::new(raw))
    } else if begins_with(&mut raw, ZSTD, &shown)? {
        Box::new(Frames { source: Some(raw), frame: None })
    } else {
        Box::new(raw)
    };
    Ok(Opened { text: BufReader::with_capacity(PIECE_BYTES, text), shown, progress })
}

/// Whether a text begins with these bytes.
pub(crate) fn begins_with(text: &mut impl BufRead, wanted: &[u8], shown: &str) -> Outcome<bool> {
    let first = text.fill_buf().map_err(|error| cut_off(shown.to_owned(), error))?;
    Ok(first.starts_with(wanted))
}

/// The file, with what was read of it.
struct Counted {
    file: File,
    progress: Reading,
}

impl Read for Counted {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(piece)?;
        self.progress.done.fetch_add(read as u64, Ordering::Relaxed);
        if let Some(hash) = &mut *self.progress.hash.lock().unwrap_or_else(PoisonError::into_inner) {
            hash.update(&piece[..read]);
        }
        Ok(read)
    }
}

/// Frames of zstd, one behind the other. The library reads one.
struct Frames<R: BufRead> {
    source: Option<R>,
    frame: Option<StreamingDecoder<R, FrameDecoder>>,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(piece)?;
                if read > 0 {
                    return Ok(read);
                }
                self.source = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut source) = self.source.take() else { return Ok(0) };
            if source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new_with_max_window_size(source, WINDOW_BYTES_MOST);
            self.frame = Some(frame.map_err(io::Error::other)?);
        }
    }
}

/// Unpacks zstd.
pub(crate) fn zstd(source: impl Read + 'static) -> Box<dyn Read> {
    Box::new(Frames { source: Some(BufReader::new(source)), frame: None })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        let mut opened = open(file.path(), true).expect("opens");
        let mut all = Vec::new();
        opened.text.read_to_end(&mut all)?;
        assert_eq!((opened.progress.done(), opened.progress.total), (bytes.len() as u64, bytes.len() as u64));
        assert_eq!(opened.progress.sha256().len(), 64);
        Ok(all)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text).expect("written");
        writer.finish().expect("ended")
    }

    #[test]
    fn packed_and_plain_files_give_the_same_text() {
        let text: Vec<u8> =
            (0..90_000_u32).flat_map(|number| (number % 251).to_string().into_bytes()).collect();
        let (one, two) = text.split_at(70_000);
        let zstd = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
        for packed in [text.clone(), [gzip(one), gzip(two)].concat(), [zstd(one), zstd(two)].concat()] {
            assert!(read(&packed).expect("read") == text);
        }
        assert_eq!(read(b"").expect("read"), b"");
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let text = vec![b'x'; 400_000];
        let zstd = compress_to_vec(&text[..], CompressionLevel::Fastest);
        for packed in [gzip(&text), zstd] {
            assert!(read(&packed).is_ok());
            assert!(read(&packed[..packed.len() - 5]).is_err());
        }
    }
}
