//! The truth of a run: every change that a transaction wrote to a log, and the positions at which searches answered.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::is_empty_range;
use presence_domain::page::Page;
use presence_domain::review::{FacetKey, Review};
use presence_ledger::{Directory, LANES, LogChange, LogPosition, Place, PostingKey, ReviewNumber, decode_changes};
use presence_store::keys::{LOG_PK_PREFIX, LogItemKey};
use presence_store::{BusinessLocation, ReviewQuery, review_from_item};
use presence_tests::MadeCall;
use serde_json::Value;

/// Log of one organisation: changes by lane and sequence number.
type OrgLog = BTreeMap<(usize, u64), LogChange>;

/// Query of a log in progress: its items.
type LogReading = Vec<Value>;

/// The truth of a run.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    logs: BTreeMap<u64, OrgLog>,
    /// Organisation, version and place of each review, after all transactions.
    current: BTreeMap<ReviewNumber, (u64, u64, Place)>,
    /// Sequence numbers that each process wrote: organisation, lane, sequence.
    written: BTreeMap<u64, Vec<(u64, usize, u64)>>,
    /// Position up to which changes are acknowledged, by organisation.
    acknowledged: BTreeMap<u64, LogPosition>,
    readings: BTreeMap<(u64, u64), LogReading>,
    /// Positions of the logs that each process read, by process and organisation.
    cuts: BTreeMap<(u64, u64), Vec<LogPosition>>,
    /// Positions that one transaction wrote to the logs of two organisations: organisation, lane, sequence.
    crossings: Vec<Vec<(u64, usize, u64)>>,
    /// Number of changes that the last Query of each log found.
    pub(super) left_in_log: BTreeMap<u64, usize>,
    pub(super) changes: u64,
}

/// Acknowledged changes before a search began.
pub(super) type Acknowledged = BTreeMap<u64, LogPosition>;

impl Oracle {
    /// Notes a call that was made.
    pub(super) fn note(&mut self, call: &MadeCall) {
        match call.operation.as_str() {
            "TransactWriteItems" => self.note_transaction(call),
            "Query" if call.is_answered && call.request["IndexName"].is_null() => self.note_query(call),
            "TransactGetItems" if call.is_answered => self.note_joint_read(call),
            _ => {}
        }
    }

    /// Notes the changes of a transaction, and compares them with the bodies that it wrote.
    fn note_transaction(&mut self, call: &MadeCall) {
        let mut bodies = BTreeMap::new();
        let mut changes = Vec::new();
        for action in call.request["TransactItems"].as_array().into_iter().flatten() {
            let action = action.as_object().and_then(|kinds| kinds.values().next()).expect("an action");
            if let Some(item) = action.get("Item") {
                if let Some(org) = org_of_log(&item["pk"]) {
                    let stored = item.as_object().into_iter().flatten();
                    let lane = lane_of(&item["sk"]);
                    changes.extend(
                        stored.filter_map(|(name, value)| entries_of(name, value)).map(|entry| (org, lane, entry)),
                    );
                } else if item["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("R#")) {
                    let review = review_from_item(&stored_item(item)).expect("a review");
                    bodies.insert(ReviewNumber::of(&review.id), review);
                }
            } else if let Some(org) = org_of_log(&action["Key"]["pk"]) {
                let lane = lane_of(&action["Key"]["sk"]);
                changes.extend(assigned(action).map(|entry| (org, lane, entry)));
            }
        }
        let (mut new, mut positions) = (Vec::new(), Vec::new());
        for (org, lane, (first, entries)) in changes {
            for (sequence, change) in (first..).zip(entries) {
                let added = self.note_change(call.process, org, lane, sequence, change);
                positions.extend(added.as_ref().map(|_| (org, lane, sequence)));
                new.extend(added);
            }
        }
        self.apply(&new, &bodies);
        if positions.iter().any(|(org, ..)| *org != positions[0].0) {
            self.crossings.push(positions);
        }
    }

    /// Notes a change. Returns it unless it was there already: sealed changes are written twice, and a lost reply repeats a call.
    fn note_change(
        &mut self,
        process: u64,
        org: u64,
        lane: usize,
        sequence: u64,
        change: LogChange,
    ) -> Option<(u64, LogChange)> {
        let log = self.logs.entry(org).or_default();
        if let Some(known) = log.get(&(lane, sequence)) {
            assert_eq!(*known, change, "sequence {sequence} of lane {lane} is written with two changes");
            return None;
        }
        assert!(sequence == 1 || log.contains_key(&(lane, sequence - 1)), "lane {lane} has a gap before {sequence}");
        assert_eq!(change.id.lane(), lane, "a change is in the lane of its review");
        log.insert((lane, sequence), change.clone());
        self.written.entry(process).or_default().push((org, lane, sequence));
        self.changes += 1;
        Some((org, change))
    }

