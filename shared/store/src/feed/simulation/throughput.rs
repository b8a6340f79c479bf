//! Feed of one organisation whose reviews change a thousand times a second: how late the events are, and what they cost.
//!
//! The shipped store runs in virtual time over a table whose calls take 10 ms, and whose transactions conflict. Lambda is modelled as it
//! reads a stream: each shard four times a second, one batch at a time.

#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a run tells its figures")]

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::*;
use presence_domain::event::ReviewField;
use presence_domain::ids::BusinessId;
use presence_domain::review::ReviewId;

/// Time of a call of `DynamoDB`.
const CALL: Duration = Duration::from_millis(10);
/// Changed reviews of a second, and of all.
const RATE: u32 = 1_000;
const CHANGES: usize = 20_000;
/// Largest batch, as in `shared/stacks/events.yaml`.
const BATCH: usize = 100;
/// Pause of Lambda between two looks at a shard.
const POLL: Duration = Duration::from_millis(250);
/// Time after which another shard continues one. `DynamoDB` ends a shard after four hours.
const SHARD_TIME: SignedDuration = SignedDuration::from_hours(4);
/// Time for which shards were there before.
const PAST: SignedDuration = SignedDuration::from_hours(72);

fn review(number: usize) -> Event {
    let id = ReviewId::parse(&format!("7gk2m0{number:06}")).expect("an id");
    let business_id = BusinessId::parse("5409c35a97bbc544d8e26737").expect("an id");
    let subject = EventSubject::Review { id, business_id, fields: vec![ReviewField::State] };
    Event { kind: EventKind::ReviewUpdated, subject, org_id: org(Some(1)), version: Some(7), at: Timestamp::UNIX_EPOCH }
}

/// Returns a record with a sequence number as long as those of `DynamoDB`.
fn record(number: usize) -> SourceRecord {
    let sequence = format!("4968{number:022}");
    SourceRecord { sequence: SequenceNumber::parse(&sequence).expect("a number"), events: vec![review(number)] }
}

/// World with a feed, to which some shards append.
struct BusyFeed {
    table: SimulatedTable,
    store: FeedStore,
    started: Instant,
    shards: usize,
}

impl BusyFeed {
    async fn new(shards: usize) -> Self {
        let now = Timestamp::from_second(1_772_366_400).expect("an instant");
        let table = SimulatedTable::new(World::calm(CALL, now));
        let store = FeedStore::new(&Database::simulated(Arc::new(table.clone())));
        let feed = Self { table, store, started: Instant::now(), shards };
        let mut at = now - PAST;
        while at < now {
            for shard in 0..shards {
                let id = ShardId::new(&at.to_string(), &shard.to_string());
                feed.store.append(org(Some(1)), id, &[record(shard)], at).await.expect("an append");
            }
            at += SHARD_TIME;
        }
        feed.table.get().write_units = 0;
        Self { started: Instant::now(), ..feed }
    }

    /// Serves a shard that has every n-th change. Returns for each the time until a reader may see it.
    async fn serve(&self, shard: usize) -> Vec<Duration> {
        let id = ShardId::new("now", &shard.to_string());
        let changes: Vec<_> = (shard..CHANGES).step_by(self.shards).collect();
        let changed_after = |number: usize| Duration::from_secs(1) * u32::try_from(number).expect("few") / RATE;
        let pause = self.table.get().rng.u64(..250);
        sleep(Duration::from_millis(pause)).await;
        let mut delays = Vec::new();
        while delays.len() < changes.len() {
            let elapsed = self.started.elapsed();
            let fresh = changes[delays.len()..].iter().take_while(|number| changed_after(**number) <= elapsed);
            let batch: Vec<_> = fresh.take(BATCH).copied().collect();
            let records: Vec<_> = batch.iter().map(|number| record(*number)).collect();
            let now = self.table.get().now + SignedDuration::try_from(elapsed).expect("a short run");
            self.store.append(org(Some(1)), id, &records, now).await.expect("an append");
            let elapsed = self.started.elapsed();
            delays.extend(batch.iter().map(|number| elapsed.saturating_sub(changed_after(*number))));
            if batch.len() < BATCH {
                sleep(POLL).await;
            }
        }
        delays
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_changes_a_second_of_one_organisation_are_in_its_feed_within_five_seconds() {
    // At 4.4 units a review, five partitions take a thousand a second. A table that was busier before has more, and smaller batches.
    for shards in [2, 4, 8, 16] {
        let feed = BusyFeed::new(shards).await;
        let served = futures::future::join_all((0..shards).map(|shard| feed.serve(shard))).await;
        let mut delays = served.concat();
        delays.sort_unstable();
        let end = feed.store.end(org(Some(1))).await.expect("a number");
        let before = u64::try_from(PAST.as_hours() / SHARD_TIME.as_hours()).expect("some") * shards as u64;
        assert_eq!(end - before, CHANGES as u64);
        let units = feed.table.get().write_units as f64 / CHANGES as f64;
        let [median, p99] = [50, 99].map(|percent| delays[CHANGES * percent / 100]);
        println!("{shards} shards: {units:.2} write units an event, {median:?} in the median, {p99:?} at p99");
        assert!(p99 <= Duration::from_secs(5) && units <= 0.6, "{shards} shards: {units} units, {p99:?}");
    }
}
