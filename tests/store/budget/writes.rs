//! Cost of writes.

use jiff::SignedDuration;
use presence_tests::Cost;
use presence_tests::{TestStack, address};
use serde_json::{Value, json};

use super::{assert_costs, reading, warm};
use crate::store::bulk;

/// Units of the record that each change leaves in the audit trail, whatever it changes: 2, and 1 for each of two indexes.
const RECORD: f64 = 4.0;

/// Returns the cost of the key, one read of the user or of businesses, and one transaction, with its record.
fn changing(read_units: f64, write_units: f64) -> Cost {
    Cost { calls: 3, waves: 3, read_units, write_units: write_units + RECORD }
}

fn new(local: &str, more: &Value) -> Value {
    let mut body = json!({"email": address(local), "first_name": "Ada", "last_name": "Lovelace"});
    let fields = more.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
    body.as_object_mut().expect("an object").extend(fields);
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_is_one_transaction_and_reads_only_businesses() {
    let (stack, fixtures) = warm().await;
    let key = &fixtures.admin_1.key;
    // User 2 + 1 for its listing + 1 for its address, lock 2, head 2, entry of the log of changes 2; a mail 2 + 1 for its place in the
    // queue, and 2 for the look that its address has no mark.
    let rows = [
        ("active", json!({}), 2, 1.0, 10.0),
        ("active with a password", json!({"password": "canary-pass-1"}), 2, 1.0, 10.0),
        ("invited", json!({"status": "invited"}), 2, 1.0, 15.0),
        ("invited silently", json!({"status": "invited", "send_invitation": false}), 2, 1.0, 10.0),
        ("with businesses", json!({"business_ids": ["b1-1", "b1-2", "b1-1"]}), 3, 3.0, 10.0),
    ];
    for (number, (what, more, calls, read_units, write_units)) in rows.into_iter().enumerate() {
        let reply = stack.post("/user", key, &new(&format!("new-{number}"), &more)).await;
        assert_costs(what, &reply, 200, Cost { calls, waves: calls, ..changing(read_units, write_units) });
    }
    // Whether it exists is read with the businesses.
    let foreign = new("foreign", &json!({"org_id": 2, "business_ids": ["b2-1"]}));
    let reply = stack.post("/user", &fixtures.provider.key, &foreign).await;
    assert_costs("in another organisation", &reply, 200, changing(3.0, 10.0));
    let refused = stack.post("/user", &fixtures.manager_1.key, &new("no", &json!({}))).await;
    assert_costs("not allowed", &refused, 403, reading(1, 1, 1.0));
    let unknown = stack.post("/user", key, &new("no", &json!({"business_ids": ["b2-1", "zz"]}))).await;
    assert_costs("unknown businesses", &unknown, 400, reading(2, 2, 3.0));
    let taken = stack.post("/user", key, &new("new-0", &json!({}))).await;
    assert_costs("address taken", &taken, 400, reading(2, 2, 1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_businesses_are_read_in_one_wave() {
    let (stack, fixtures) = warm().await;
    bulk::businesses(&stack, 1, 500).await;
    let ids: Vec<String> = (1..=500).map(|number| format!("many-{number}")).collect();
    let reply = stack.post("/user", &fixtures.admin_1.key, &new("busy", &json!({"business_ids": ids}))).await;
    // Five batches of a hundred; the user has 5 KB, and its entries of two indexes still 1.
    let budget = Cost { calls: 7, waves: 3, ..changing(1.0 + 500.0, 2.0 * 5.0 + 2.0 + 6.0) };
    assert_costs("500 businesses", &reply, 200, budget);
}

#[tokio::test(flavor = "multi_thread")]
async fn updating_is_one_read_and_one_transaction() {
    let (stack, fixtures) = warm().await;
    let key = &fixtures.provider.key;
    // User 2, its listing 1 (2 where it moves within the index), head 2 and log 2 of each organisation, keys 2 each. In email-index 1
    // for another status or organisation, 2 for another address.
    let rows = [
        ("phone", json!({"phone": "+33 4"}), changing(2.0, 7.0)),
        ("password", json!({"password": "canary-pass-2"}), changing(2.0, 7.0)),
        ("last name", json!({"last_name": "King"}), changing(2.0, 8.0)),
        ("e-mail, two locks", json!({"email": address("king")}), changing(2.0, 13.0)),
        ("e-mail, the same mailbox", json!({"email": address("KING")}), changing(2.0, 7.0)),
        ("role, one key", json!({"role": "ORG_ADMIN"}), changing(2.0, 9.0)),
        ("businesses", json!({"business_ids": ["b1-1"]}), Cost { calls: 4, ..changing(3.0, 7.0) }),
        // The businesses that it has are not known before it is read: one more round trip, for the one update that needs it.
        // Whether the organisation exists is read beside the user, with the businesses.
        (
            "move, businesses do not fit",
            json!({"org_id": 2}),
            Cost { calls: 4, write_units: 0.0, ..changing(4.0, 0.0) },
        ),
        ("move", json!({"org_id": 2, "business_ids": ["b2-1"]}), Cost { calls: 4, ..changing(4.0, 15.0) }),
        ("invited, a mail, one key", json!({"status": "invited"}), changing(2.0, 16.0)),
        ("active, no mail", json!({"status": "active", "password": "canary-pass-3"}), changing(2.0, 14.0)),
    ];
    let path = format!("/user/{}", fixtures.manager_1.id);
    for (what, change, budget) in rows {
        let status = if budget.write_units > 0.0 { 200 } else { 400 };
        assert_costs(what, &stack.post(&path, key, &change).await, status, budget);
    }
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_without_effect_writes_nothing() {
    let (stack, fixtures) = warm().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let same = json!({
        "last_name": "manager-1", "role": "BUSINESS_MANAGER", "status": "active", "org_id": 1, "phone": null,
        "email": fixtures.manager_1.email,
    });
    for (what, change) in [("empty", json!({})), ("the same", same)] {
        let before = stack.snapshot().await;
        assert_costs(what, &stack.post(&path, &fixtures.admin_1.key, &change).await, 200, reading(2, 2, 2.0));
        assert_eq!(stack.snapshot().await, before, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_and_inviting_are_one_read_and_one_transaction() {
    let (stack, fixtures) = warm().await;
    let key = &fixtures.admin_1.key;
    let invited = &fixtures.invited_1.id;
    // User 2 + 1, head 2, log 2, mail 2 + 1, and 2 for the look that the address has no mark.
    assert_costs("invite", &stack.invite(invited, key).await, 200, changing(2.0, 12.0));
    // A caller who would be told to wait is told of a mark instead, if there is one.
    assert_costs("too soon", &stack.invite(invited, key).await, 429, reading(3, 3, 3.0));
    assert_costs("not invited", &stack.invite(&fixtures.manager_1.id, key).await, 400, reading(2, 2, 2.0));
    stack.clock.advance(SignedDuration::from_mins(5));
    assert_costs("again, over a mail that waits", &stack.invite(invited, key).await, 200, changing(2.0, 15.0));
    // User 2 + 1 + 1, lock 2, head 2, log 2, and what it leaves behind: a mail 2 + 1, a key 2.
    assert_costs("delete with a mail", &delete(&stack, invited, key).await, 200, changing(2.0, 13.0));
    assert_costs("delete with a key", &delete(&stack, &fixtures.manager_1.id, key).await, 200, changing(2.0, 12.0));
    assert_costs("delete again", &delete(&stack, invited, key).await, 404, reading(2, 2, 2.0));
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_costs_one_read_unit_and_the_write_of_the_answer_and_no_wave() {
    let (stack, fixtures) = warm().await;
    let (key, id) = (&fixtures.admin_1.key, &fixtures.other_manager_1.id);
    let send = |method, path: String, body: Option<Value>, idempotency_key| {
        let request = stack.request(method, &path).header("x-api-key", key).header("idempotency-key", idempotency_key);
        presence_tests::send(match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        })
    };
    let with_answer = |cost: Cost| Cost {
        calls: cost.calls + 1,
        read_units: cost.read_units + 1.0,
        write_units: cost.write_units + 2.0,
        ..cost
    };
    let path = || format!("/user/{id}");
    let create = || send("POST", "/user".to_owned(), Some(new("once", &json!({}))), "create");
    let cost = with_answer(Cost { calls: 2, waves: 2, ..changing(1.0, 10.0) });
    assert_costs("create", &create().await, 200, cost);
    let update = || send("POST", path(), Some(json!({"phone": "+33 4"})), "update");
    assert_costs("update", &update().await, 200, with_answer(changing(2.0, 7.0)));
    // A write of its own costs half as much as one in a transaction.
    let nothing = || send("POST", path(), Some(json!({})), "nothing");
    let cost = Cost { calls: 4, waves: 3, read_units: 3.0, write_units: 1.0 };
    assert_costs("an update without effect", &nothing().await, 200, cost);
    let invite = || send("POST", format!("/user/{}/invite", fixtures.invited_1.id), None, "invite");
    assert_costs("invite", &invite().await, 200, with_answer(changing(2.0, 12.0)));
    for again in [create().await, update().await, nothing().await, invite().await] {
        assert_costs("again", &again, 200, reading(2, 1, 2.0));
    }
    let other = send("POST", path(), Some(json!({"phone": "+33 5"})), "update").await;
    assert_costs("another body", &other, 422, reading(2, 1, 2.0));
    // A refusal looks once more: an answer may have been kept meanwhile.
    let refused = send("POST", path(), Some(json!({"phone": "x"})), "refused").await;
    assert_costs("refused", &refused, 400, reading(4, 3, 5.0));
}

async fn delete(stack: &TestStack, id: &str, key: &str) -> presence_tests::Reply {
    stack.delete(&format!("/user/{id}"), key).await
}