    /// Compares new changes with what they replace, and with the bodies.
    fn apply(&mut self, new: &[(u64, LogChange)], bodies: &BTreeMap<ReviewNumber, Review>) {
        for (org, change) in new {
            let known = self.current.get(&change.id);
            let old = known.filter(|(known_org, ..)| known_org == org).map(|(_, _, place)| place);
            assert_eq!(change.old.as_ref(), old, "a change tells the place before it: {change:?}");
            assert_eq!(change.old_version, known.map_or(0, |(_, version, _)| *version), "{change:?}");
        }
        for (org, change) in new {
            let body = bodies.get(&change.id).expect("the body is written in the transaction of its change");
            let is_here = body.org_id.get() == *org;
            assert_eq!(change.new.is_some(), is_here, "a change has a place in the organisation of the body");
            assert_eq!(body.version, change.version);
            if let Some(place) = &change.new {
                assert_eq!(*place, Place::of(body));
                self.current.insert(change.id, (*org, change.version, place.clone()));
            }
        }
        for id in bodies.keys() {
            let is_logged = new.iter().any(|(_, change)| change.id == *id);
            assert!(is_logged || new.is_empty(), "every body has a change");
        }
    }

    /// Notes a page of a Query of a log.
    fn note_query(&mut self, call: &MadeCall) {
        let Some(org) = org_of_log(&call.request["ExpressionAttributeValues"][":partition"]) else { return };
        let reading = self.readings.entry((call.process, org)).or_default();
        if call.request["ExclusiveStartKey"].is_null() {
            reading.clear();
        }
        reading.extend(call.reply["Items"].as_array().into_iter().flatten().cloned());
        if call.reply["LastEvaluatedKey"].is_null() {
            let items = self.readings.remove(&(call.process, org)).unwrap_or_default();
            let (cut, changes) = cut_of(&items);
            self.left_in_log.insert(org, changes);
            self.cuts.entry((call.process, org)).or_default().push(cut);
        }
    }

    /// Notes the logs that a transaction read at one instant: a lane names its last change.
    fn note_joint_read(&mut self, call: &MadeCall) {
        let mut cuts: BTreeMap<u64, LogPosition> = BTreeMap::new();
        let keys = call.request["TransactItems"].as_array().into_iter().flatten().map(|item| &item["Get"]["Key"]);
        let items = call.reply["Responses"].as_array().into_iter().flatten().map(|answer| &answer["Item"]);
        for (key, item) in keys.zip(items) {
            let Some(org) = org_of_log(&key["pk"]) else { return };
            let cut = cuts.entry(org).or_default();
            if let Some(LogItemKey::Lane(lane)) = LogItemKey::parse(&text(&key["sk"])) {
                cut.0[lane] = item["last"]["N"].as_str().map_or(0, |last| last.parse().expect("a number"));
            }
        }
        for (org, cut) in cuts {
            self.cuts.entry((call.process, org)).or_default().push(cut);
        }
    }

    /// Checks that each review is in the place of its business.
    pub(super) fn judge_places(&self, locations: &HashMap<BusinessId, BusinessLocation>) -> Result<(), String> {
        for (id, (org, _, place)) in &self.current {
            let expected = locations.get(&place.business_id).ok_or("a review has no business")?;
            if (expected.org_id.get(), &expected.city_key) != (*org, &place.city_key) {
                return Err(format!("review {id:?} is in {org} {place:?}, and its business in {expected:?}"));
            }
        }
        Ok(())
    }

    /// True if positions of several logs are the state of one instant, as far as transactions on two of them tell: each is in both
    /// positions, or in none.
    fn are_joint(&self, cuts: &BTreeMap<u64, LogPosition>) -> bool {
        self.crossings.iter().all(|positions| {
            let included =
                |(org, lane, sequence): &(u64, usize, u64)| cuts.get(org).map(|cut| cut.includes(*lane, *sequence));
            let mut included = positions.iter().filter_map(included);
            let first = included.next();
            included.all(|other| Some(other) == first)
        })
    }

