//! All inputs in pieces of whole records, which threads take and read side by side.
//!
//! ```text
//!   a long file    | piece 1   | piece 2   | piece 3   |      every thread reads its own, from its place in the file
//!                  rec|ord|recor|d|record|record|rec|ord|
//!                               ^ belongs to piece 1, where it starts, and is read beyond that one's end
//!   the others     one thread reads, the others look for records in what they have read
//! ```
//!
//! Pieces are numbered in the order of the input. A long file counts as long as it is when it is opened: what is
//! appended meanwhile is left out, and if it becomes shorter that is a fault.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use super::feed::Feed;
use super::fetch::Fetch;
use super::inputs::{Input, Inputs, reach};
use super::shape::Frame;
use crate::error::{Error, Result};
use crate::progress::Meter;

/// How far a piece is read beyond its end for that of its last record; where that is not far enough, this many times as
/// far, then twice as far each time.
const BEYOND: usize = 512;
const FURTHER: usize = 8;

/// Inputs whose pieces are being taken.
pub(crate) struct Pieces<'m> {
    frame: Frame,
    /// Bytes of a piece.
    size: usize,
    meter: &'m Meter,
    state: Mutex<State<'m>>,
}

struct State<'m> {
    inputs: Inputs<'m>,
    current: Option<Current<'m>>,
    number: u64,
    error: Option<Error>,
}

enum Current<'m> {
    Long(Long),
    Stream(Feed<'m>),
}

/// A file whose places can be read at any time.
#[derive(Clone)]
struct Long {
    file: Arc<File>,
    name: Arc<PathBuf>,
    /// The input's first byte, the next piece's, and the end.
    start: u64,
    at: u64,
    end: u64,
}

/// A piece: its number, and where its records are in the buffer, the last one with its delimiter.
pub(crate) struct Piece {
    pub(crate) number: u64,
    pub(crate) place: Range<usize>,
}

/// What a thread gets while it has the state to itself.
enum Taken {
    Read(Range<usize>),
    /// To be read by the thread when others may take theirs: a file from its `at` to this byte.
    Stretch(Long, u64),
}

impl<'m> Pieces<'m> {
    /// Reads pieces of about `size` bytes.
    pub(crate) fn new(inputs: Inputs<'m>, frame: Frame, size: usize, meter: &'m Meter) -> Self {
        let size = match frame {
            Frame::Delimited(_) => size,
            Frame::Fixed(record) => (size / record).max(1) * record,
        };
        let state = State { inputs, current: None, number: 0, error: None };
        Pieces { frame, size, meter, state: Mutex::new(state) }
    }

