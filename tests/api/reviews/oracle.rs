//! Random requests against a plain list that is searched by looking at each of its reviews: at first, after changes, and
//! after shops moved to other cities and back. What changes comes by imports, as it does in operation.

pub(crate) mod town;
mod wish;

use std::io;
use std::sync::Arc;

use clap::Parser as _;
use futures::{StreamExt as _, stream};
use presence::store::Store;
use presence_ops::{Cli, Console, Context, Exit};
use presence_tests::{Cast, Person, World, dice};
use serde_json::Value;

use town::Town;
use wish::Wish;

const REVIEWS: usize = 3_200;
/// Requests of each of the three rounds.
const REQUESTS: usize = 680;
const CHANGES: usize = 300;
const NEWCOMERS: usize = 40;
/// A month with more reviews is searched by its days.
const WHOLE_MONTH: usize = 2_000;
/// How many requests are under way at once: enough to keep two cores busy.
const AT_ONCE: usize = 16;

/// Imports rows as an operator does.
async fn import(world: &World, what: &str, rows: &str) {
    import_by(world, world.store(), what, rows).await;
}

/// The same by a store of the operator's own.
pub(crate) async fn import_by(world: &World, store: &Store, what: &str, rows: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rows.jsonl");
    std::fs::write(&file, rows).expect("the folder can be written");
    let cli = ["ops", "import", what, file.to_str().expect("a path in UTF-8")];
    let cli = Cli::try_parse_from(cli).expect("the words are right");
    let said = tempfile::NamedTempFile::new().expect("a temporary file");
    let console = Console::new(Box::new(io::sink()), Box::new(said.reopen().expect("a second handle")));
    let mut context = Context { store: store.clone(), clock: Arc::clone(&world.clock) as _, console };
    let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
    let said = std::fs::read_to_string(said.path()).expect("text");
    assert_eq!(exit, Exit::Done, "{what}: {said}");
}

/// Every role, with the organisation that it sees; none where that is all of them.
fn callers(cast: &Cast) -> [(&Person, Option<u64>); 6] {
    [
        (&cast.manager_1, Some(1)),
        (&cast.provider, None),
        (&cast.admin_1, Some(1)),
        (&cast.provider_in_1, None),
        (&cast.admin_2, Some(2)),
        (&cast.manager_2, Some(2)),
    ]
}

/// Makes random requests of every caller and holds the answers against the town.
async fn ask_at_random(world: &World, cast: &Cast, town: &Town, dice: &mut fastrand::Rng, round: &str) {
    ask_some(world, cast, town, dice, (round, REQUESTS, |_| true)).await;
}

/// The same with so many requests, of those paths that fit.
pub(crate) async fn ask_some(
    world: &World,
    cast: &Cast,
    town: &Town,
    dice: &mut fastrand::Rng,
    (round, requests, fits): (&str, usize, fn(&str) -> bool),
) {
    let all = town.sorted();
    let callers = callers(cast).map(|(caller, org)| {
        let sees =
            |(review, _): &(&presence::domain::review::Review, &str)| org.is_none_or(|org| review.org_id.get() == org);
        (caller, all.iter().copied().filter(sees).collect::<Vec<_>>())
    });
    let wishes = (0..requests).zip(callers.iter().cycle()).map(|(number, (caller, seen))| {
        let wish =
            std::iter::repeat_with(|| Wish::make(dice, seen)).find(|wish| fits(&wish.path)).expect("one that fits");
        async move {
            let reply = world.get(&wish.path, &caller.key).await;
            (format!("{round}, {number}: {} {}", caller.email, wish.path), wish, reply)
        }
    });
    let mut answers = stream::iter(wishes).buffered(AT_ONCE);
    while let Some((what, wish, reply)) = answers.next().await {
        assert_eq!(reply.status, 200, "{what}: {}", reply.text);
        let mut body = reply.json();
        let reviews = body.as_object_mut().and_then(|body| body.remove("reviews")).unwrap_or_default();
        assert_eq!(body, wish.envelope, "{what}");
        let shown: Vec<_> = reviews.as_array().into_iter().flatten().map(|review| &review["id"]).collect();
        assert_eq!(shown, wish.ids.iter().collect::<Vec<_>>(), "{what}");
        assert_eq!(reviews.get(0).unwrap_or(&Value::Null), &wish.first, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_random_request_is_answered_as_a_brute_force_model_says_before_and_after_changes() {
    let mut dice = dice("reviews oracle");
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let mut town = Town::build(&mut dice, REVIEWS);
    let (orgs, shops) = town.places();
    import(&world, "orgs", &orgs).await;
    import(&world, "businesses", &shops).await;
    world.stack.fill_reviews(&town.reviews()).expect("the table can be filled");
    assert!(town.crowd() > WHOLE_MONTH, "{} in the crowded month", town.crowd());
    ask_at_random(&world, &cast, &town, &mut dice, "at first").await;

    import(&world, "reviews", &town.change(&mut dice, CHANGES, NEWCOMERS)).await;
    town.move_shops();
    import(&world, "businesses", &town.places().1).await;
    assert!(town.crowd() > WHOLE_MONTH, "{} in the crowded month", town.crowd());
    ask_at_random(&world, &cast, &town, &mut dice, "changed").await;

    town.move_shops();
    import(&world, "businesses", &town.places().1).await;
    import(&world, "reviews", &town.restore(&mut dice)).await;
    import(&world, "reviews", &town.change(&mut dice, CHANGES, 0)).await;
    ask_at_random(&world, &cast, &town, &mut dice, "changed back").await;
    let audit = world.store().audit_reviews(None).await.expect("the store answers");
    assert_eq!(audit.findings, []);
}
