//! Simulation of the reports: splitters, parts and publishers in random interleavings, each of which may die at any step.
//!
//! Objects are replaced meanwhile, events and messages are delivered any number of times and in any order. When everything has been
//! delivered without a death, `done` must be the report of the last object, with each of its rows once, and its rows must be the ones that
//! are stored.

use std::collections::{BTreeMap, VecDeque};

use super::{ObjectVersion, ReportCounts, RowResult, SegmentReport};
use crate::review::RowOutcome;

/// Fault that the simulation must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlantedFault {
    /// A row counts each time that it is delivered.
    CountsTwice,
    /// The segment's number of rows is written after the end of the split.
    EndsSplitFirst,
    /// A publisher does not look at the registration after its put.
    PublishesBlindly,
    /// A splitter registers its object without the condition that nobody did so since it looked.
    RegistersBlindly,
    /// The splitter does not look for completeness at the end of the split.
    LeavesEndToParts,
    /// A part that finds its rows settled does not publish.
    SkipsSettledParts,
    /// Versions of an object that are uploaded in one second have the same time.
    SharesSeconds,
}

const FAULTS: [PlantedFault; 7] = [
    PlantedFault::CountsTwice,
    PlantedFault::EndsSplitFirst,
    PlantedFault::PublishesBlindly,
    PlantedFault::RegistersBlindly,
    PlantedFault::LeavesEndToParts,
    PlantedFault::SkipsSettledParts,
    PlantedFault::SharesSeconds,
];

/// Version of an object: its rows by segment.
#[derive(Clone, Debug)]
struct Object {
    id: u32,
    /// Time of the upload in whole seconds, as microseconds.
    modified_at: i64,
    /// Content of all its rows. Of two rows with one stamp, the greater content stays.
    content: u32,
    segments: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Upload {
    /// Time that orders its rows among those of other versions.
    object_at: i64,
    content: u32,
    segments: BTreeMap<usize, SegmentReport>,
    split_segments: Option<usize>,
}

/// Delivery of an event or of a message.
#[derive(Clone, Debug)]
enum Delivery {
    Split,
    Message { upload: u32, segment: usize, rows: Vec<u64> },
}

/// Step that a worker does next. Everything between two steps is in the worker's memory, and is lost when it dies.
#[derive(Clone, Debug)]
enum Step {
    Look,
    Open { registered: Option<Registered> },
    Register { registered: Option<Registered>, object: Object },
    SendSegment { object: Object, segment: usize },
    EndSegment { object: Object, segment: usize },
    EndSplit { object: Object },
    SettleAfterEnd { object: Object, segment: usize },
    Settle { upload: u32, segment: usize, rows: Vec<u64> },
    ReadRegistration,
    Sum { upload: u32 },
    Put { upload: u32, counts: ReportCounts },
    Confirm { upload: u32 },
    Done,
}

/// Version that was opened last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Registered {
    id: u32,
    version: ObjectVersion,
}

struct Worker {
    delivery: Delivery,
    step: Step,
}

struct IngestRun {
    rng: fastrand::Rng,
    fault: Option<PlantedFault>,
    objects: VecDeque<Object>,
    object: Object,
    registered: Option<Registered>,
    /// Time and content of the review that each row is about, by segment and row.
    reviews: BTreeMap<(usize, u64), (i64, u32)>,
    uploads: BTreeMap<u32, Upload>,
    queue: Vec<Delivery>,
    workers: Vec<Worker>,
    done: Option<(u32, ReportCounts)>,
    deaths: u32,
}

/// Returns objects of which about every second one is uploaded in the second of the one before.
fn objects(rng: &mut fastrand::Rng) -> VecDeque<Object> {
    let mut modified_at = 0;
    let objects = (0..rng.u32(1..4)).map(|id| {
        modified_at += if rng.bool() { 1_000_000 } else { 0 };
        let segments = (0..rng.usize(0..4)).map(|_| rng.u64(1..5)).collect();
        Object { id, modified_at, content: rng.u32(..), segments }
    });
    objects.collect()
}

