//! `POST /api/v2/user`

mod addresses;
mod fields;
mod invitations;
mod permissions;

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [addresses::cases(), fields::cases(), invitations::cases(), permissions::cases()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_created_fields_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&fields::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_created_addresses_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&addresses::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_created_invitations_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&invitations::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_create_permissions_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&permissions::cases()).await;
}
