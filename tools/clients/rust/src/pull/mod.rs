//! Incremental pull of reviews by `update_date`.

use std::collections::HashSet;
use std::time::Duration;

use async_stream::try_stream;
use futures::{Stream, StreamExt as _, pin_mut};
use jiff::civil::{DateTime, date};
use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::pages::{MAX_PER_PAGE, walk};
use crate::types::{Review, ReviewPage};

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// First second that the service accepts in a filter: the year 1.
const FIRST: i64 = -62_135_596_800;
/// Last second of the year 9999.
const LAST: i64 = 253_402_300_799;

/// Some reviews, oldest change first, and the cursor to keep once they are stored.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Reviews that this pull has not yielded before.
    pub reviews: Vec<Review>,
    /// Greatest `update_date` that was seen and was not in the future when the pull began.
    pub cursor: String,
}

/// Bounds of a pull.
#[derive(Clone, Copy, Debug)]
pub struct PullOptions {
    /// Time before the cursor that is read again, in whole seconds. Default none.
    pub overlap: Duration,
    /// Number of reviews in a request: 1 to 100. Default 100.
    pub per_page: i64,
}

impl Default for PullOptions {
    fn default() -> Self {
        Self { overlap: Duration::ZERO, per_page: MAX_PER_PAGE }
    }
}

/// Bounds of one request: the earliest and the latest `update_date`, both included.
pub(crate) type Bounds = (Option<String>, Option<String>);

/// Yields every review whose `update_date` is at or after the cursor, once each, oldest change first.
///
/// No page beyond the first is read while the time moves on: each request begins at the greatest `update_date` that was seen.
/// A review that changes meanwhile moves to the end, and moves no other one past the reader. Reviews of the border second come
/// twice, and are told apart by id and `update_date`.
pub(crate) fn pull(
    search: impl AsyncFn(Bounds, i64) -> Result<ReviewPage, Error>,
    cursor: Option<String>,
    options: PullOptions,
) -> impl Stream<Item = Result<Batch, Error>> {
    try_stream! {
        let start = cursor.as_deref().map(second_of).transpose()?;
        let overlap = i64::try_from(options.overlap.as_secs()).unwrap_or(i64::MAX);
        let mut since = start.map(|second| second.saturating_sub(overlap).max(FIRST));
        let begin = Timestamp::now().as_second();
        let mut border = Border { begin, greatest: start.unwrap_or(FIRST), seen: HashSet::new() };
        loop {
            let page = search((since.map(text_of), None), 1).await?;
            let is_last = page.max_page <= 1;
            let seconds = page.reviews.iter().map(|review| second_of(&review.update_date)).collect::<Result<Vec<_>, _>>()?;
            if let Some(batch) = border.batch(page.reviews)? { yield batch; }
            let (Some(&first), Some(&last), false) = (seconds.first(), seconds.last(), is_last) else { break };
            if first < last {
                since = Some(last);
                border.seen.retain(|(_, date)| second_of(date).is_ok_and(|second| second == last));
                continue;
            }
            // One second fills the page. Only here pages are counted; what leaves this second, `count` shows.
            let bounds = (Some(text_of(last)), Some(text_of(last)));
            let pages = walk(async |number| search(bounds.clone(), number).await);
            pin_mut!(pages);
            while let Some(page) = pages.next().await {
                if let Some(batch) = border.batch(page?.reviews)? { yield batch; }
            }
            if last >= LAST { break }
            since = Some(last + 1);
            border.seen.clear();
        }
    }
}

/// Begin of the pull, greatest date so far up to it, and the reviews seen at the border.
struct Border {
    begin: i64,
    greatest: i64,
    seen: HashSet<(String, String)>,
}

impl Border {
    /// Returns the reviews that were not seen, if there are any.
    fn batch(&mut self, mut reviews: Vec<Review>) -> Result<Option<Batch>, Error> {
        for review in &reviews {
            let second = second_of(&review.update_date)?;
            // One wrong date in the future as a cursor would hide what changes before it from every later pull.
            if second <= self.begin {
                self.greatest = self.greatest.max(second);
            }
        }
        reviews.retain(|review| self.seen.insert((review.id.clone(), review.update_date.clone())));
        Ok((!reviews.is_empty()).then(|| Batch { reviews, cursor: text_of(self.greatest) }))
    }
}

/// Returns the second since 1970 of an `update_date` as the service writes it: in UTC, without fractions.
fn second_of(date: &str) -> Result<i64, Error> {
    let form = || Error::Form("the cursor is not an update_date as the service writes it".to_owned());
    let text = date.strip_suffix("+00:00").or_else(|| date.strip_suffix('Z')).filter(|text| text.len() == 19);
    // A Timestamp does not reach the last day of the year 9999.
    let civil: DateTime = text.ok_or_else(form)?.parse().map_err(|_| form())?;
    Ok(civil.duration_since(EPOCH).as_secs())
}

/// Returns a second from `FIRST` to `LAST` as the service writes it.
fn text_of(second: i64) -> String {
    let civil = EPOCH.saturating_add(SignedDuration::from_secs(second));
    civil.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

#[cfg(test)]
pub(crate) mod model;

#[cfg(test)]
mod tests;
