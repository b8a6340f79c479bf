//! Simulation of the reports: splitters, parts and publishers in random interleavings, each of which may die at any step.
//!
//! Objects are replaced meanwhile, events and messages are delivered any number of times and in any order. When everything has been
//! delivered without a death, `done` must be the report of the last object, with each of its rows once.

use std::collections::{BTreeMap, VecDeque};

use super::{ReportCounts, RowResult, SegmentReport};
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
}

const FAULTS: [PlantedFault; 6] = [
    PlantedFault::CountsTwice,
    PlantedFault::EndsSplitFirst,
    PlantedFault::PublishesBlindly,
    PlantedFault::RegistersBlindly,
    PlantedFault::LeavesEndToParts,
    PlantedFault::SkipsSettledParts,
];

/// Version of an object: its rows by segment.
#[derive(Clone, Debug)]
struct Object {
    id: u32,
    segments: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Upload {
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
    Open { registered: Option<u32> },
    Register { registered: Option<u32>, object: Object },
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

struct Worker {
    delivery: Delivery,
    step: Step,
}

struct World {
    rng: fastrand::Rng,
    fault: Option<PlantedFault>,
    objects: VecDeque<Object>,
    object: Object,
    registered: Option<u32>,
    uploads: BTreeMap<u32, Upload>,
    queue: Vec<Delivery>,
    workers: Vec<Worker>,
    done: Option<(u32, ReportCounts)>,
    deaths: u32,
}

fn object(id: u32, rng: &mut fastrand::Rng) -> Object {
    Object { id, segments: (0..rng.usize(0..4)).map(|_| rng.u64(1..5)).collect() }
}

impl World {
    fn new(seed: u64, fault: Option<PlantedFault>) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut objects: VecDeque<Object> = (0..rng.u32(1..4)).map(|id| object(id, &mut rng)).collect();
        let object = objects.pop_front().expect("one object");
        let (uploads, deaths) = (BTreeMap::new(), rng.u32(0..6));
        let queue = vec![Delivery::Split];
        Self { rng, fault, objects, object, registered: None, uploads, queue, workers: vec![], done: None, deaths }
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
            Step::Look => Step::Open { registered: self.registered },
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
            Step::ReadRegistration => match self.registered {
                Some(upload) => Step::Sum { upload },
                None => Step::Done,
            },
            Step::Sum { upload } => self.sum(upload),
            Step::Put { upload, counts } => {
                self.done = Some((upload, counts));
                if self.has(PlantedFault::PublishesBlindly) { Step::Done } else { Step::Confirm { upload } }
            }
            Step::Confirm { upload } if self.registered == Some(upload) => Step::Done,
            Step::Confirm { .. } => Step::ReadRegistration,
            Step::SettleAfterEnd { .. } | Step::Done => Step::Done,
        }
    }

    fn register(&mut self, looked: Option<u32>, object: Object) -> Step {
        if self.registered != Some(object.id) {
            if self.registered != looked && !self.has(PlantedFault::RegistersBlindly) {
                return Step::Look;
            }
            self.registered = Some(object.id);
        }
        self.uploads.entry(object.id).or_default();
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
        let report = self.uploads.entry(upload).or_default().segments.entry(segment).or_default();
        let mut settled = 0;
        for row in rows {
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

/// Plays one history. Returns what is wrong with the report at its end.
fn finding(seed: u64, fault: Option<PlantedFault>) -> Option<String> {
    let mut world = World::new(seed, fault);
    world.run();
    let rows = world.object.segments.iter().sum::<u64>();
    let expected = (world.object.id, ReportCounts { created: rows, ..ReportCounts::default() });
    (world.done != Some(expected)).then(|| format!("{:?} instead of {expected:?}", world.done))
}

#[test]
fn the_report_of_the_last_object_counts_each_of_its_rows_once() {
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
