//! Numbered pages.

use super::ids::MAX_ID;

/// Which page of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// From 1 to [`PageRequest::MAX_PAGE`]; as asked, even past the end.
    pub page: u64,
    /// Items on a page, 1 to [`PageRequest::MAX_SIZE`].
    pub size: u64,
}

impl PageRequest {
    /// Items on a page unless asked otherwise.
    pub const DEFAULT_SIZE: u64 = 30;
    /// The most items on a page: one BatchGetItem.
    pub const MAX_SIZE: u64 = 100;
    /// The largest page number: the largest integer that every JSON reader holds exactly, since answers repeat it.
    pub const MAX_PAGE: u64 = MAX_ID;

    /// The position of the first item of the page, from 0.
    #[must_use]
    pub fn start(&self) -> u64 {
        (self.page - 1).saturating_mul(self.size)
    }

    /// The part of `0..count` that lies on the page: empty past the end.
    #[must_use]
    pub fn range(&self, count: u64) -> std::ops::Range<u64> {
        let start = self.start().min(count);
        start..start.saturating_add(self.size).min(count)
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { page: 1, size: Self::DEFAULT_SIZE }
    }
}

/// One page of a list, and how long the list is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// What was asked for.
    pub request: PageRequest,
    /// Exact number of items in the list.
    pub count: u64,
    /// Items of this page.
    pub items: Vec<T>,
}

impl<T> Page<T> {
    /// The number of the last page; 1 for an empty list.
    #[must_use]
    pub fn max_page(&self) -> u64 {
        self.count.div_ceil(self.request.size).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cut_a_list_without_gap_or_overlap() {
        for count in [0, 1, 29, 30, 31, 90, 91] {
            let mut seen = Vec::new();
            let page = Page { request: PageRequest::default(), count, items: Vec::<u64>::new() };
            for number in 1..=page.max_page() {
                seen.extend(PageRequest { page: number, size: 30 }.range(count));
            }
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_page_far_past_the_end_is_empty() {
        assert!(PageRequest { page: PageRequest::MAX_PAGE, size: 100 }.range(1000).is_empty());
    }
}
