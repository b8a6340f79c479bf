//! One mail for each address in five minutes, whoever owns it in between.

use std::sync::Arc;

use jiff::SignedDuration;
use presence::domain::ids::UserId;
use presence::domain::invitation::WINDOW;
use presence_mailer::{Delivered, handle};
use presence_tests::{Cast, World, address};
use serde_json::json;

use super::office::{Fate, Office, Worker, deadline, sweep};

/// Owners of addresses, and the mailer.
struct Town {
    world: World,
    cast: Cast,
    office: Arc<Office>,
    worker: Worker,
}

impl Town {
    async fn start() -> Self {
        let world = World::start().await;
        let cast = Cast::enter(&world).await;
        let office = Office::new(&world);
        let worker = Worker::new(&world, &office);
        Self { world, cast, office, worker }
    }

    async fn create(&self, local: &str) -> String {
        let body = json!({ "email": address(local), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = self.world.post("/user", &self.cast.admin_1.key, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["id"].as_str().expect("an id").to_owned()
    }

    async fn delete(&self, id: &str) {
        assert_eq!(self.world.delete(&format!("/user/{id}"), &self.cast.admin_1.key).await.status, 200);
    }

    /// Gives the user another address, and invites it there: the API accepts at once.
    async fn move_to(&self, id: &str, local: &str) {
        let body = json!({ "email": address(local) });
        let moved = self.world.post(&format!("/user/{id}"), &self.cast.admin_1.key, &body).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        assert_eq!(self.world.invite(id, &self.cast.admin_1.key).await.status, 200);
    }

    async fn deliver(&self, id: &str) -> Delivered {
        self.worker.outbox.deliver(UserId::parse(id).expect("an id")).await.expect("a delivery")
    }

    fn wait(&self, time: SignedDuration) {
        self.world.clock.advance(time);
    }

    async fn sweep(&self) {
        let swept = handle(&self.worker.outbox, &sweep(), deadline()).await;
        assert!(swept.is_ok_and(|answer| answer.failures.is_empty()));
    }

    fn mails(&self, local: &str) -> usize {
        self.office.taken(&address(local)).len()
    }

    async fn nothing_is_wrong(&self) {
        assert_eq!(self.office.too_soon(), Vec::<String>::new());
        assert_eq!(self.world.audit().await, []);
    }
}

const MOMENT: SignedDuration = SignedDuration::from_millis(250);

#[tokio::test(flavor = "multi_thread")]
async fn an_address_whose_owner_is_deleted_and_created_anew_twelve_times_is_sent_one_mail_in_five_minutes() {
    let town = Town::start().await;
    for _ in 0..12 {
        let id = town.create("guest").await;
        town.deliver(&id).await;
        town.delete(&id).await;
        town.wait(MOMENT);
    }
    let last = town.create("guest").await;
    assert_eq!(town.mails("guest"), 1);
    // The last owner's mail waits for the end of the address's window, and not a millisecond longer.
    town.deliver(&last).await;
    town.wait(WINDOW - MOMENT * 12 - SignedDuration::from_millis(1));
    town.sweep().await;
    assert_eq!(town.mails("guest"), 1);
    town.wait(SignedDuration::from_millis(1));
    town.sweep().await;
    assert_eq!(town.mails("guest"), 2);
    assert_eq!(town.office.taken(&address("guest"))[1].user_id, last);
    town.nothing_is_wrong().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_goes_to_and_fro_between_two_addresses_is_sent_one_mail_at_each_in_five_minutes() {
    let town = Town::start().await;
    let id = town.create("first").await;
    town.deliver(&id).await;
    for local in ["second", "first"].repeat(3) {
        town.move_to(&id, local).await;
        town.deliver(&id).await;
        town.wait(MOMENT);
    }
    assert_eq!((town.mails("first"), town.mails("second")), (1, 1));
    town.wait(WINDOW);
    town.sweep().await;
    assert_eq!((town.mails("first"), town.mails("second")), (2, 1), "the last of them is owed");
    town.nothing_is_wrong().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_who_swap_addresses_are_sent_no_second_mail_there_in_five_minutes() {
    let town = Town::start().await;
    let (one, other) = (town.create("first").await, town.create("second").await);
    for id in [&one, &other] {
        assert_eq!(town.deliver(id).await, Delivered::Sent);
    }
    town.move_to(&one, "between").await;
    town.move_to(&other, "first").await;
    town.move_to(&one, "second").await;
    for id in [&one, &other] {
        assert_eq!(town.deliver(id).await, Delivered::Nothing);
    }
    town.wait(WINDOW);
    town.sweep().await;
    assert_eq!((town.mails("first"), town.mails("second"), town.mails("between")), (2, 2, 0));
    town.nothing_is_wrong().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_whose_mail_was_refused_is_open_at_once_and_one_whose_mail_may_have_arrived_is_not() {
    for (fate, delivered) in [(Fate::Refused, Delivered::Sent), (Fate::Lost, Delivered::Nothing)] {
        let town = Town::start().await;
        let id = town.create("guest").await;
        town.office.set_fate(fate);
        town.deliver(&id).await;
        town.office.set_fate(Fate::Sent);
        town.delete(&id).await;
        let next = town.create("guest").await;
        assert_eq!(town.deliver(&next).await, delivered, "{fate:?}");
        town.nothing_is_wrong().await;
    }
}
