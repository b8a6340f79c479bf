//! Pages that end sooner than they have to.

use serde_json::Value;

use super::item::{Item, attributes};
use super::settings::Pages;
use super::tables::{IndexInfo, TableInfo};

/// Sizes that a short page may have: small ones, so that a walk takes many pages, and some that end a walk in the middle.
const SIZES: [u64; 7] = [1, 2, 3, 7, 20, 60, 200];

/// The outcome for a page: whole, cut or empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Whole,
    /// So many items at the most.
    Short(u64),
    Empty,
}

/// Draws what becomes of the page of a request with this limit.
pub(super) fn draw(pages: &Pages, limit: Option<u64>, rng: &mut fastrand::Rng) -> Cut {
    let at = rng.f64();
    if at < pages.empty {
        return Cut::Empty;
    }
    let size = rng.choice(SIZES).unwrap_or(1);
    if at < pages.empty + pages.short && limit.is_none_or(|limit| size < limit) { Cut::Short(size) } else { Cut::Whole }
}

/// Returns the key after which the page behind this item begins.
pub(super) fn key_after(table: &TableInfo, index: Option<&IndexInfo>, item: &Item) -> Option<Item> {
    let of_index = index.into_iter().flat_map(|index| index.key.names());
    attributes(item, table.key.names().chain(of_index))
}

/// Returns the empty page before this key.
pub(super) fn empty(last: &Value) -> Value {
    serde_json::json!({ "Items": [], "Count": 0, "ScannedCount": 0, "LastEvaluatedKey": last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_cut_as_often_as_said_and_never_longer_than_asked() {
        let pages = Pages { short: 0.3, empty: 0.1 };
        let mut rng = fastrand::Rng::with_seed(1);
        let cuts: Vec<Cut> = (0..1_000).map(|_| draw(&pages, Some(5), &mut rng)).collect();
        let count = |is: fn(&Cut) -> bool| cuts.iter().filter(|cut| is(cut)).count();
        assert!((60..140).contains(&count(|cut| *cut == Cut::Empty)));
        assert!((80..180).contains(&count(|cut| matches!(cut, Cut::Short(_)))), "three of seven sizes are below 5");
        assert!(cuts.iter().all(|cut| !matches!(cut, Cut::Short(0 | 5..))));
        let never = Pages { short: 0.0, empty: 0.0 };
        assert!((0..100).all(|_| draw(&never, None, &mut rng) == Cut::Whole));
    }
}
