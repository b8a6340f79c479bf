//! Expiry of items: DynamoDB deletes what has expired at any time after that, often days later.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use presence_store::schema::{TABLES, Table};

use super::simulation::Simulation;

/// Condition of an item that has expired. It names `now`.
const EXPIRED: &str = "#ttl <= :now";
/// Time until the next look while there are faults.
const SOON: Duration = Duration::from_secs(15);
/// Time until the next look later.
const LATER: Duration = Duration::from_mins(20);

/// Deletes half of the expired items at each look. In a third of the runs all outlive the run.
pub(crate) async fn expire(simulation: Arc<Simulation>) {
    let (client, mut rng) = (Client::new(&simulation.instant_config()), simulation.fork_rng());
    if simulation.seed.is_multiple_of(3) {
        return pending().await;
    }
    loop {
        tokio::time::sleep(if simulation.network.is_faulty() { SOON } else { LATER }).await;
        for table in TABLES.into_iter().filter(|table| table.ttl.is_some()) {
            delete_expired(&simulation, &client, &table, &mut rng).await;
        }
    }
}

async fn delete_expired(simulation: &Simulation, client: &Client, table: &Table, rng: &mut Rng) {
    let name = simulation.truth().database.name(table);
    let now = AttributeValue::N(simulation.now().as_second().to_string());
    let scan = client.scan().table_name(&name).filter_expression(EXPIRED);
    let scan = scan.expression_attribute_names("#ttl", "ttl").expression_attribute_values(":now", now.clone());
    let mut pages = scan.into_paginator().items().send();
    while let Some(mut item) = pages.try_next().await.expect("an answer") {
        if rng.bool() {
            continue;
        }
        item.retain(|name, _| table.key.attributes().any(|(attribute, _)| name == attribute));
        let delete = client.delete_item().table_name(&name).set_key(Some(item)).condition_expression(EXPIRED);
        let delete = delete.expression_attribute_names("#ttl", "ttl").expression_attribute_values(":now", now.clone());
        delete.send().await.expect("an answer");
        simulation.writes.notify([name.as_str()]);
    }
}
