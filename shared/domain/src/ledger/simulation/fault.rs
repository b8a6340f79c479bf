//! Faults that can be planted in the protocol, each of which the simulation must find.

/// Declares the faults, and the list of all of them.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Fault in one process of the simulation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum PlantedFault {
            $($(#[$doc])* $name,)+
        }

        impl PlantedFault {
            /// All faults.
            pub(super) const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

faults! {
    /// A lane whose last change is not found is not read again: its transaction may be visible in part.
    GapNotNoticed,
    /// A fold trims the log before it writes the directory.
    TrimBeforeDirectory,
    /// A fold writes the directory before the roots.
    DirectoryBeforeRoots,
    /// A fold writes the buckets after the directory.
    BucketsAfterDirectory,
    /// A fold writes the directory with its own values, not merged with those that are there.
    DirectoryNotMerged,
    /// A bucket is written with the fold's own values, not merged with those that are there.
    BucketNotMerged,
    /// A directory is written without its condition.
    DirectoryWithoutCondition,
    /// A root is written without its condition.
    RootWithoutCondition,
    /// A free slot is written without the condition on its stamp.
    SlotWithoutCondition,
    /// A fold takes slots from the nodes that it replaces itself.
    FreeTooEarly,
    /// A new slot begins with the same stamp each time.
    FirstStampFixed,
    /// A fold trims whatever it finds in a lane.
    TrimTooFar,
    /// A fold marks changes as folded that it did not find.
    PositionPastGap,
    /// A fold leaves out the set that a review left.
    OldPlaceNotFolded,
    /// A fold sets the position of a root to its own end, also where the root was ahead.
    PositionNotMerged,
    /// A fold applies the changes behind the directory, not those behind the root's own position.
    DeltaFromDirectory,
    /// A reader applies the changes behind the directory, not those behind the root's own position.
    ReaderDeltaFromDirectory,
    /// A reader takes any node of the slot.
    StampNotChecked,
    /// A reader takes any root of an organisation.
    OrgEditionNotChecked,
    /// A reader takes any root of a city or business.
    BucketedEditionNotChecked,
    /// A reader takes any bucket.
    BucketEditionNotChecked,
    /// A reader takes any root of a facet tree.
    FacetEditionNotChecked,
    /// A reader takes roots that contain changes behind its cut.
    PositionNotChecked,
    /// A fold writes no root if its changes cancel each other out; readers begin at the directory's position.
    EmptyChangeNotWritten,
    /// A fold does not name the facet trees that it wrote.
    FacetNotNamed,
    /// A fold writes the root before its facet trees.
    FacetsAfterRoot,
    /// A fold takes the touched facet trees from the net change of each review.
    FacetsOfNetChange,
    /// Facet trees are created at the position before the fold.
    FacetsFromOlderState,
    /// A facet tree of an earlier, dead creation is kept as it is.
    FacetsOfDeadCreationKept,
    /// A lane is updated without its condition.
    LaneWithoutCondition,
    /// A writer seals what it remembers of a lane that has changed since.
    SealFromStaleState,
    /// A writer that knows only the last sequence of a lane seals its unsealed changes away.
    SealUnknownState,
    /// A change has the place of a body that an eventual read returned.
    UnguardedPlace,
    /// A body is written without its condition.
    BodyWithoutCondition,
    /// A review that moves between organisations is logged in the new one only.
    MoveLoggedOnce,
    /// A review that moves between organisations is written in two transactions.
    MoveInTwoTransactions,
    /// A deleted review that comes back begins with version 1 again.
    VersionRestarts,
    /// A body with an older version is shown.
    OlderBodyShown,
    /// A body with a newer version is shown without a look at its place.
    NewerBodyShown,
    /// A page that has a review twice is shown.
    DuplicateShown,
    /// A page that was planned from the cache is shown without a look at the log.
    SpeculationNotProven,
    /// The log of a warm function is used again.
    LogFromCache,
    /// A fold leaves the copies of oldest postings as they are.
    CopiesNotEdited,
    /// A fold cuts the copies of oldest postings, and keeps their end.
    CopiesCutWithoutEnd,
    /// A fold copies the postings of a leaf that is not the first one.
    CopiesOfLaterLeaf,
    /// Copies of oldest postings are taken that belong to an earlier edition of the root.
    CopiesOfEarlierEdition,
    /// A reader takes copies of oldest postings that changes of the log have removed.
    CopiesNotCompleted,
    /// A reader takes oldest postings from the copies and from the leaves.
    CopiesTakenTwice,
    /// Nodes are cached by slot.
    CacheBySlot,
    /// A sweep deletes nodes without a new edition of the root.
    SweepWithoutEdition,
    /// A sweep lists the nodes after the new edition of the root.
    SweepListsLate,
    /// A rebuild writes roots without their conditions.
    RebuildWithoutCondition,
    /// A rebuild takes the bodies for the state at the position of the log that it read before.
    RebuildFromOneLog,
    /// A rebuild does not wait for transactions between the logs and the bodies.
    RebuildWithoutPause,
    /// A rebuild takes the bodies from the index alone.
    RebuildFromIndex,
    /// An organisation is listed after its first write.
    ListedLate,
}
