//! External sort: sorts more records than the memory holds, by sorted runs in temporary files.
//!
//! Crates for it bound the memory by the number of records. Rows of reviews differ in size a thousandfold, so this one bounds it by bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek as _, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Size of the buffer for each run while runs are merged.
const RUN_BUFFER_BYTES: usize = 32 << 10;

/// Record that can be sorted externally.
pub(super) trait SortRecord: Ord + Sized {
    /// Returns the number of bytes of memory that the record takes.
    fn memory(&self) -> usize;

    /// Writes the record.
    fn write(&self, output: &mut impl Write) -> io::Result<()>;

    /// Reads the next record of the input, which has at least one more.
    fn read(input: &mut impl BufRead) -> io::Result<Self>;
}

/// Limits of a sort.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortLimits {
    /// Bytes of memory for records that are not in a run yet.
    pub(super) max_bytes: usize,
    /// Runs that are merged at a time. Each is an open file.
    pub(super) max_runs: usize,
}

impl Default for SortLimits {
    /// Returns limits for 16 GB of records without a further merge: 400 files, below the usual limit of 1,024 also twice.
    fn default() -> Self {
        Self { max_bytes: 40 << 20, max_runs: 400 }
    }
}

/// Sort in progress.
pub(super) struct ExternalSort<R> {
    folder: PathBuf,
    limits: SortLimits,
    buffer: Vec<R>,
    buffer_bytes: usize,
    runs: Vec<File>,
}

/// Records of a sort, in sorted runs.
pub(super) struct SortedRuns<R> {
    runs: Vec<File>,
    record: PhantomData<R>,
}

/// Iterator over sorted records.
pub(super) struct Merge<'a, R> {
    inputs: Vec<BufReader<&'a File>>,
    /// Next record of each input that has more, with the number of the input.
    next: BinaryHeap<Reverse<(R, usize)>>,
}

impl<R: SortRecord> ExternalSort<R> {
    /// Begins a sort with temporary files in the folder. They have no names, and vanish with the process.
    pub(super) fn new(folder: &Path, limits: SortLimits) -> Self {
        Self { folder: folder.to_owned(), limits, buffer: Vec::new(), buffer_bytes: 0, runs: Vec::new() }
    }

    /// Adds a record.
    pub(super) fn push(&mut self, record: R) -> io::Result<()> {
        self.buffer_bytes += record.memory();
        self.buffer.push(record);
        if self.buffer_bytes >= self.limits.max_bytes { self.write_run() } else { Ok(()) }
    }

    /// Ends the sort.
    pub(super) fn finish(mut self) -> io::Result<SortedRuns<R>> {
        self.write_run()?;
        Ok(SortedRuns { runs: self.runs, record: PhantomData })
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.buffer.sort_unstable();
        self.buffer_bytes = 0;
        let run = write_all(&self.folder, self.buffer.drain(..).map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= self.limits.max_runs {
            let mut runs = SortedRuns { runs: std::mem::take(&mut self.runs), record: PhantomData::<R> };
            self.runs = vec![write_all(&self.folder, runs.merge()?)?];
        }
        Ok(())
    }
}

/// Writes records to a temporary file.
fn write_all<R: SortRecord>(folder: &Path, records: impl Iterator<Item = io::Result<R>>) -> io::Result<File> {
    let mut output = BufWriter::new(tempfile::tempfile_in(folder)?);
    for record in records {
        record?.write(&mut output)?;
    }
    Ok(output.into_inner()?)
}

impl<R: SortRecord> SortedRuns<R> {
    /// Returns the records in order, from the first one on. It moves the positions in the files, which no other iterator may do meanwhile.
    pub(super) fn merge(&mut self) -> io::Result<Merge<'_, R>> {
        let mut merge = Merge { inputs: Vec::new(), next: BinaryHeap::new() };
        for (number, mut run) in self.runs.iter().enumerate() {
            run.rewind()?;
            let mut input = BufReader::with_capacity(RUN_BUFFER_BYTES, run);
            merge.next.extend(read_next(&mut input)?.map(|record| Reverse((record, number))));
            merge.inputs.push(input);
        }
        Ok(merge)
    }
}

/// Reads a record; `None` at the end of the input.
fn read_next<R: SortRecord>(input: &mut impl BufRead) -> io::Result<Option<R>> {
    if input.fill_buf()?.is_empty() { Ok(None) } else { R::read(input).map(Some) }
}

impl<R: SortRecord> Iterator for Merge<'_, R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<io::Result<R>> {
        let mut first = self.next.peek_mut()?;
        let Reverse((_, number)) = &*first;
        let number = *number;
        match read_next(&mut self.inputs[number]) {
            Err(error) => Some(Err(error)),
            Ok(None) => Some(Ok(PeekMut::pop(first).0.0)),
            Ok(Some(following)) => {
                let Reverse((record, _)) = std::mem::replace(&mut *first, Reverse((following, number)));
                Some(Ok(record))
            }
        }
    }
}

/// Reads an integer of 8 bytes.
pub(super) fn read_u64(input: &mut impl BufRead) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Text(Vec<u8>);

    impl SortRecord for Text {
        fn memory(&self) -> usize {
            self.0.len()
        }

        fn write(&self, output: &mut impl Write) -> io::Result<()> {
            output.write_all(&(self.0.len() as u64).to_le_bytes())?;
            output.write_all(&self.0)
        }

        fn read(input: &mut impl BufRead) -> io::Result<Self> {
            let length = read_u64(input)?;
            let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            input.read_exact(&mut bytes)?;
            Ok(Self(bytes))
        }
    }

    #[test]
    fn records_come_in_order_whatever_the_limits_and_again_when_asked_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for seed in 0..60 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let limits = SortLimits { max_bytes: rng.usize(1..400), max_runs: rng.usize(2..6) };
            let records = (0..rng.usize(0..300)).map(|_| Text((0..rng.usize(0..9)).map(|_| rng.u8(..)).collect()));
            let mut records: Vec<Text> = records.collect();
            let mut sort = ExternalSort::new(folder.path(), limits);
            for record in &records {
                sort.push(record.clone()).expect("the folder can be written");
            }
            records.sort_unstable();
            let mut runs = sort.finish().expect("the folder can be written");
            for _ in 0..2 {
                let merged: Vec<Text> = runs.merge().expect("runs").map(|record| record.expect("a record")).collect();
                assert_eq!(merged, records, "seed {seed}");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0, "no file is left");
    }
}
