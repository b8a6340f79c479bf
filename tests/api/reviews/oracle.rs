//! Random requests against a plain list that is searched by looking at each of its reviews.

use fastrand::Rng as Dice;
use presence::domain::ids::OrgId;
use presence::domain::review::{Partner, Rating, Review, ReviewState};
use presence_tests::{Cast, World, dice};

use crate::ledger::model::{BUSINESSES, Model, pick, review, second};

const REVIEWS: usize = 500;
const REQUESTS: usize = 400;

/// What a parameter asks of a review.
type Test = Box<dyn Fn(&Review) -> bool + Send>;

/// A request, and whether a review of the caller's scope matches it.
struct Wish {
    query: Vec<String>,
    tests: Vec<Test>,
    newest_first: bool,
    page: usize,
    size: usize,
}

impl Wish {
    fn make(dice: &mut Dice) -> Self {
        let (page, size) = (1 + dice.usize(..4), pick(dice, &[1, 7, 30, 100]));
        let newest_first = dice.bool();
        let order = if newest_first { "-update_date" } else { "update_date" };
        let query = vec![format!("page={page}&per_page={size}&order_by={order}")];
        let mut wish = Self { query, tests: Vec::new(), newest_first, page, size };
        wish.cells(dice);
        wish.dates(dice);
        wish.places(dice);
        wish
    }

    fn add(&mut self, parameter: String, test: impl Fn(&Review) -> bool + Send + 'static) {
        self.query.push(parameter);
        self.tests.push(Box::new(test));
    }

    fn cells(&mut self, dice: &mut Dice) {
        if dice.u8(..3) == 0 {
            let states = some(dice, &ReviewState::ALL);
            self.add(list(dice, "state", &states, |state| state.as_str().to_owned()), move |r| {
                states.contains(&r.state)
            });
        }
        if dice.u8(..3) == 0 {
            let ratings = some(dice, &Rating::ALL);
            let parameter = list(dice, "rating__in", &ratings, |rating| rating.get().to_string());
            self.add(parameter, move |r| ratings.contains(&r.rating));
        }
        if dice.u8(..6) == 0 {
            let rating = pick(dice, &Rating::ALL);
            self.add(format!("rating={}", rating.get()), move |r| r.rating == rating);
        }
        if dice.u8(..4) == 0 {
            let partners = some(dice, &Partner::ALL);
            let parameter = list(dice, "partner__in", &partners, |partner| partner.as_str().to_owned());
            self.add(parameter, move |r| partners.contains(&r.partner));
        }
        if dice.u8(..4) == 0 {
            let without = dice.bool();
            let blank = |r: &Review| r.content.as_deref().is_none_or(|content| content.trim().is_empty());
            self.add(format!("content__isnull={without}"), move |r| blank(r) == without);
        }
    }

    fn dates(&mut self, dice: &mut Dice) {
        let effective = |r: &Review| r.update_date.unwrap_or(r.date);
        if dice.u8(..3) == 0 {
            let (text, first, _) = moment(dice);
            self.add(format!("update_date__gte={text}"), move |r| effective(r) >= first);
        }
        if dice.u8(..3) == 0 {
            let (text, _, last) = moment(dice);
            self.add(format!("update_date__lte={text}"), move |r| effective(r) <= last);
        }
    }

    fn places(&mut self, dice: &mut Dice) {
        if dice.u8(..3) == 0 {
            let ids = some(dice, &["b1", "b2", "b3", "b4", "b5", "nobody"]);
            let parameter = list(dice, "business__in", &ids, |id| (*id).to_owned());
            self.add(parameter, move |r| ids.contains(&r.business_id.as_str()));
        }
        if dice.u8(..3) == 0 {
            let spellings =
                [("evora", "%C3%89vora"), ("evora", "EVORA"), ("saint etienne", "Saint-%C3%89tienne"), ("", "Braga")];
            let (key, spelling) = pick(dice, &spellings);
            self.add(format!("business_city={spelling}"), move |r| r.city_key == key);
        }
    }

    /// The count, and the ids on the page.
    fn find(&self, reviews: &[&Review]) -> (usize, Vec<String>) {
        let mut found: Vec<_> = reviews.iter().filter(|review| self.tests.iter().all(|test| test(review))).collect();
        found.sort_by_key(|review| (review.effective_at(), review.id.clone()));
        if self.newest_first {
            found.reverse();
        }
        let page = found.iter().skip((self.page - 1) * self.size).take(self.size);
        (found.len(), page.map(|review| review.id.as_str().to_owned()).collect())
    }
}

/// At least one of them.
fn some<T: Copy>(dice: &mut Dice, of: &[T]) -> Vec<T> {
    let mut chosen: Vec<T> = of.iter().copied().filter(|_| dice.bool()).collect();
    if chosen.is_empty() {
        chosen.push(pick(dice, of));
    }
    chosen
}

/// A list in one of its two forms.
fn list<T>(dice: &mut Dice, name: &str, items: &[T], spelling: fn(&T) -> String) -> String {
    let items: Vec<_> = items.iter().map(spelling).collect();
    if dice.bool() {
        return format!("{name}={}", items.join(","));
    }
    items.iter().map(|item| format!("{name}={item}")).collect::<Vec<_>>().join("&")
}

/// A date in some form, its first and its last second.
fn moment(dice: &mut Dice) -> (String, i64, i64) {
    let at = second(dice);
    let text = |second: i64| presence::domain::instant::format_second(second)[..19].to_owned();
    match dice.u8(..3) {
        0 => (text(at)[..10].to_owned(), at - at.rem_euclid(86_400), at - at.rem_euclid(86_400) + 86_399),
        1 => (format!("{}+05:30", text(at + 19_800)), at, at),
        _ => (text(at), at, at),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_random_request_is_answered_as_a_brute_force_model_says() {
    let mut dice = dice("reviews oracle");
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    for (id, org, city) in BUSINESSES {
        world.business(org, id, city).await;
        world.store().open_book(OrgId::new(org).expect("an id")).await.expect("the store answers");
    }
    let mut model = Model::default();
    model.post(world.store(), (0..REVIEWS).map(|number| review(&mut dice, number)).collect()).await;
    let callers = [(&cast.manager_1, Some(1)), (&cast.admin_2, Some(2)), (&cast.provider, None)];
    for number in 0..REQUESTS {
        let wish = Wish::make(&mut dice);
        let (caller, org) = pick(&mut dice, &callers);
        let seen = model.reviews.values().filter(|review| org.is_none_or(|org| review.org_id.get() == org));
        let (count, ids) = wish.find(&seen.collect::<Vec<_>>());
        let path = format!("/reviews?{}", wish.query.join("&"));
        let reply = world.get(&path, &caller.key).await;
        let body = reply.json();
        let shown: Vec<_> = body["reviews"].as_array().into_iter().flatten().map(|r| r["id"].as_str()).collect();
        assert_eq!(
            shown,
            ids.iter().map(|id| Some(id.as_str())).collect::<Vec<_>>(),
            "{number}: {path} {}",
            reply.text
        );
        let pages = count.div_ceil(wish.size).max(1);
        assert_eq!(
            (&body["count"], &body["page"], &body["max_page"]),
            (&count.into(), &wish.page.into(), &pages.into()),
            "{number}: {path}"
        );
    }
}
