//! Rules of every operation on users: parsing, keys, paths, media types, sizes and the order of checks.

mod api_keys;
mod check_order;
mod media_types_and_sizes;
mod parsing;
mod paths;

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [api_keys::cases(), media_types_and_sizes::cases(), check_order::cases(), paths::cases(), parsing::cases()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_parsing_gets_its_answer() {
    CaseRunner::start().await.run(&parsing::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_paths_media_types_and_sizes_gets_its_answer() {
    let mut runner = CaseRunner::start().await;
    runner.run(&paths::cases()).await;
    runner.run(&media_types_and_sizes::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_come_in_the_documented_order() {
    CaseRunner::start().await.run(&check_order::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_api_keys_gets_its_answer() {
    CaseRunner::start().await.run(&api_keys::cases()).await;
}
