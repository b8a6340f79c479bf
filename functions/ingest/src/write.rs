//! Writing of the rows of a message, by the code of `ops import reviews`.

use std::collections::{HashMap, HashSet};

use presence_domain::error::Error;
use presence_domain::ingest::{RowResult, SegmentReport};
use presence_domain::review::{Review, ReviewId, ReviewRow, SeenAt};

use crate::ingest::Ingest;
use crate::part::Part;
use crate::report::{SettledRow, publish, record_outcomes, rejected_lines};

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
    let places = ingest.reviews.locate_businesses(&businesses.collect::<Vec<_>>()).await?;
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
    let (lines, reviews): (Vec<u64>, Vec<Review>) = round.into_iter().unzip();
    let outcome = ingest.reviews.try_upsert_reviews(&reviews).await;
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
        ingest.reviews_written();
    }
    if let Some(source) = &part.source {
        record_outcomes(ingest, source, settled, None).await?;
    }
    outcome.error.map_or(Ok(()), Err)
}
