//! Folder in the place of a bucket.

use std::fs::{self, Metadata};
use std::io::{self, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::random::random_u64;
use presence_ingest::{Objects, OpenObject};
use tokio::io::AsyncSeekExt as _;

/// Folder with an object that arrives in each of its files.
pub(super) const INBOX: &str = "inbox/";
/// Folder with the report of each object.
pub(super) const DONE: &str = "done/";
/// End of the name of a file while it is written.
const UNFINISHED: &str = ".unfinished";

/// Objects of a folder: the key of each is its path. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FolderObjects {
    root: PathBuf,
    /// Random number of this start. A stop loses the queue, so that a file without a report is another object after the next start.
    start: u64,
}

/// File of the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InboxFile {
    /// Key of the object.
    pub(super) key: String,
    pub(super) mark: FileMark,
}

/// Mark of a file's content: size, time and place on the disk, and the start of this process. A file that is replaced has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileMark {
    pub(super) bytes: u64,
    pub(super) modified_at: SystemTime,
    inode: u64,
    start: u64,
}

impl FileMark {
    fn of(metadata: &Metadata, start: u64) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Self { bytes: metadata.len(), modified_at: metadata.modified()?, inode: metadata.ino(), start })
    }

    /// Returns the mark as text: letters and digits.
    pub(super) fn etag(self) -> String {
        let nanoseconds = self.modified_at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        format!("{:x}-{nanoseconds:x}-{:x}-{:x}", self.bytes, self.inode, self.start)
    }
}

impl FolderObjects {
    /// Opens the folder. Creates it and its inbox if they are missing.
    ///
    /// # Errors
    /// Occurs when the folder cannot be written.
    pub fn open(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root.join(INBOX))?;
        Ok(Self { root: root.to_owned(), start: random_u64() })
    }

    /// Returns the files of the inbox in the order of their keys, also those in folders. Hidden files are left out, and those that no
    /// object could have as a name.
    pub(super) fn list_inbox(&self) -> io::Result<Vec<InboxFile>> {
        let (mut files, mut folders) = (Vec::new(), vec![INBOX.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.root.join(&folder))? {
                let entry = entry?;
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
                if name.starts_with('.') {
                    continue;
                }
                // A file may go away at any time.
                let Ok(metadata) = fs::metadata(entry.path()) else { continue };
                if metadata.is_dir() {
                    folders.push(format!("{folder}{name}/"));
                } else if [".jsonl", ".jsonl.gz"].iter().any(|end| name.ends_with(end)) {
                    let mark = FileMark::of(&metadata, self.start)?;
                    files.push(InboxFile { key: format!("{folder}{name}"), mark });
                }
            }
        }
        files.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(files)
    }

    /// Returns the time of an object's last change; `None` if there is no such object.
    pub(super) fn modified_at(&self, key: &str) -> Option<SystemTime> {
        fs::metadata(self.root.join(key)).and_then(|metadata| metadata.modified()).ok()
    }

    /// Returns the path of an object. A key cannot lead out of the folder.
    fn path(&self, key: &str) -> Result<PathBuf, Error> {
        let path = Path::new(key);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if is_inside { Ok(self.root.join(path)) } else { Err(Error::internal("a key leads out of the folder")) }
    }

    async fn open_file(&self, key: &str, offset: u64) -> Result<Option<OpenObject>, Error> {
        let mut file = match tokio::fs::File::open(self.path(key)?).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(unavailable)?,
        };
        let metadata = file.metadata().await.map_err(unavailable)?;
        let mark = FileMark::of(&metadata, self.start).map_err(unavailable)?;
        file.seek(SeekFrom::Start(offset)).await.map_err(unavailable)?;
        let modified_at = Timestamp::try_from(mark.modified_at).map_err(Error::internal)?;
        Ok(Some(OpenObject { etag: mark.etag(), modified_at, body: Box::new(file) }))
    }

    /// Writes a file under another name first, so that nobody sees a part of it.
    fn write_file(&self, key: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.path(key)?;
        let unfinished = self.path(&format!("{key}{UNFINISHED}"))?;
        let written = fs::create_dir_all(path.parent().unwrap_or(&self.root))
            .and_then(|()| fs::write(&unfinished, bytes))
            .and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(unavailable)
    }
}

impl Objects for FolderObjects {
    fn open<'a>(&'a self, key: &'a str, offset: u64) -> BoxFuture<'a, Result<Option<OpenObject>, Error>> {
        self.open_file(key, offset).boxed()
    }

    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>, _: Option<&'a str>) -> BoxFuture<'a, Result<(), Error>> {
        async move { self.write_file(key, &bytes) }.boxed()
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            match fs::remove_file(self.path(key)?) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed.map_err(unavailable),
            }
        }
        .boxed()
    }
}

fn unavailable(error: io::Error) -> Error {
    Error::Unavailable(Box::new(error))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn objects_are_files_that_are_written_read_from_an_offset_and_deleted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let objects = FolderObjects::open(folder.path()).expect("the folder can be written");
        objects.put("done/a/b.jsonl.json", b"{}12".to_vec(), None).await.expect("written");
        let mut open = objects.open("done/a/b.jsonl.json", 2).await.expect("read").expect("there is one");
        let mut text = String::new();
        open.body.read_to_string(&mut text).await.expect("read");
        assert_eq!(text, "12");
        let etag = open.etag;
        objects.put("done/a/b.jsonl.json", b"{}34".to_vec(), None).await.expect("replaced");
        let open = objects.open("done/a/b.jsonl.json", 0).await.expect("read").expect("there is one");
        assert_ne!(open.etag, etag, "a replaced object has another mark");
        for _ in 0..2 {
            objects.delete("done/a/b.jsonl.json").await.expect("deleted, or not there");
        }
        assert!(objects.open("done/a/b.jsonl.json", 0).await.expect("read").is_none());
    }

    #[tokio::test]
    async fn file_is_another_object_after_the_next_start() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let objects = FolderObjects::open(folder.path()).expect("the folder can be written");
        fs::write(folder.path().join("inbox/a.jsonl"), "x").expect("a file");
        let etag = async |objects: &FolderObjects| {
            objects.open("inbox/a.jsonl", 0).await.expect("read").expect("there is one").etag
        };
        assert_eq!(etag(&objects).await, etag(&objects.clone()).await);
        let restarted = FolderObjects::open(folder.path()).expect("the folder can be written");
        // The split of the first start sent its rows to a queue that is lost.
        assert_ne!(etag(&objects).await, etag(&restarted).await);
    }

    #[tokio::test]
    async fn key_cannot_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let objects = FolderObjects::open(folder.path()).expect("the folder can be written");
        for key in ["../x", "done/../../x", "/etc/x"] {
            assert!(objects.put(key, Vec::new(), None).await.is_err(), "{key}");
            assert!(objects.open(key, 0).await.is_err(), "{key}");
        }
    }

    #[test]
    fn inbox_lists_rows_in_folders_and_neither_hidden_nor_other_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let objects = FolderObjects::open(folder.path()).expect("the folder can be written");
        fs::create_dir_all(folder.path().join("inbox/p8/day")).expect("a folder");
        for name in ["z.jsonl", "p8/day/a b.jsonl.gz", ".hidden.jsonl", "notes.txt", "p8/x.jsonl.part"] {
            fs::write(folder.path().join("inbox").join(name), "x").expect("a file");
        }
        let keys: Vec<_> = objects.list_inbox().expect("a list").into_iter().map(|file| file.key).collect();
        assert_eq!(keys, ["inbox/p8/day/a b.jsonl.gz", "inbox/z.jsonl"]);
    }
}
