//! Writing of the rows of a message, by the code of `ops import reviews`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::PoisonError;

use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ingest::{RowResult, SegmentReport};
use presence_domain::review::{Review, ReviewId, ReviewRow, SeenAt};
use presence_store::BusinessLocation;

use crate::ingest::Ingest;
use crate::part::Part;
use crate::report::{SettledRow, publish, record_outcomes, rejected_lines};

/// Attempts to write rows whose businesses move meanwhile.
const MAX_MOVES: usize = 5;

/// Rows with their lines that are about different reviews.
type Round = Vec<(u64, Review)>;

/// Writes the rows of a message, and settles them. Rows that are settled are skipped.
///
/// Each row is settled before the next one about the same review is written. So a row that was written and not settled, because the
/// function died, is found as it wrote the review, and counts as it would have counted.
pub(crate) async fn write_part(ingest: &Ingest, part: &Part, message_id: &str) -> Result<(), Error> {
    let report = match &part.source {
        Some(source) => ingest.store.segment(&source.version, source.segment).await?.report,
        None => SegmentReport::default(),
    };
    let (rounds, rejected) = read_rows(ingest, part, &report).await?;
    for round in rounds {
        write_round(ingest, part, round).await?;
    }
    let Some(source) = &part.source else {
        let bytes = rejected_lines(&rejected);
        let key = format!("rejected/messages/{message_id}.jsonl");
        return if bytes.is_empty() { Ok(()) } else { ingest.objects.put(&key, bytes, None).await };
    };
    let segment = record_outcomes(ingest, source, rejected, None).await?;
    if segment.report.is_complete() { publish(ingest, &source.version.object).await } else { Ok(()) }
}

/// Returns the rows that are not settled, and those of them that are rejected beside.
async fn read_rows(
    ingest: &Ingest,
    part: &Part,
    report: &SegmentReport,
) -> Result<(Vec<Round>, Vec<SettledRow>), Error> {
    let first_line = part.source.as_ref().map_or(1, |source| source.first_line);
    let open = part.rows.iter().filter(|(line, _)| !report.is_settled(line.saturating_sub(first_line)));
    let now = ingest.clock.now();
    let rows: Vec<(u64, &str, Result<ReviewRow, String>)> =
        open.map(|(line, text)| (*line, text.as_str(), ReviewRow::parse(text, now))).collect();
    let businesses = rows.iter().filter_map(|(_, _, row)| row.as_ref().ok().map(|row| row.business_id().clone()));
    let places = ingest.businesses.get_locations(&businesses.collect::<Vec<_>>()).await?;
    let (mut rounds, mut rejected): (Vec<Round>, Vec<SettledRow>) = (Vec::new(), Vec::new());
    let mut rows_of: HashMap<ReviewId, usize> = HashMap::new();
    for (line, text, row) in rows {
        let review = row.and_then(|row| match places.get(row.business_id()) {
            Some(place) => Ok(row.into_review(place.org_id, &place.city_key)),
            None => Err(row.unknown_business()),
        });
        match review {
            Ok(review) => {
                let round = rows_of.entry(review.id.clone()).or_default();
                if rounds.len() == *round {
                    rounds.push(Vec::new());
                }
                rounds[*round].push((line, stamped(review, part, line)));
                *round += 1;
            }
            Err(reason) => rejected.push(SettledRow::rejected(line, reason, text.to_owned())),
        }
    }
    Ok((rounds, rejected))
}

/// Returns the review with the stamp of its row: its own instant, or the time of the object.
fn stamped(review: Review, part: &Part, line: u64) -> Review {
    let at = review.seen_at.map_or(part.object_at, |seen| seen.at);
    Review { seen_at: Some(SeenAt { place: Some(part.place(line)), ..SeenAt::at(at) }), ..review }
}

/// Writes rows about different reviews, and settles those that are written. An error leaves some of them open.
async fn write_round(ingest: &Ingest, part: &Part, round: Round) -> Result<(), Error> {
    let (lines, mut reviews): (Vec<u64>, Vec<Review>) = round.into_iter().unzip();
    register_orgs(ingest, &reviews).await?;
    let outcome = upsert(ingest, &reviews).await;
    let unwritten: HashSet<usize> = outcome.unwritten.iter().copied().collect();
    let mut settled = Vec::new();
    for (position, (line, review)) in lines.iter().zip(&reviews).enumerate() {
        if !unwritten.contains(&position) {
            let accepted = Review::accept(outcome.before[position].as_ref(), review);
            let result = RowResult::Accepted(accepted.outcome);
            settled.push(SettledRow { line: *line, result, rejection: None });
        }
    }
    if outcome.error.is_none() {
        follow_moves(ingest, &mut reviews).await?;
        ingest.reviews_written();
    }
    if let Some(source) = &part.source {
        record_outcomes(ingest, source, settled, None).await?;
    }
    outcome.error.map_or(Ok(()), Err)
}

async fn upsert(ingest: &Ingest, reviews: &[Review]) -> presence_store::UpsertOutcome {
    ingest.reviews.upsert_rows(reviews.iter().map(std::slice::from_ref).collect(), &|_| {}).await
}

/// Writes the reviews again whose businesses moved since their places were looked up.
///
/// The import of businesses moves reviews after it has written the business. Reviews that are written between may have missed that.
async fn follow_moves(ingest: &Ingest, reviews: &mut [Review]) -> Result<(), Error> {
    for _ in 0..MAX_MOVES {
        let businesses: BTreeSet<BusinessId> = reviews.iter().map(|review| review.business_id.clone()).collect();
        let places = ingest.businesses.get_locations(&businesses.into_iter().collect::<Vec<_>>()).await?;
        let mut moved = Vec::new();
        for review in reviews.iter_mut() {
            if let Some(BusinessLocation { org_id, city_key }) = places.get(&review.business_id)
                && (review.org_id, &review.city_key) != (*org_id, city_key)
            {
                (review.org_id, review.city_key) = (*org_id, city_key.clone());
                moved.push(review.clone());
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        register_orgs(ingest, &moved).await?;
        upsert(ingest, &moved).await.error.map_or(Ok(()), Err)?;
    }
    Err(Error::Unavailable("businesses kept moving while their reviews were written".into()))
}

/// Lists the organisations of reviews among those with reviews, before the first one is written.
async fn register_orgs(ingest: &Ingest, reviews: &[Review]) -> Result<(), Error> {
    let registered = || ingest.registered_orgs.lock().unwrap_or_else(PoisonError::into_inner);
    let orgs: BTreeSet<OrgId> = reviews.iter().map(|review| review.org_id).collect();
    let unknown: Vec<OrgId> = orgs.into_iter().filter(|org_id| !registered().contains(org_id)).collect();
    for org_id in unknown {
        ingest.reviews.register_org_with_reviews(org_id).await?;
        registered().insert(org_id);
    }
    Ok(())
}
