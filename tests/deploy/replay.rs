//! Replay of each event of `events/`: the answer of the handler is the one in `events/expected/`.

use std::collections::BTreeSet;

use presence_local::replay::{FUNCTIONS, comparable, names};

use super::fixture::{BACKGROUND, replayed};
use super::template::root;

#[tokio::test(flavor = "multi_thread")]
async fn every_event_is_answered_as_expected() {
    for (function, name, answer) in &replayed().await.answers {
        let answer = comparable(function, name, answer.clone());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(root().join("events/expected").join(function));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_json_snapshot!(name.as_str(), answer));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_in_the_name_of_an_event_is_that_of_its_answer() {
    let answers = &replayed().await.answers;
    for (function, name, answer) in answers.iter().filter(|(function, ..)| !BACKGROUND.contains(function)) {
        let named = name.rsplit('_').next().and_then(|word| word.parse().ok()).unwrap_or(200);
        assert_eq!(answer["status"], named, "{function}/{name}: {}", answer["body"]);
    }
    let statuses: BTreeSet<_> = answers.iter().filter_map(|(.., answer)| answer["status"].as_u64()).collect();
    assert_eq!(statuses, [200, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429].into());
}

#[test]
fn every_expected_answer_has_its_event() {
    for function in FUNCTIONS {
        let expected = names(&root().join("events/expected").join(function), "snap").expect("a folder");
        assert_eq!(expected, names(&root().join("events").join(function), "json").expect("a folder"), "{function}");
    }
}
