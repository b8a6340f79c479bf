//! Compares the memory that a directory reports with the memory that an allocator counts. It is a test program of its own, because
//! the allocator counts the memory of the whole program.

use peak_alloc::PeakAlloc;
use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_domain::user_directory::{DirectoryUser, ListedUser, UserDirectory, UserDirectoryBuilder, UserFilter};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

const USERS: usize = 24_000;
/// Number of users that change: nearly as many as are kept beside the others before both are merged.
const CHANGED: usize = 1_700;

fn user(number: u64, version: u64) -> ListedUser {
    // Ids in random order, as the service draws them.
    let id = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
    let name = |syllables: [&str; 8], shift: u64| {
        (0..3)
            .map(|place| syllables[usize::try_from(number >> (shift + place * 3) & 7).expect("small")])
            .collect::<String>()
    };
    let first_name = name(["an", "be", "ci", "do", "é", "fa", "gu", "ha"], 0);
    let last_name = name(["mar", "tin", "du", "pont", "le", "fè", "vre", "ros"], 5);
    ListedUser {
        id: UserId::parse(&(id + 1).to_string()).expect("an id"),
        version,
        status: Status::ALL[usize::from(number.is_multiple_of(7))],
        role: Role::BusinessManager,
        email: format!("{last_name}.{number}@shops-{}.example", number % 300),
        first_name,
        last_name,
        phone: number.is_multiple_of(2).then(|| format!("+33 4 77 {number:06}")),
    }
}

/// True if the reported size differs from the counted size by a twentieth or by 4 KB at most.
fn is_right(reported: usize, counted: usize) -> bool {
    reported.abs_diff(counted) <= counted / 20 + 4_096
}

fn read() -> UserDirectory {
    let mut builder = UserDirectoryBuilder::with_capacity(USERS);
    for number in 0..USERS as u64 {
        let user = user(number, 1);
        builder.push(&DirectoryUser::from(&user), &user.name_order());
    }
    builder.finish()
}

#[test]
fn directory_reports_its_memory_and_takes_little_of_it() {
    let before = ALLOCATED.current_usage();
    let counted = || ALLOCATED.current_usage().saturating_sub(before);
    ALLOCATED.reset_peak_usage();
    let directory = read();
    let (held, peak) = (counted(), ALLOCATED.peak_usage().saturating_sub(before));
    assert!(is_right(directory.heap_bytes(), held), "{} reported, {held} counted", directory.heap_bytes());
    assert!(held < 130 * USERS, "{held} bytes of users");
    assert!(peak < 250 * USERS, "{peak} bytes while users are read");

    let words = UserFilter { query: FuzzyQuery::parse("dupontros").ok(), ..UserFilter::default() };
    ALLOCATED.reset_peak_usage();
    assert!(directory.search(&words).is_ok_and(|found| !found.is_empty()));
    let (held, peak) = (counted(), ALLOCATED.peak_usage().saturating_sub(before));
    assert!(is_right(directory.heap_bytes(), held), "{} reported, {held} counted", directory.heap_bytes());
    assert!(held < 300 * USERS, "{held} bytes with the index of words");
    assert!(peak < 500 * USERS, "{peak} bytes while the index of words is built");

    let changed: Vec<ListedUser> = (0..CHANGED as u64).map(|number| user(number * 13, 2)).collect();
    let changed = directory.with_users(changed.into_iter().map(|user| (user.id, Some(user))));
    assert!(changed.search(&words).is_ok_and(|found| !found.is_empty()));
    let both = counted();
    assert!(
        both - held < 400 * CHANGED + 50_000,
        "{} bytes of changed users, without a second copy of the others",
        both - held
    );
    drop(directory);
    let held = counted();
    assert!(is_right(changed.heap_bytes(), held), "{} reported, {held} counted", changed.heap_bytes());

    ALLOCATED.reset_peak_usage();
    let merged = changed.merged();
    assert!(changed.needs_merge() || merged.head() == changed.head());
    let peak = ALLOCATED.peak_usage().saturating_sub(before);
    assert!(peak < held + 150 * USERS, "{peak} bytes while base and overlay are merged");
    drop(changed);
    let held = counted();
    assert!(is_right(merged.heap_bytes(), held), "{} reported, {held} counted", merged.heap_bytes());
}
