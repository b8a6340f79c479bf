//! Watch of the inbox: tells of each file that is complete, as S3 tells of objects.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use presence_runtime::clock::Stopwatch;
use serde_json::{Value, json};

use super::folder::{DONE, FileMark, FolderObjects, INBOX, InboxFile};

/// Time for which a file has not changed when it counts as complete.
const SETTLED_AFTER: Duration = Duration::from_secs(1);
/// Longest pause before a file that could not be read is announced again. The pause doubles up to it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Characters of a key that S3 leaves as they are in its events.
const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*').remove(b'/');

/// Files of the inbox as they were seen last.
pub(super) struct Watcher {
    objects: FolderObjects,
    seen: HashMap<String, SeenFile>,
}

struct SeenFile {
    mark: FileMark,
    /// Time since the file was seen as it is, or could not be read.
    unchanged_for: Stopwatch,
    /// Such a time after which it is announced.
    settles_after: Duration,
    is_announced: bool,
}

impl Watcher {
    pub(super) fn new(objects: FolderObjects) -> Self {
        Self { objects, seen: HashMap::new() }
    }

    /// Returns keys and events of the files that are complete since the last look.
    ///
    /// A file whose report is newer than itself was read before the start.
    pub(super) fn look(&mut self) -> io::Result<Vec<(String, Value)>> {
        let files = self.objects.list_inbox()?;
        self.seen.retain(|key, _| files.iter().any(|file| file.key == *key));
        let mut events = Vec::new();
        for file in files {
            if self.is_complete(&file) {
                let event = event_of(&file);
                events.push((file.key, event));
            }
        }
        Ok(events)
    }

    /// Lets a later look announce a file again that could not be read.
    pub(super) fn announce_again(&mut self, key: &str) {
        if let Some(seen) = self.seen.get_mut(key) {
            seen.unchanged_for = Stopwatch::start();
            seen.settles_after = (seen.settles_after * 2).min(LONGEST_PAUSE);
            seen.is_announced = false;
        }
    }

    /// True for a file that has just become complete.
    fn is_complete(&mut self, file: &InboxFile) -> bool {
        match self.seen.get_mut(&file.key) {
            Some(seen) if seen.mark == file.mark => {
                let is_complete = !seen.is_announced && seen.unchanged_for.elapsed() >= seen.settles_after;
                seen.is_announced |= is_complete;
                is_complete
            }
            seen => {
                // A file that was there at the start, or that is moved to the inbox, may be older than its report.
                let is_announced = seen.is_none() && self.has_newer_report(file);
                let unchanged_for = Stopwatch::start();
                let seen = SeenFile { mark: file.mark, unchanged_for, settles_after: SETTLED_AFTER, is_announced };
                self.seen.insert(file.key.clone(), seen);
                false
            }
        }
    }

    fn has_newer_report(&self, file: &InboxFile) -> bool {
        let object = file.key.strip_prefix(INBOX).unwrap_or(&file.key);
        let reported_at = self.objects.modified_at(&format!("{DONE}{object}.json"));
        reported_at.is_some_and(|reported_at| reported_at >= file.mark.modified_at)
    }
}

/// Returns the event that S3 sends when an object was created.
fn event_of(file: &InboxFile) -> Value {
    let key = utf8_percent_encode(&file.key, &KEPT).to_string().replace("%20", "+");
    let modified_at = jiff::Timestamp::try_from(file.mark.modified_at).unwrap_or_default();
    json!({ "Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "eu-west-1",
        "eventTime": modified_at.to_string(),
        "eventName": "ObjectCreated:Put",
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": { "name": "inbox", "arn": "arn:aws:s3:::inbox" },
            "object": { "key": key, "size": file.mark.bytes, "eTag": file.mark.etag(), "sequencer": file.mark.etag() },
        },
    }] })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn watcher(folder: &Path) -> Watcher {
        Watcher::new(FolderObjects::open(folder).expect("the folder can be written"))
    }

    /// Looks until so many files became complete, and returns their keys. Panics after half a minute.
    fn next_keys(watcher: &mut Watcher, count: usize) -> Vec<String> {
        let mut keys = Vec::new();
        for _ in 0..600 {
            for (_, event) in watcher.look().expect("the folder can be read") {
                keys.push(event["Records"][0]["s3"]["object"]["key"].as_str().expect("a key").to_owned());
            }
            if keys.len() >= count {
                return keys;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("only {keys:?} became complete");
    }

    #[test]
    fn file_is_announced_once_and_again_when_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut watcher, file) = (watcher(folder.path()), folder.path().join("inbox/été 1.jsonl"));
        fs::write(&file, "{}\n").expect("a file");
        assert!(watcher.look().expect("a look").is_empty(), "it may still grow");
        assert_eq!(next_keys(&mut watcher, 1), ["inbox/%C3%A9t%C3%A9+1.jsonl"]);
        assert!(watcher.look().expect("a look").is_empty());
        fs::write(&file, "{}\n{}\n").expect("a file");
        assert_eq!(next_keys(&mut watcher, 1), ["inbox/%C3%A9t%C3%A9+1.jsonl"]);
    }

    #[test]
    fn file_that_could_not_be_read_is_announced_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut watcher, file) = (watcher(folder.path()), folder.path().join("inbox/a.jsonl"));
        fs::write(&file, "{}\n").expect("a file");
        for _ in 0..2 {
            assert_eq!(next_keys(&mut watcher, 1), ["inbox/a.jsonl"]);
            watcher.announce_again("inbox/a.jsonl");
        }
    }

    #[test]
    fn file_that_was_read_before_the_start_is_read_again_only_if_its_report_is_older_or_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(watcher(folder.path()));
        fs::create_dir(folder.path().join("done")).expect("a folder");
        let old = std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let write = |name: &str, seconds: u64| {
            let path = folder.path().join(name);
            fs::write(&path, "{}").expect("a file");
            let file = fs::File::options().write(true).open(path).expect("a file");
            file.set_modified(old + Duration::from_secs(seconds)).expect("a time");
        };
        write("inbox/read.jsonl", 0);
        write("done/read.jsonl.json", 9);
        write("inbox/replaced.jsonl", 10);
        write("done/replaced.jsonl.json", 9);
        write("inbox/unread.jsonl", 0);
        let mut watcher = watcher(folder.path());
        let mut keys = next_keys(&mut watcher, 2);
        keys.sort();
        assert_eq!(keys, ["inbox/replaced.jsonl", "inbox/unread.jsonl"]);
        assert!(watcher.seen["inbox/read.jsonl"].is_announced, "its report is newer");
    }
}
