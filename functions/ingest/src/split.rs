//! Splitter: reads an object once, from its start to its end, and sends its rows to the queue.

use std::collections::{BTreeMap, HashMap};

use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ingest::ObjectVersion;
use presence_domain::review::{NONCHARACTERS, ReviewRow};
use presence_ledger::ReviewNumber;
use presence_runtime::lines::Line;
use presence_store::{BusinessLocation, SplitProgress};
use serde_json::json;

use crate::ingest::Ingest;
use crate::outside::{OpenObject, QueueMessage};
use crate::part::{CONTINUE, MAX_BODY_BYTES, Source, digest, messages};
use crate::report::{MAX_NAME_BYTES, SettledRow, publish, record_outcomes};
use crate::sending::send_groups;
use crate::source::{ContentEncoding, SegmentLines, SegmentReader};

/// Folder of the objects that arrive.
pub(crate) const INBOX: &str = "inbox/";
/// Attempts to open an object that is replaced again and again.
const MAX_VERSIONS: usize = 100;
/// Maximum number of businesses whose places are remembered: some 20 MB.
const MAX_PLACES: usize = 100_000;

/// Object that is split up to a segment.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    object: String,
    version: ObjectVersion,
    segments: u64,
}

/// Splitter of one version of an object.
struct Splitter<'a> {
    ingest: &'a Ingest,
    version: ObjectVersion,
    progress: SplitProgress,
    /// Places of businesses. An old one leads to another group of the queue only: the writer looks it up again.
    places: HashMap<BusinessId, BusinessLocation>,
}

/// Returns the message that asks to go on with an object.
pub(crate) fn continuation(rest: &Rest) -> QueueMessage {
    let Rest { object, version, segments } = rest;
    let (object_at, segments) = (version.object_at.to_string(), segments.to_string());
    let attributes = BTreeMap::from([(CONTINUE.to_owned(), object.clone())]);
    let deduplication_id = digest(&[CONTINUE, object, &version.etag, &object_at, &segments]);
    let group_id = format!("split-{}", &digest(&[object])[..16]);
    QueueMessage { group_id, deduplication_id, body: json!({ CONTINUE: object }).to_string(), attributes }
}

/// Splits an object from where an earlier run ended, at least one segment, and as long as `has_time` says so. Returns what is left.
///
/// The version is registered on the condition that no other one was since before the object was opened. So the version that is registered
/// last was opened last.
pub(crate) async fn split(ingest: &Ingest, object: &str, has_time: impl Fn() -> bool) -> Result<Option<Rest>, Error> {
    let key = format!("{INBOX}{object}");
    for _ in 0..MAX_VERSIONS {
        let known = ingest.store.registration(object).await?;
        let Some(opened) = ingest.objects.open(&key, 0).await? else {
            return match known {
                Some(known) => end_deleted(ingest, &known.version).await.map(|()| None),
                None => Ok(None),
            };
        };
        let version = version_of(object, &opened, known.as_ref().map(|known| &known.version));
        if !ingest.store.register(&version, known.as_ref(), ingest.clock.now()).await? {
            continue;
        }
        let progress = ingest.store.progress(&version).await?;
        let mut splitter = Splitter { ingest, version, progress, places: HashMap::new() };
        match splitter.run(&key, opened.body, &has_time).await? {
            SplitOutcome::Completed => return publish(ingest, object).await.map(|()| None),
            SplitOutcome::OutOfTime => {
                let Splitter { version, progress, .. } = splitter;
                return Ok(Some(Rest { object: object.to_owned(), version, segments: progress.segments }));
            }
            SplitOutcome::Replaced => {}
        }
    }
    Err(Error::Unavailable("an object kept being replaced while it was opened".into()))
}

/// Returns the version of an open object, given the one that was registered before.
fn version_of(object: &str, opened: &OpenObject, known: Option<&ObjectVersion>) -> ObjectVersion {
    ObjectVersion::opened(object, opened.etag.clone(), opened.modified_at.as_microsecond(), known)
}

/// Ends the split of an object that was deleted meanwhile. One that was read to its end stays as it is.
async fn end_deleted(ingest: &Ingest, version: &ObjectVersion) -> Result<(), Error> {
    let progress = ingest.store.progress(version).await?;
    if !progress.is_split {
        let error = Some("the object was deleted before it was read to its end".to_owned());
        let ended = SplitProgress { is_split: true, error, ..progress };
        ingest.store.save_progress(version, &ended, ingest.clock.now()).await?;
    }
    publish(ingest, &version.object).await
}

/// Outcome of a run of the splitter.
enum SplitOutcome {
    /// The object is read to its end.
    Completed,
    /// There is no time for another segment.
    OutOfTime,
    /// Another version took the place of the object.
    Replaced,
}

