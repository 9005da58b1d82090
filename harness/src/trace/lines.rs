//! A file as numbered lines: plain or gzipped, of any line ending, in bounded memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use records::error::BadInput;

/// No line of any format is longer. It bounds the memory that a broken or hostile file can take.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// How much of the start of a file is looked at, to tell what it is.
const HEAD_BYTES: u64 = 4096;

/// Bytes of a file, decompressed.
pub(super) type Bytes = Box<dyn BufRead>;

/// Opens a file, through gzip if it is gzipped; gives the start of its content, and all of it.
pub(super) fn open(path: &Path) -> Result<(Vec<u8>, Bytes), BadInput> {
    let file = path.display().to_string();
    let mut raw =
        File::open(path).map_err(|error| BadInput::new(format!("{file}: cannot open: {error}")))?;
    let is_named_gz = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let magic = start_of(&mut raw, 2).map_err(|error| cannot_read(&file, 1, &error))?;
    let is_gzip = magic == [0x1f, 0x8b];
    if magic.is_empty() {
        return Err(BadInput::new(format!("{file}:1: the file is empty")));
    }
    if is_named_gz && !is_gzip {
        return Err(BadInput::new(format!(
            "{file}:1: named .gz, but the content is not gzip: rename it, or fetch it again"
        )));
    }
    let raw = BufReader::new(Cursor::new(magic).chain(raw));
    let mut content: Box<dyn Read> = if is_gzip {
        Box::new(MultiGzDecoder::new(raw))
    } else {
        Box::new(raw)
    };
    let head = start_of(&mut content, HEAD_BYTES).map_err(|error| cannot_read(&file, 1, &error))?;
    if head.is_empty() {
        return Err(BadInput::new(format!("{file}:1: the file is empty")));
    }
    let bytes = BufReader::new(Cursor::new(head.clone()).chain(content));
    Ok((head, Box::new(bytes)))
}

fn start_of(bytes: &mut impl Read, length: u64) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    bytes.take(length).read_to_end(&mut start)?;
    Ok(start)
}

fn cannot_read(file: &str, line: u64, error: &std::io::Error) -> BadInput {
    let reason = match error.kind() {
        ErrorKind::UnexpectedEof => {
            "the compressed data ends too early: the file is truncated".to_owned()
        }
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            format!("the compressed data is corrupt: {error}")
        }
        _ => format!("cannot read: {error}"),
    };
    BadInput::new(format!("{file}:{line}: {reason}"))
}

/// The lines of one text, with their numbers.
pub(super) struct Lines<R> {
    /// What errors call the text: a path, or a path within an archive.
    file: String,
    bytes: R,
    /// Of the line that was read last; from 1.
    number: u64,
    buffer: Vec<u8>,
    /// Whether a byte order mark is taken off without a word.
    lenient: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(file: String, bytes: R, lenient: bool) -> Self {
        Self {
            file,
            bytes,
            number: 0,
            buffer: Vec::new(),
            lenient,
        }
    }

    /// An error about the line that was read last.
    pub(super) fn error(&self, what: &str) -> BadInput {
        BadInput::new(format!("{}:{}: {what}", self.file, self.number.max(1)))
    }

    /// The next line without its ending; `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, BadInput> {
        self.buffer.clear();
        self.number += 1;
        // One byte more than allowed, to tell a long line from one that just fits.
        let mut limited = (&mut self.bytes).take(LINE_BYTES_MAX + 1);
        if let Err(error) = limited.read_until(b'\n', &mut self.buffer) {
            return Err(cannot_read(&self.file, self.number, &error));
        }
        if self.buffer.is_empty() {
            self.number -= 1;
            return Ok(None);
        }
        if self.buffer.len() as u64 > LINE_BYTES_MAX {
            return Err(self.error(&format!(
                "the line is longer than {LINE_BYTES_MAX} bytes: this is no text of lines"
            )));
        }
        if self.number == 1 {
            self.check_start()?;
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some(line.trim_end_matches(['\n', '\r']))),
            Err(_) => Err(self.error("the line is not UTF-8 text")),
        }
    }

    fn check_start(&mut self) -> Result<(), BadInput> {
        if self.buffer.starts_with(b"version https://git-lfs") {
            return Err(
                self.error("Git LFS pointer, not data: fetch the file itself with `git lfs pull`")
            );
        }
        if self.buffer.starts_with(b"\xef\xbb\xbf") {
            if !self.lenient {
                return Err(self.error(
                    "begins with a UTF-8 byte order mark: remove it, or read with --lenient",
                ));
            }
            self.buffer.drain(..3);
        }
        Ok(())
    }
}
