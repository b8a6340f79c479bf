//! Numbers of a simulation.

/// Numbers of what happened in a run, or in several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub runs: u64,
    pub steps: u64,
    pub writes: u64,
    pub folds: u64,
    pub lost_folds: u64,
    pub facet_creations: u64,
    pub sweeps: u64,
    pub swept_nodes: u64,
    pub rebuilds: u64,
    pub answers: u64,
    pub facet_answers: u64,
    pub business_answers: u64,
    pub two_org_answers: u64,
    pub warm_answers: u64,
    pub restarts: u64,
    pub given_up: u64,
    pub killed: u64,
}

impl Counts {
    /// Adds the numbers of other runs.
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.writes += other.writes;
        self.folds += other.folds;
        self.lost_folds += other.lost_folds;
        self.facet_creations += other.facet_creations;
        self.sweeps += other.sweeps;
        self.swept_nodes += other.swept_nodes;
        self.rebuilds += other.rebuilds;
        self.answers += other.answers;
        self.facet_answers += other.facet_answers;
        self.business_answers += other.business_answers;
        self.two_org_answers += other.two_org_answers;
        self.warm_answers += other.warm_answers;
        self.restarts += other.restarts;
        self.given_up += other.given_up;
        self.killed += other.killed;
    }
}
