//! `POST /api/v2/user`

mod addresses;
mod fields;
mod invitations;
mod places;

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [addresses::cases(), fields::cases(), invitations::cases(), places::cases()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn create_reads_its_fields_as_the_table_says() {
    CaseRunner::start().await.run(&fields::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_tells_addresses_apart_as_the_table_says() {
    CaseRunner::start().await.run(&addresses::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_invites_and_sets_passwords_as_the_table_says() {
    CaseRunner::start().await.run(&invitations::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn create_puts_users_into_organisations_as_the_table_says() {
    CaseRunner::start().await.run(&places::cases()).await;
}