impl IngestRun {
    fn new(seed: u64, fault: Option<PlantedFault>) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut objects = objects(&mut rng);
        let object = objects.pop_front().expect("one object");
        let (reviews, uploads, deaths) = (BTreeMap::new(), BTreeMap::new(), rng.u32(0..6));
        let (queue, workers) = (vec![Delivery::Split], vec![]);
        Self { rng, fault, objects, object, registered: None, reviews, uploads, queue, workers, done: None, deaths }
    }

    fn has(&self, fault: PlantedFault) -> bool {
        self.fault == Some(fault)
    }

    fn run(&mut self) {
        loop {
            match self.rng.u32(0..10) {
                0 if !self.objects.is_empty() => {
                    self.object = self.objects.pop_front().expect("an object");
                    self.queue.push(Delivery::Split);
                }
                1..=3 if !self.queue.is_empty() && self.workers.len() < 4 => self.deliver(),
                4 if self.deaths > 0 && !self.workers.is_empty() => {
                    self.deaths -= 1;
                    let index = self.rng.usize(0..self.workers.len());
                    let dead = self.workers.swap_remove(index);
                    self.queue.push(dead.delivery);
                }
                _ if !self.workers.is_empty() => self.step(),
                _ if self.queue.is_empty() && self.objects.is_empty() => return,
                _ => {}
            }
        }
    }

    /// Starts a worker on a random delivery, which now and then stays in the queue.
    fn deliver(&mut self) {
        let index = self.rng.usize(0..self.queue.len());
        let delivery = self.queue[index].clone();
        if self.rng.u32(0..5) > 0 {
            self.queue.swap_remove(index);
        }
        let step = match &delivery {
            Delivery::Split => Step::Look,
            Delivery::Message { upload, segment, rows } => {
                Step::Settle { upload: *upload, segment: *segment, rows: rows.clone() }
            }
        };
        self.workers.push(Worker { delivery, step });
    }

    fn step(&mut self) {
        let index = self.rng.usize(0..self.workers.len());
        let step = self.workers[index].step.clone();
        let next = self.advance(step);
        if matches!(next, Step::Done) {
            self.workers.swap_remove(index);
        } else {
            self.workers[index].step = next;
        }
    }

    fn advance(&mut self, step: Step) -> Step {
        match step {
            Step::Look => Step::Open { registered: self.registered.clone() },
            Step::Open { registered } => Step::Register { registered, object: self.object.clone() },
            Step::Register { registered, object } => self.register(registered, object),
            Step::SendSegment { object, segment } => self.send(object, segment),
            Step::EndSegment { object, segment } => {
                self.end_segment(&object, segment);
                Step::SendSegment { object, segment: segment + 1 }
            }
            Step::EndSplit { object } => self.end_split(object),
            Step::SettleAfterEnd { object, segment } if segment < object.segments.len() => {
                self.end_segment(&object, segment);
                Step::SettleAfterEnd { object, segment: segment + 1 }
            }
            Step::Settle { upload, segment, rows } => self.record_rows(upload, segment, &rows),
            Step::ReadRegistration => match &self.registered {
                Some(Registered { id, .. }) => Step::Sum { upload: *id },
                None => Step::Done,
            },
            Step::Sum { upload } => self.sum(upload),
            Step::Put { upload, counts } => {
                self.done = Some((upload, counts));
                if self.has(PlantedFault::PublishesBlindly) { Step::Done } else { Step::Confirm { upload } }
            }
            Step::Confirm { upload } if self.is_registered(upload) => Step::Done,
            Step::Confirm { .. } => Step::ReadRegistration,
            Step::SettleAfterEnd { .. } | Step::Done => Step::Done,
        }
    }

    fn is_registered(&self, id: u32) -> bool {
        self.registered.as_ref().is_some_and(|registered| registered.id == id)
    }

    fn register(&mut self, looked: Option<Registered>, object: Object) -> Step {
        let Object { id, modified_at, content, .. } = object;
        if !self.is_registered(id) {
            if self.registered != looked && !self.has(PlantedFault::RegistersBlindly) {
                return Step::Look;
            }
            let known = looked.map(|looked| looked.version).filter(|_| !self.has(PlantedFault::SharesSeconds));
            let version = ObjectVersion::opened("", id.to_string(), modified_at, known.as_ref());
            let object_at = version.object_at;
            self.registered = Some(Registered { id, version });
            self.uploads.entry(id).or_insert_with(|| Upload { object_at, content, ..Upload::default() });
        }
        Step::SendSegment { object, segment: 0 }
    }

    /// Sends the rows of a segment in random parts: another splitter of the same segment may cut it differently.
    fn send(&mut self, object: Object, segment: usize) -> Step {
        let Some(rows) = object.segments.get(segment) else { return Step::EndSplit { object } };
        let mut rest: Vec<u64> = (0..*rows).collect();
        while !rest.is_empty() {
            let part = rest.split_off(self.rng.usize(0..rest.len()));
            self.queue.push(Delivery::Message { upload: object.id, segment, rows: part });
        }
        if self.has(PlantedFault::EndsSplitFirst) {
            return Step::SendSegment { object, segment: segment + 1 };
        }
        Step::EndSegment { object, segment }
    }

    fn end_segment(&mut self, object: &Object, segment: usize) {
        let upload = self.uploads.entry(object.id).or_default();
        upload.segments.entry(segment).or_default().rows = Some(object.segments[segment]);
    }

    fn end_split(&mut self, object: Object) -> Step {
        self.uploads.entry(object.id).or_default().split_segments = Some(object.segments.len());
        match self.fault {
            Some(PlantedFault::EndsSplitFirst) => Step::SettleAfterEnd { object, segment: 0 },
            Some(PlantedFault::LeavesEndToParts) => Step::Done,
            _ => Step::ReadRegistration,
        }
    }

    fn record_rows(&mut self, upload: u32, segment: usize, rows: &[u64]) -> Step {
        let counts_twice = self.has(PlantedFault::CountsTwice);
        let Upload { object_at, content, segments, .. } = self.uploads.entry(upload).or_default();
        let report = segments.entry(segment).or_default();
        let mut settled = 0;
        for row in rows {
            let review = self.reviews.entry((segment, *row)).or_default();
            *review = (*review).max((*object_at, *content));
            let is_new = report.record_outcome(*row, RowResult::Accepted(RowOutcome::Created));
            settled += u32::from(is_new);
            report.counts.created += u64::from(!is_new && counts_twice);
        }
        if settled == 0 && self.has(PlantedFault::SkipsSettledParts) {
            return Step::Done;
        }
        if self.uploads[&upload].segments[&segment].is_complete() { Step::ReadRegistration } else { Step::Done }
    }

    fn sum(&self, upload: u32) -> Step {
        let Some(found) = self.uploads.get(&upload) else { return Step::Done };
        let Some(segments) = found.split_segments else { return Step::Done };
        let mut counts = ReportCounts::default();
        for segment in 0..segments {
            match found.segments.get(&segment) {
                Some(report) if report.is_complete() => counts += report.counts,
                _ => return Step::Done,
            }
        }
        Step::Put { upload, counts }
    }
}

/// Plays one history. Returns what is wrong with the report and the reviews at its end.
fn finding(seed: u64, fault: Option<PlantedFault>) -> Option<String> {
    let mut run = IngestRun::new(seed, fault);
    run.run();
    let rows = run.object.segments.iter().sum::<u64>();
    let expected = (run.object.id, ReportCounts { created: rows, ..ReportCounts::default() });
    if run.done != Some(expected) {
        return Some(format!("{:?} instead of {expected:?}", run.done));
    }
    let content = run.object.content;
    let rows = (0..).zip(&run.object.segments).flat_map(|(segment, rows)| (0..*rows).map(move |row| (segment, row)));
    let is_other = |row: &(usize, u64)| run.reviews.get(row).is_none_or(|review| review.1 != content);
    rows.filter(is_other).map(|row| format!("row {row:?} of the last object is not stored")).next()
}

#[test]
fn the_rows_of_the_last_object_are_stored_and_its_report_counts_each_once() {
    for seed in 0..20_000 {
        assert_eq!(finding(seed, None), None, "seed {seed}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    for fault in FAULTS {
        assert!((0..20_000).any(|seed| finding(seed, Some(fault)).is_some()), "{fault:?} is not found");
    }
}