    /// Reads the next piece into `buffer`; nothing at the end, or when a thread's reading has failed.
    pub(crate) fn next(&self, buffer: &mut Vec<u8>) -> Option<Piece> {
        let mut state = self.lock();
        if state.error.is_some() {
            return None;
        }
        let taken = self.meter.check().and_then(|()| self.take(&mut state, buffer));
        let number = state.number;
        state.number += 1;
        drop(state);
        let place = taken.and_then(|taken| match taken {
            Some(Taken::Stretch(from, to)) => self.read(&from, to, buffer).map(Some),
            Some(Taken::Read(place)) => Ok(Some(place)),
            None => Ok(None),
        });
        match place {
            Ok(place) => place.map(|place| Piece { number, place }),
            Err(error) => {
                self.lock().error.get_or_insert(error);
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'m>> {
        self.state.lock().expect("no panic under the lock")
    }

    /// What went wrong, when all threads are done.
    pub(crate) fn finish(self) -> Result<()> {
        self.state.into_inner().expect("no panic under the lock").error.map_or(Ok(()), Err)
    }

    fn take(&self, state: &mut State<'m>, buffer: &mut Vec<u8>) -> Result<Option<Taken>> {
        loop {
            match &mut state.current {
                Some(Current::Long(long)) if long.at < long.end => {
                    let from = long.clone();
                    long.at = (long.at + self.size as u64).min(long.end);
                    return Ok(Some(Taken::Stretch(from, long.at)));
                }
                Some(Current::Stream(feed)) => {
                    if let Some(len) = self.read_on(feed, buffer)? {
                        return Ok(Some(Taken::Read(0..len)));
                    }
                }
                _ => {}
            }
            let Some(input) = state.inputs.next()? else { return Ok(None) };
            state.current = Some(self.begin(input)?);
        }
    }

    fn begin(&self, Input { name, file }: Input) -> Result<Current<'m>> {
        match reach(&file) {
            // Shorter ones are not worth it, and some files that the system makes up are shorter than they claim.
            Some((at, end)) if end.saturating_sub(at) >= 2 * self.size as u64 => {
                self.frame.check_end(&name, end - at)?;
                Ok(Current::Long(Long { file: Arc::new(file), name: Arc::new(name), start: at, at, end }))
            }
            _ => Ok(Current::Stream(Feed::opened(Input { name, file }, self.frame, self.meter))),
        }
    }

    /// Reads a stream on to the end of a record; the length of whole records, or nothing at its end.
    fn read_on(&self, feed: &mut Feed<'m>, buffer: &mut Vec<u8>) -> Result<Option<usize>> {
        let mut filled = feed.carry.len();
        at_least(buffer, filled + self.size);
        buffer[..filled].copy_from_slice(&feed.carry);
        feed.carry.clear();
        loop {
            if buffer.len() - filled < self.size {
                buffer.resize(2 * buffer.len(), 0);
            }
            let read = feed.read(&mut buffer[filled..][..self.size])?;
            if read == 0 {
                return Ok(None);
            }
            let searched = filled;
            filled += read;
            if let Some(end) = self.frame.last_end(&buffer[..filled], searched) {
                feed.carry.extend_from_slice(&buffer[end..filled]);
                return Ok(Some(end));
            }
        }
    }

    /// Reads the records that start between two places of a file.
    fn read(&self, from: &Long, to: u64, buffer: &mut Vec<u8>) -> Result<Range<usize>> {
        let len = (to - from.at) as usize;
        self.meter.read(len);
        // The byte before tells whether a record starts at the first place.
        let lead = usize::from(from.at > from.start && matches!(self.frame, Frame::Delimited(_)));
        let at = from.at - lead as u64;
        let mut fetch =
            Fetch::Stretch { file: Arc::clone(&from.file), name: Arc::clone(&from.name), at, end: from.end };
        let own = lead + len;
        let Frame::Delimited(end) = self.frame else {
            at_least(buffer, own);
            fetch.fill(&mut buffer[..own])?;
            return Ok(0..own);
        };
        let mut filled = own + BEYOND.min((from.end - to) as usize);
        // One more for a delimiter that the file lacks.
        at_least(buffer, filled + 1);
        fetch.fill(&mut buffer[..filled])?;
        let first = if lead == 0 { Some(0) } else { self.frame.first_end(&buffer[..own], 0) };
        let Some(first) = first else { return Ok(0..0) };
        let (mut searched, mut more) = (own - 1, FURTHER * BEYOND);
        loop {
            if let Some(last) = self.frame.first_end(&buffer[..filled], searched) {
                return Ok(first..last);
            }
            searched = filled;
            at_least(buffer, filled + more + 1);
            let read = fetch.read(&mut buffer[filled..][..more])?;
            if read == 0 {
                buffer[filled] = end;
                return Ok(first..filled + 1);
            }
            filled += read;
            more *= 2;
        }
    }
}

/// Makes `buffer` as long as this, if it is shorter; what is in it stays.
fn at_least(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    /// What three threads read, in the order of the numbers.
    fn read_all(pieces: &Pieces<'_>) -> Vec<u8> {
        let read = Mutex::new(Vec::new());
        let work = || {
            let mut buffer = Vec::new();
            while let Some(Piece { number, place }) = pieces.next(&mut buffer) {
                read.lock().unwrap().push((number, buffer[place].to_vec()));
            }
        };
        thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
        let mut read = read.into_inner().unwrap();
        read.sort_unstable();
        read.into_iter().flat_map(|(_, bytes)| bytes).collect()
    }

    fn put(folder: &tempfile::TempDir, files: &[Vec<u8>]) -> Inputs<'static> {
        let path = |at: usize| folder.path().join(at.to_string());
        files.iter().enumerate().for_each(|(at, bytes)| std::fs::write(path(at), bytes).unwrap());
        Inputs::new((0..files.len()).map(path).collect(), &|name| File::open(name))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn every_record_is_in_one_piece(
            files in prop::collection::vec(prop::collection::vec(prop_oneof![3 => Just(b'a'), 1 => Just(b'\n')], 0..200), 1..4),
            size in 1usize..50,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let meter = Meter::new();
            let pieces = Pieces::new(put(&folder, &files), Frame::Delimited(b'\n'), size, &meter);
            let mut expected = Vec::new();
            for file in &files {
                expected.extend_from_slice(file);
                expected.extend(file.last().filter(|last| **last != b'\n').map(|_| b'\n'));
            }
            prop_assert_eq!(read_all(&pieces), expected);
            pieces.finish().unwrap();
            prop_assert_eq!(meter.seen().bytes_read, files.iter().map(Vec::len).sum::<usize>() as u64);
        }
    }

    #[test]
    fn records_of_fixed_length_stay_whole() {
        let (folder, meter) = (tempfile::tempdir().unwrap(), Meter::new());
        let files = [(0..210).collect::<Vec<u8>>(), vec![9; 7], (0..70).collect()];
        let pieces = Pieces::new(put(&folder, &files), Frame::Fixed(7), 20, &meter);
        let mut buffer = Vec::new();
        assert_eq!(pieces.next(&mut buffer).unwrap().place, 0..14);
        assert_eq!(read_all(&pieces), files.concat()[14..]);
        pieces.finish().unwrap();
        let pieces = Pieces::new(put(&folder, &[vec![0; 100]]), Frame::Fixed(7), 20, &meter);
        assert!(pieces.next(&mut buffer).is_none());
        assert!(pieces.finish().unwrap_err().to_string().contains("2 bytes of a record of 7"));
    }

    #[test]
    fn a_file_that_becomes_shorter_is_a_fault_and_one_that_grows_is_not() {
        let (folder, meter) = (tempfile::tempdir().unwrap(), Meter::new());
        for len in [20, 1000] {
            let pieces =
                Pieces::new(put(&folder, &[b"ab\n".repeat(100)]), Frame::Delimited(b'\n'), 30, &meter);
            pieces.next(&mut Vec::new()).unwrap();
            File::options().write(true).open(folder.path().join("0")).unwrap().set_len(len).unwrap();
            let rest = read_all(&pieces).len();
            match pieces.finish() {
                Err(error) => assert!(len == 20 && matches!(error, Error::InputShrank { .. }), "{error}"),
                Ok(()) => assert_eq!((len, rest), (1000, 270)),
            }
        }
    }
}
