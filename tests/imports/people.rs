//! Import beside people who set states and reply: no change of a person is lost, none of a newer row, and counts are exact throughout.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{self, StreamExt as _};
use presence_domain::ids::UserId;
use presence_domain::review::{ReplyText, Review, ReviewRow, ReviewState};
use presence_domain::text::city_key;
use presence_domain::user::{Role, Status};
use presence_ops::Exit;
use presence_runtime::clock::Clock as _;
use presence_tests::ops::import;
use presence_tests::reviews::org_id;
use presence_tests::{Fixtures, TestUser, send, setting};
use serde_json::json;

use super::concurrent_search::statistics;
use super::import_env::ImportEnv;

/// Rows of the import, and people beside it. `PRESENCE_IMPORT_ROWS` and `PRESENCE_IMPORT_PEOPLE` give other numbers.
const ROWS: usize = 1_000;
const PEOPLE: usize = 20;
/// Reviews that each person deals with.
const REVIEWS_OF_EACH: usize = 3;
/// People who are at work at the same time.
const AT_ONCE: usize = 20;
/// Reviews that are read at once.
const CHUNK: usize = 100;

/// Act of a person.
#[derive(Clone, Copy, Debug)]
enum Act {
    Reply,
    Set(ReviewState),
}

/// Returns what somebody does to a review.
fn acts_on(number: usize) -> &'static [Act] {
    let acts: [&[Act]; 2] = [&[Act::Set(ReviewState::Treated)], &[Act::Reply, Act::Set(ReviewState::NotTreated)]];
    acts[number % 2]
}

/// Returns the row of the first import about a review.
fn first_row(number: usize) -> String {
    row(number, "First", &json!({ "seen_at": "2026-03-01T11:00:00Z" }))
}

/// Returns the row of the import beside people, who are at work at noon: from before that, of later, of an author who wrote again, or of a
/// partner who shows the reply.
fn second_row(number: usize) -> String {
    let more = [
        json!({ "seen_at": "2026-03-01T11:30:00Z" }),
        json!({ "seen_at": "2026-03-01T12:10:00Z" }),
        json!({ "seen_at": "2026-03-01T12:10:00Z", "update_date": "2026-03-01T12:05:00" }),
        json!({ "seen_at": "2026-03-01T12:10:00Z", "reply_comment": "Merci" }),
    ];
    row(number, "Second", &more[number / 2 % more.len()])
}

fn row(number: usize, title: &str, more: &serde_json::Value) -> String {
    let mut row = json!({
        "business_id": (["s1", "s2"][number / 8 % 2]), "partner": "partner_8", "partner_id": format!("review {number}"),
        "date": "2025-02-01", "rating": number % 5 + 1, "title": title, "state": "not_treated",
    });
    for (name, value) in more.as_object().expect("fields") {
        row[name] = value.clone();
    }
    row.to_string()
}

struct People {
    env: ImportEnv,
    fixtures: Fixtures,
    users: Vec<TestUser>,
    rows: usize,
}

impl People {
    async fn start() -> Self {
        let env = ImportEnv::new().await;
        let fixtures = Fixtures::create(&env.stack).await;
        let mut users = Vec::new();
        for number in 0..setting("PRESENCE_IMPORT_PEOPLE", PEOPLE) {
            users.push(env.stack.create_user(&format!("p{number}"), Role::OrgAdmin, Some(1), Status::Active).await);
        }
        let people = Self { env, fixtures, users, rows: setting("PRESENCE_IMPORT_ROWS", ROWS) };
        people.import(first_row).await;
        people
    }

    async fn import(&self, row: fn(usize) -> String) {
        let rows: Vec<String> = (0..self.rows).map(row).collect();
        let stack = &self.env.stack;
        let output = import(stack.stores(), stack.clock.clone(), "reviews", &rows.join("\n")).await;
        output.expect(Exit::Done);
    }

    /// Returns the review that a line says, at the place of its business.
    fn review(&self, line: &str) -> Review {
        let row = ReviewRow::parse(line, self.env.stack.clock.now()).expect("a row");
        let city = if row.business_id().as_str() == "s1" { "Saint-Étienne" } else { "Lyon" };
        row.into_review(org_id(1), &city_key(city))
    }