    /// Returns the positions that include every change.
    pub(super) fn everything(&self) -> Acknowledged {
        let mut positions = Acknowledged::new();
        for (org, log) in &self.logs {
            let position = positions.entry(*org).or_default();
            for (lane, sequence) in log.keys() {
                position.0[*lane] = position.0[*lane].max(*sequence);
            }
        }
        positions
    }

    /// Returns what is acknowledged now.
    pub(super) fn acknowledged(&self) -> Acknowledged {
        self.acknowledged.clone()
    }

    /// Notes that a process was told that its writes are done.
    pub(super) fn acknowledge(&mut self, process: u64) {
        for (org, lane, sequence) in self.written.remove(&process).unwrap_or_default() {
            let last = &mut self.acknowledged.entry(org).or_default().0[lane];
            *last = sequence.max(*last);
        }
    }

    /// Compares an answer with the truth at the positions of the logs that the search read.
    pub(super) fn judge(
        &self,
        process: u64,
        query: &ReviewQuery,
        answer: &Page<Review>,
        acknowledged: &Acknowledged,
    ) -> Result<(), String> {
        if is_empty_range(query.from, query.to) {
            return if answer.count == 0 { Ok(()) } else { Err("a range without a second has matches".to_owned()) };
        }
        let orgs: BTreeSet<u64> = query.sets.iter().map(|set| set.org_id().get()).collect();
        let mut combinations: Vec<BTreeMap<u64, LogPosition>> = vec![BTreeMap::new()];
        for org in orgs {
            let cuts = self.cuts.get(&(process, org)).ok_or("the search read no log")?;
            let mut extended = Vec::new();
            for cut in cuts.iter().rev() {
                if acknowledged.get(&org).is_some_and(|known| !cut.covers(known)) {
                    return Err(format!("an acknowledged change of organisation {org} is behind the position {cut:?}"));
                }
                extended.extend(combinations.iter().map(|known| {
                    let mut known = known.clone();
                    known.insert(org, *cut);
                    known
                }));
            }
            combinations = extended;
        }
        let joint = combinations.iter().filter(|cuts| self.are_joint(cuts));
        let outcomes: Vec<_> = joint.map(|cuts| self.judge_at(cuts, query, answer)).collect();
        if outcomes.is_empty() {
            return Err("the search read logs that do not belong together".to_owned());
        }
        if outcomes.iter().any(Result::is_ok) { Ok(()) } else { outcomes.into_iter().next().unwrap_or(Ok(())) }
    }

    /// Compares an answer with the truth at these positions.
    fn judge_at(
        &self,
        cuts: &BTreeMap<u64, LogPosition>,
        query: &ReviewQuery,
        answer: &Page<Review>,
    ) -> Result<(), String> {
        let matches = self.matches_at(cuts, query);
        let range = query.page.range(matches.len() as u64);
        let index = |position: u64| usize::try_from(position).expect("small");
        let wanted = &matches[index(range.start)..index(range.end)];
        let ids = |reviews: &[Review]| reviews.iter().map(|review| ReviewNumber::of(&review.id)).collect::<Vec<_>>();
        let wanted_ids: Vec<ReviewNumber> = wanted.iter().map(|(key, _)| key.id).collect();
        if (answer.count, ids(&answer.items)) != (matches.len() as u64, wanted_ids.clone()) {
            let found = (answer.count, ids(&answer.items));
            return Err(format!("found {found:?}, and the truth is {:?}", (matches.len(), wanted_ids)));
        }
        for (review, (key, version)) in answer.items.iter().zip(wanted) {
            let is_known = self.was_written(review);
            let is_same = review.effective_at() == key.effective_at && query.mask.contains(FacetKey::of(review));
            let is_searched = query.sets.iter().any(|set| {
                let tree = presence_ledger::TreeKey { set: set.clone(), facet_key: None };
                review.org_id == set.org_id() && Place::of(review).is_in(review.org_id, &tree)
            });
            if review.version < *version || !is_known || !is_same || !is_searched {
                return Err(format!("{review:?} is shown for {key:?} in version {version}"));
            }
        }
        Ok(())
    }

    /// True if a transaction wrote the review like this.
    fn was_written(&self, review: &Review) -> bool {
        let id = ReviewNumber::of(&review.id);
        let place = Some(Place::of(review));
        let log = self.logs.get(&review.org_id.get());
        log.is_some_and(|log| {
            log.values().any(|change| change.id == id && change.version == review.version && change.new == place)
        })
    }