impl Splitter<'_> {
    async fn run(
        &mut self,
        key: &str,
        body: crate::outside::ObjectBody,
        has_time: &impl Fn() -> bool,
    ) -> Result<SplitOutcome, Error> {
        if self.progress.is_split {
            return Ok(SplitOutcome::Completed);
        }
        let encoding = match check_name(&self.version.object) {
            Ok(encoding) => encoding,
            Err(reason) => return self.end(Some(reason)).await,
        };
        let (offset, lines) = (self.progress.offset, self.progress.lines);
        let body = if encoding == ContentEncoding::Identity && offset > 0 {
            let reopened = self.ingest.objects.open(key, offset).await?;
            let is_same =
                |opened: &OpenObject| version_of(&self.version.object, opened, Some(&self.version)) == self.version;
            match reopened.filter(is_same) {
                Some(opened) => opened.body,
                None => return Ok(SplitOutcome::Replaced),
            }
        } else {
            body
        };
        let mut reader = SegmentReader::open(body, encoding, (offset, lines)).await?;
        loop {
            let segment = reader.read().await?;
            let (is_last, error) = (segment.is_last, segment.error.clone());
            self.send(segment).await?;
            if is_last {
                return self.end(error).await;
            }
            if !has_time() {
                return Ok(SplitOutcome::OutOfTime);
            }
        }
    }

    /// Sends the rows of a segment, settles those that are rejected, and then notes how far the object is split.
    async fn send(&mut self, segment: SegmentLines) -> Result<(), Error> {
        let SegmentLines { lines, end, .. } = segment;
        let Some(first) = lines.first() else { return Ok(()) };
        let (number, first_line) = (self.progress.segments, first.number);
        let source = Source { version: self.version.clone(), segment: number, first_line };
        let total = lines.len() as u64;
        let (groups, rejected) = self.sort_rows(lines).await?;
        let groups = groups.into_iter().map(|((org_id, lane), rows)| messages(&source, org_id, lane, &rows));
        send_groups(&*self.ingest.queue, groups.collect()).await?;
        record_outcomes(self.ingest, &source, rejected, Some(total)).await?;
        let (offset, lines) = end;
        self.progress = SplitProgress { segments: number + 1, offset, lines, ..self.progress.clone() };
        self.ingest.store.save_progress(&self.version, &self.progress, self.ingest.clock.now()).await
    }

    async fn end(&mut self, error: Option<String>) -> Result<SplitOutcome, Error> {
        self.progress = SplitProgress { is_split: true, error, ..self.progress.clone() };
        self.ingest.store.save_progress(&self.version, &self.progress, self.ingest.clock.now()).await?;
        Ok(SplitOutcome::Completed)
    }

    /// Sorts rows by organisation and lane. Returns those that are rejected beside.
    async fn sort_rows(&mut self, lines: Vec<Line>) -> Result<(Groups, Vec<SettledRow>), Error> {
        let now = self.ingest.clock.now();
        let rows: Vec<(Line, Result<ReviewRow, String>)> = lines
            .into_iter()
            .map(|line| {
                let row = line.text().and_then(|text| ReviewRow::parse(text, now));
                (line, row)
            })
            .collect();
        self.look_up(rows.iter().filter_map(|(_, row)| row.as_ref().ok()).map(ReviewRow::business_id)).await?;
        let (mut groups, mut rejected) = (Groups::new(), Vec::new());
        for (line, row) in rows {
            let place = row.and_then(|row| match self.places.get(row.business_id()) {
                Some(place) => Ok((place.org_id, row)),
                None => Err(row.unknown_business()),
            });
            match place {
                Ok((org_id, row)) => {
                    let lane = ReviewNumber::of(row.review_id()).lane();
                    groups.entry((org_id, lane)).or_default().push((line.number, text_of(&line, &row)));
                }
                Err(reason) => rejected.push(SettledRow::rejected(line.number, reason, line.excerpt().into_owned())),
            }
        }
        Ok((groups, rejected))
    }

    /// Looks up the places of businesses that are not known yet.
    async fn look_up<'b>(&mut self, businesses: impl Iterator<Item = &'b BusinessId> + Send) -> Result<(), Error> {
        if self.places.len() > MAX_PLACES {
            self.places.clear();
        }
        let unknown: Vec<BusinessId> = businesses.filter(|id| !self.places.contains_key(*id)).cloned().collect();
        if !unknown.is_empty() {
            self.places.extend(self.ingest.reviews.locate_businesses(&unknown).await?);
        }
        Ok(())
    }
}

/// Returns the encoding of an object by its name, or the reason why it is not read.
fn check_name(object: &str) -> Result<ContentEncoding, String> {
    // The attributes of messages have the name. SQS transports what XML can have.
    let is_refused = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || NONCHARACTERS.contains(&c);
    if object.len() > MAX_NAME_BYTES {
        return Err(format!("its name has more than {MAX_NAME_BYTES} bytes, so that its reports have a shorter one"));
    }
    if object.contains(is_refused) {
        return Err("its name has a control character, or U+FFFE or U+FFFF, which are no characters".to_owned());
    }
    ContentEncoding::of(object).ok_or_else(|| "its name ends neither with .jsonl nor with .jsonl.gz".to_owned())
}

/// Rows with their numbers, by organisation and lane.
type Groups = BTreeMap<(OrgId, usize), Vec<(u64, String)>>;

/// Returns the line of a row, or, if no message could take it, the row in its shortest form.
fn text_of(line: &Line, row: &ReviewRow) -> String {
    let text = line.text().unwrap_or_default().trim();
    if text.len() < MAX_BODY_BYTES { text.to_owned() } else { row.to_json() }
}
