//! Search of reviews in memory, with the order and the bounds of the service.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{second_of, text_of};
use crate::types::{Review, ReviewPage, ReviewPartner, ReviewState};

/// Ids of reviews, with their seconds.
pub(crate) type Updates = BTreeMap<String, i64>;

type Change = Box<dyn FnMut(&mut Updates)>;

/// Reviews that may change before each answer.
pub(crate) struct Model {
    pub(crate) updates: RefCell<Updates>,
    before_answer: RefCell<Change>,
}

impl Model {
    pub(crate) fn new(updates: Updates, before_answer: impl FnMut(&mut Updates) + 'static) -> Self {
        Self { updates: updates.into(), before_answer: RefCell::new(Box::new(before_answer)) }
    }

    pub(crate) fn search(&self, lower: Option<&str>, upper: Option<&str>, page: i64, per_page: i64) -> ReviewPage {
        (self.before_answer.borrow_mut())(&mut self.updates.borrow_mut());
        let lower = lower.map_or(i64::MIN, |text| second_of(text).expect("a date"));
        let upper = upper.map_or(i64::MAX, |text| second_of(text).expect("a date"));
        let updates = self.updates.borrow();
        let mut found: Vec<_> = updates.iter().filter(|(_, second)| (lower..=upper).contains(*second)).collect();
        found.sort_by_key(|(id, second)| (**second, *id));
        let begin = usize::try_from((page - 1) * per_page).expect("a page");
        let size = usize::try_from(per_page).expect("a size");
        let count = i64::try_from(found.len()).expect("a count");
        let reviews = found.into_iter().skip(begin).take(size).map(|(id, second)| review(id, *second)).collect();
        ReviewPage { page, max_page: ((count + per_page - 1) / per_page).max(1), count, reviews }
    }
}

fn review(id: &str, second: i64) -> Review {
    Review {
        author_name: None,
        business_id: "b".into(),
        content: None,
        date: text_of(0),
        delete_date: None,
        id: id.into(),
        key: "k".into(),
        link: None,
        org_id: "1".into(),
        partner: ReviewPartner::Partner8,
        partner_id: "p".into(),
        rating: 5,
        reply_comment: None,
        state: ReviewState::Treated,
        title: None,
        update_date: text_of(second),
    }
}