    /// Returns the matches of a search at these positions, in the order of the answer, with their versions.
    fn matches_at(&self, cuts: &BTreeMap<u64, LogPosition>, query: &ReviewQuery) -> Vec<(PostingKey, u64)> {
        let mut matches = Vec::new();
        for (org, cut) in cuts {
            let mut state: BTreeMap<ReviewNumber, &LogChange> = BTreeMap::new();
            for ((lane, sequence), change) in self.logs.get(org).into_iter().flatten() {
                if cut.includes(*lane, *sequence) {
                    state.insert(change.id, change);
                }
            }
            let org_id = OrgId::new(*org).expect("an id");
            for change in state.into_values() {
                let Some(place) = &change.new else { continue };
                let in_sets = query.sets.iter().any(|set| {
                    let tree = presence_ledger::TreeKey { set: set.clone(), facet_key: None };
                    place.is_in(org_id, &tree)
                });
                let at = place.effective_at;
                let in_range = query.from.is_none_or(|from| from <= at) && query.to.is_none_or(|to| at <= to);
                if in_sets && in_range && query.mask.contains(place.facet_key) {
                    matches.push((PostingKey { effective_at: at, id: change.id }, change.version));
                }
            }
        }
        matches.sort_unstable();
        if query.newest_first {
            matches.reverse();
        }
        matches
    }
}

/// Returns the position up to which the items of a log are complete, and the number of changes that they hold.
fn cut_of(items: &[Value]) -> (LogPosition, usize) {
    let mut known = BTreeSet::new();
    let mut cut = LogPosition::default();
    for item in items {
        match LogItemKey::parse(&text(&item["sk"])).expect("a key of a log") {
            LogItemKey::Directory => {
                cut = Directory::decode(&bytes(&item["v"])).expect("a directory").trimmed_to;
            }
            LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. } => {
                for (first, entries) in
                    item.as_object().into_iter().flatten().filter_map(|(name, value)| entries_of(name, value))
                {
                    known.extend((first..).take(entries.len()).map(|sequence| (lane, sequence)));
                }
            }
        }
    }
    for lane in 0..LANES {
        while known.contains(&(lane, cut.0[lane] + 1)) {
            cut.0[lane] += 1;
        }
    }
    (cut, known.len())
}

/// Returns the changes that an update assigns.
fn assigned(action: &Value) -> impl Iterator<Item = (u64, Vec<LogChange>)> {
    let expression = action["UpdateExpression"].as_str().unwrap_or_default();
    let sets = expression.split(" REMOVE ").next().unwrap_or_default().trim_start_matches("SET ");
    sets.split(", ").filter_map(|set| {
        let (name, value) = set.split_once(" = ")?;
        entries_of(name.trim_start_matches('#'), &action["ExpressionAttributeValues"][value])
    })
}

/// Returns first sequence number and changes of an attribute that holds changes.
fn entries_of(name: &str, value: &Value) -> Option<(u64, Vec<LogChange>)> {
    let first = name.strip_prefix('c')?.parse().ok()?;
    Some((first, decode_changes(&bytes(value)).expect("changes")))
}

fn org_of_log(pk: &Value) -> Option<u64> {
    pk["S"].as_str()?.strip_prefix(LOG_PK_PREFIX)?.parse().ok()
}

fn lane_of(sk: &Value) -> usize {
    match LogItemKey::parse(&text(sk)) {
        Some(LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. }) => lane,
        _ => panic!("{sk} is no lane"),
    }
}

/// Returns an item of a request in the form of the SDK. Reviews have texts, numbers and bytes.
fn stored_item(item: &Value) -> HashMap<String, AttributeValue> {
    let attribute = |value: &Value| match value.as_object().and_then(|value| value.iter().next()) {
        Some((kind, _)) if kind == "B" => AttributeValue::B(Blob::new(bytes(value))),
        Some((kind, number)) if kind == "N" => AttributeValue::N(number.as_str().expect("digits").to_owned()),
        _ => AttributeValue::S(text(value)),
    };
    item.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), attribute(value))).collect()
}

fn text(value: &Value) -> String {
    value["S"].as_str().unwrap_or_default().to_owned()
}

/// Returns the bytes of a binary attribute.
fn bytes(value: &Value) -> Vec<u8> {
    let text = value["B"].as_str().unwrap_or_default();
    aws_smithy_types::base64::decode(text).expect("base64")
}
