//! Trees of a build: each is made from a stream of its postings, which is read twice.

use std::io::{self, BufReader, BufWriter, Seek as _};
use std::iter::Peekable;
use std::path::Path;

use presence_domain::error::Error;
use presence_domain::review::FacetKey;
use presence_ledger::tree::MonthCounts;
use presence_ledger::{Posting, TreeKey, has_facet_trees};
use presence_store::bulk_tree_items;
use tempfile::SpooledTempFile;

use super::businesses::KnownBusinesses;
use super::output::OutputParts;
use super::records::{FiledPosting, TreeNumber, read_posting, write_posting};
use super::sort::{ExternalSort, Merge, SortLimits};

/// Bytes of postings of a tree that are kept in memory. Those of larger trees are in a file.
const SPOOL_BYTES: usize = 4 << 20;

/// Writes the trees of all sets, and the facet trees of those that have at least `facets_from` postings.
pub(super) fn write_trees(
    postings: Merge<'_, FiledPosting>,
    businesses: &KnownBusinesses,
    facets_from: i64,
    output: &mut OutputParts,
) -> Result<(), Error> {
    let folder = output.temporary_folder().to_owned();
    let mut facets = ExternalSort::new(&folder, SortLimits::default());
    let mut large_sets = Vec::new();
    let mut postings = postings.peekable();
    while let Some(number) = next_tree(&mut postings)? {
        let set = businesses.set(number.set);
        let spool = Spool::take(&mut postings, number, &folder).map_err(Error::internal)?;
        let is_large = has_facet_trees(set, spool.months.total(), facets_from);
        if is_large {
            large_sets.push(number.set);
        }
        let tree = TreeKey { set: set.clone(), facet_key: None };
        let file_by_facet = |posting: &Posting| {
            let tree = TreeNumber { facet_key: Some(posting.facet_key), ..number };
            if is_large { facets.push(FiledPosting { tree, posting: *posting }) } else { Ok(()) }
        };
        spool.write_tree(&tree, is_large, file_by_facet, output)?;
    }
    let mut facets = facets.finish().map_err(Error::internal)?;
    let mut postings = facets.merge().map_err(Error::internal)?.peekable();
    for set in large_sets {
        for facet_key in (0..).map_while(FacetKey::from_number) {
            let number = TreeNumber { set, facet_key: Some(facet_key) };
            let spool = Spool::take(&mut postings, number, &folder).map_err(Error::internal)?;
            let tree = TreeKey { set: businesses.set(set).clone(), facet_key: number.facet_key };
            spool.write_tree(&tree, false, |_| Ok(()), output)?;
        }
    }
    Ok(())
}

/// Returns the tree of the next posting; `None` at the end.
fn next_tree(postings: &mut Peekable<Merge<'_, FiledPosting>>) -> Result<Option<TreeNumber>, Error> {
    match postings.peek() {
        None => Ok(None),
        Some(Ok(filed)) => Ok(Some(filed.tree)),
        Some(Err(error)) => Err(Error::internal(format!("cannot read a temporary file: {error}"))),
    }
}

/// Postings of one tree, in memory or in a file, counted by month.
struct Spool {
    postings: SpooledTempFile,
    months: MonthCounts,
}

impl Spool {
    /// Takes the next postings, as far as they are of this tree.
    fn take(postings: &mut Peekable<Merge<'_, FiledPosting>>, tree: TreeNumber, folder: &Path) -> io::Result<Self> {
        let mut months = MonthCounts::default();
        let mut output = BufWriter::new(SpooledTempFile::new_in(SPOOL_BYTES, folder));
        while let Some(filed) = postings.next_if(|filed| filed.as_ref().map_or(true, |filed| filed.tree == tree)) {
            let FiledPosting { posting, .. } = filed?;
            months.add(&posting);
            write_posting(&posting, &mut output)?;
        }
        Ok(Self { postings: output.into_inner()?, months })
    }

    /// Writes the items of the tree. Passes each posting to `observe`.
    fn write_tree(
        mut self,
        tree: &TreeKey,
        has_facet_trees: bool,
        mut observe: impl FnMut(&Posting) -> io::Result<()>,
        output: &mut OutputParts,
    ) -> Result<(), Error> {
        self.postings.rewind().map_err(Error::internal)?;
        let (total, mut input) = (self.months.total(), BufReader::new(self.postings));
        let postings = (0..total).map(|_| {
            let posting = read_posting(&mut input).and_then(|posting| observe(&posting).map(|()| posting));
            posting.map_err(Error::internal)
        });
        bulk_tree_items(tree, &self.months, has_facet_trees, postings, |item| output.write(&item))
    }
}
