//! `POST /api/v2/user`

mod addresses;
mod fields;
mod invitations;
mod places;

use super::fixture::Fixture;
use super::row::Row;

pub(super) fn rows() -> Vec<Row> {
    [addresses::rows(), fields::rows(), invitations::rows(), places::rows()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn create_reads_its_fields_as_the_table_says() {
    Fixture::open().await.run(&fields::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_tells_addresses_apart_as_the_table_says() {
    Fixture::open().await.run(&addresses::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_invites_and_sets_passwords_as_the_table_says() {
    Fixture::open().await.run(&invitations::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_puts_users_into_organisations_as_the_table_says() {
    Fixture::open().await.run(&places::rows()).await;
}
