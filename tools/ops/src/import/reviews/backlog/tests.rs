use super::*;
use crate::import::bare_review::bare_review;

const WORKERS: usize = 16;

fn review(name: &str, org: u64) -> Review {
    Review { org_id: OrgId::new(org).expect("an id"), ..bare_review(name) }
}

/// Simulates an import of these rows. Whenever no further job can start, a random one of this many `oldest` jobs is complete. Passes
/// each job that starts to `on_start`. Returns the number of busy workers at the end of each job.
fn simulate_import(
    mut backlog: Backlog,
    rows: impl Iterator<Item = Review>,
    rng: &mut fastrand::Rng,
    oldest: usize,
    mut on_start: impl FnMut(&Job),
) -> Vec<usize> {
    let mut rows = rows.peekable();
    let mut jobs: Vec<Job> = Vec::new();
    let mut busy_counts = Vec::new();
    loop {
        while backlog.has_room()
            && let Some(row) = rows.next()
        {
            backlog.push(0, row, 1);
        }
        while jobs.len() < WORKERS
            && (rows.peek().is_none() || backlog.is_ready())
            && let Some(job) = backlog.take_job()
        {
            assert!(jobs.iter().all(|other| other.org_lane != job.org_lane), "two workers write one lane");
            on_start(&job);
            jobs.push(job);
        }
        if jobs.is_empty() {
            assert!(rows.next().is_none() && backlog.rows == 0 && backlog.bytes == 0, "all rows were written");
            assert!(backlog.waiting_index.is_empty() && backlog.in_flight.is_empty() && backlog.waiting.is_empty());
            return busy_counts;
        }
        busy_counts.push(jobs.len());
        backlog.complete_job(jobs.remove(rng.usize(0..jobs.len().min(oldest))));
    }
}

fn backlog_with_limits(max_rows: usize, min_rows: usize, job_reviews: usize) -> Backlog {
    let limits = BacklogLimits { max_rows, max_bytes: u64::MAX, min_rows, job_reviews, max_lead: 5 * job_reviews / 2 };
    Backlog { limits, ..Backlog::default() }
}

/// Returns the mean and the largest number of busy workers in an import of a file with these organisations, one after another.
fn busy_workers(orgs: u64) -> (usize, usize) {
    let rows = (0..75_000).map(|n: u64| review(&n.to_string(), 1 + n * orgs / 75_000));
    let mut rng = fastrand::Rng::with_seed(15);
    // Jobs take about the same time.
    let busy = simulate_import(backlog_with_limits(20_000, 2_000, 200), rows, &mut rng, 4, |_| {});
    (busy.iter().sum::<usize>() / busy.len(), busy.into_iter().max().unwrap_or_default())
}

#[test]
fn each_lane_of_an_organisation_keeps_a_worker_busy() {
    let (mean, most) = busy_workers(1);
    assert!(mean >= LANES - 1, "{mean} of {LANES} workers are busy on average");
    assert_eq!(most, LANES);
    let (mean, most) = busy_workers(20);
    assert!(mean >= WORKERS - 2, "{mean} of {WORKERS} workers are busy on average");
    assert_eq!(most, WORKERS);
}

#[test]
fn job_has_reviews_of_one_lane() {
    let rows = (0..1_000).map(|n: u64| review(&n.to_string(), 1 + n % 3));
    let mut rng = fastrand::Rng::with_seed(7);
    simulate_import(backlog_with_limits(500, 100, 20), rows, &mut rng, WORKERS, |job| {
        for last in job.reviews().filter_map(PendingReview::last) {
            assert_eq!(job.org_lane, (last.org_id, ReviewNumber::of(&last.id).lane()));
        }
    });
}

#[test]
fn reading_stops_at_the_limits_of_the_backlog() {
    let mut backlog = backlog_with_limits(10, 5, 3);
    for n in 0..10 {
        assert!(backlog.has_room());
        backlog.push(n, review(&n.to_string(), 1), 100);
    }
    assert!(!backlog.has_room());
    let job = backlog.take_job().expect("a job");
    assert!(!backlog.has_room(), "rows in flight count too");
    backlog.complete_job(job);
    assert!(backlog.has_room());
    backlog.limits.max_bytes = backlog.bytes;
    assert!(!backlog.has_room());
}

#[test]
fn rows_about_one_review_are_written_in_the_order_of_the_file() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        // Few reviews with many rows each, which move between organisations.
        let rows: Vec<Review> =
            (0..300).map(|n| Review { version: n, ..review(&rng.u8(0..12).to_string(), rng.u64(1..7)) }).collect();
        let mut written: HashMap<String, Vec<u64>> = HashMap::new();
        let record = |job: &Job| {
            for pending in job.reviews() {
                let versions = pending.rows.iter().map(|(_, row)| row.version);
                written.entry(pending.rows[0].1.partner_id.clone()).or_default().extend(versions);
            }
        };
        let backlog = backlog_with_limits(rng.usize(1..40), rng.usize(1..20), rng.usize(1..5));
        simulate_import(backlog, rows.clone().into_iter(), &mut rng, WORKERS, record);
        assert_eq!(written.values().map(Vec::len).sum::<usize>(), rows.len(), "seed {seed}");
        for versions in written.values() {
            assert!(versions.is_sorted(), "seed {seed}: {versions:?}");
        }
    }
}

#[test]
fn reviews_of_a_fold_are_near_each_other_in_a_file_without_order() {
    const ROWS: i64 = 40_000;
    const READ_AHEAD: usize = 8_000;
    const FOLD: usize = 400;
    let mut rng = fastrand::Rng::with_seed(3);
    let mut dates: Vec<i64> = (0..ROWS).collect();
    rng.shuffle(&mut dates);
    let rows = dates.into_iter().map(|date| Review { date, ..review(&date.to_string(), 1) });
    let mut written = Vec::new();
    simulate_import(backlog_with_limits(READ_AHEAD, READ_AHEAD, 20), rows, &mut rng, WORKERS, |job| {
        written.extend(job.reviews().filter_map(PendingReview::last).map(Review::effective_at));
    });
    // Nodes of a hundred reviews each.
    let nodes = |fold: &[i64]| fold.iter().map(|date| date / 100).collect::<HashSet<_>>().len();
    let nodes: usize = written.chunks(FOLD).map(nodes).sum();
    assert!(nodes < written.len() / 7, "{nodes} nodes for {ROWS} reviews");
}
