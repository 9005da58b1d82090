//! The fields of one line of CSV. Quotes are understood; a field cannot span lines.

use csv_core::{ReadRecordResult, Reader};

use super::Problem;

/// Splits lines, in the same buffers.
#[derive(Debug)]
pub(super) struct CsvLine {
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl CsvLine {
    pub(super) fn new() -> Self {
        Self {
            reader: Reader::new(),
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The fields of a line.
    pub(super) fn split(&mut self, line: &str) -> Result<Vec<&str>, Problem> {
        self.reader.reset();
        self.text.resize(line.len() + 1, 0);
        self.ends.resize(line.len() + 2, 0);
        let mut written = 0;
        let mut fields = 0;
        let mut input = line.as_bytes();
        // The end of the input is told by an empty read: no record needs a line ending.
        loop {
            let (result, read, text, ends) =
                self.reader
                    .read_record(input, &mut self.text[written..], &mut self.ends[fields..]);
            input = &input[read..];
            written += text;
            fields += ends;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(Problem::new(
                        "broken quotes",
                        "the fields cannot be told apart",
                    ));
                }
            }
        }
        let text = std::str::from_utf8(&self.text[..written])
            .map_err(|_| Problem::new("broken quotes", "a quote splits a character"))?;
        let starts = std::iter::once(0).chain(self.ends[..fields].iter().copied());
        Ok(starts
            .zip(&self.ends[..fields])
            .map(|(start, &end)| &text[start..end])
            .collect())
    }
}
