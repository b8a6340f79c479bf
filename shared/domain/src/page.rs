//! Numbered pages of lists.

use super::ids::MAX_ID;

/// Request for one page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Number of the page, from 1 to [`PageRequest::MAX_PAGE`]. It may be past the end of the list.
    pub page: u64,
    /// Number of items on a page, from 1 to [`PageRequest::MAX_SIZE`].
    pub size: u64,
}

impl PageRequest {
    /// Number of items on a page if the request names none.
    pub const DEFAULT_SIZE: u64 = 30;
    /// Maximum number of items on a page: one BatchGetItem reads them all.
    pub const MAX_SIZE: u64 = 100;
    /// Largest page number. Answers repeat it, so it is the largest integer that every JSON reader holds exactly.
    pub const MAX_PAGE: u64 = MAX_ID;

    /// Returns the position of the first item of the page, from 0.
    #[must_use]
    pub fn start(&self) -> u64 {
        (self.page - 1).saturating_mul(self.size)
    }

    /// Returns the positions of the page in a list of `count` items. Past the end they are empty.
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

/// One page of a list, and the length of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Request that the page answers.
    pub request: PageRequest,
    /// Exact number of items in the whole list.
    pub count: u64,
    /// Items of the page.
    pub items: Vec<T>,
}

impl<T> Page<T> {
    /// Returns the number of the last page; 1 for an empty list.
    pub fn max_page(&self) -> u64 {
        self.count.div_ceil(self.request.size).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_split_a_list_without_gap_or_overlap() {
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
    fn page_far_past_the_end_is_empty() {
        assert!(PageRequest { page: PageRequest::MAX_PAGE, size: 100 }.range(1000).is_empty());
    }
}