    /// Returns the numbers of the reviews that a person deals with, which nobody else does.
    fn reviews_of(&self, person: usize) -> impl Iterator<Item = usize> {
        let share = self.rows / self.users.len();
        (0..REVIEWS_OF_EACH).map(move |index| person * share + index * share / REVIEWS_OF_EACH)
    }

    /// Lets a person deal with its reviews, one after the other.
    async fn work(&self, person: usize) {
        for number in self.reviews_of(person) {
            let id = self.review(&first_row(number)).id;
            for act in acts_on(number) {
                let (path, body) = match act {
                    Act::Reply => ("/reply", json!({ "content": "Merci" })),
                    Act::Set(state) => ("", json!({ "state": state.as_str() })),
                };
                let request = self.env.stack.request("PUT", &format!("/reviews/{}{path}", id.as_str()));
                let reply = send(request.header("x-api-key", &self.users[person].key).json(&body)).await;
                assert_eq!(reply.status, 200, "{act:?} {number}: {}", reply.text);
            }
        }
    }

    /// Asks for statistics until all is done: each review is in one state, always.
    async fn count(&self, done: &AtomicUsize) {
        while done.load(Ordering::Relaxed) < 2 {
            for query in ["group_by=month", "group_by=business"] {
                let counted = statistics(&self.env, &self.fixtures.admin_1.key, query).await;
                assert_eq!(counted["count"], self.rows, "{query}");
            }
        }
    }

    /// Returns what a review may be in the end: the acts in their order, with the row at any place among them.
    fn possible(&self, number: usize, by: Option<usize>) -> Vec<Review> {
        let (first, second) = (self.review(&first_row(number)), self.review(&second_row(number)));
        let meet = |review: &Review| Review::accept(Some(review), &second).review;
        let acts = by.map_or(&[][..], |_| acts_on(number));
        let apply = |review: Review, act: &Act| {
            let at = self.env.stack.clock.now();
            match act {
                Act::Set(state) => review.set_state(*state, at).expect("not deleted").unwrap_or(review),
                Act::Reply => {
                    let by = UserId::parse(&self.users[by.expect("a person")].id).expect("an id");
                    review.reply_with(ReplyText::parse("Merci").expect("a text"), by, at).expect("not deleted")
                }
            }
        };
        let ends = (0..=acts.len()).map(|place| {
            let before = acts[..place].iter().fold(Review::accept(None, &first).review, apply);
            acts[place..].iter().fold(meet(&before), apply)
        });
        ends.collect()
    }

    async fn check(&self) {
        let mut workers = vec![None; self.rows];
        for person in 0..self.users.len() {
            self.reviews_of(person).for_each(|number| workers[number] = Some(person));
        }
        let numbers: Vec<usize> = (0..self.rows).collect();
        for chunk in numbers.chunks(CHUNK) {
            let wanted: Vec<Review> = chunk.iter().map(|number| self.review(&first_row(*number))).collect();
            let stored = self.env.stack.stores().reviews.find_stored_reviews(&wanted).await.expect("the store answers");
            for (number, stored) in chunk.iter().zip(stored) {
                let (stored, possible) = (stored.expect("a review"), self.possible(*number, workers[*number]));
                let is_possible = possible.iter().any(|review| review.content_eq(&stored));
                assert!(is_possible, "review {number}:\n{stored:?}\nis none of\n{possible:?}");
            }
        }
        assert_eq!(self.env.audit().await, []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn import_beside_people_loses_no_change_of_either_and_counts_stay_exact() {
    let people = &Box::new(People::start().await);
    let done = &AtomicUsize::new(0);
    let importing = async {
        people.import(second_row).await;
        done.fetch_add(1, Ordering::Relaxed);
    };
    let working = async {
        stream::iter(0..people.users.len()).for_each_concurrent(AT_ONCE, |person| people.work(person)).await;
        done.fetch_add(1, Ordering::Relaxed);
    };
    futures::join!(importing, working, people.count(done));
    people.check().await;
}
