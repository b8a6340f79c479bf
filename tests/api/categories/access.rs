//! Access: every role reads all categories. `authorization` has the keys that give no access.

use presence_tests::Fixtures;

use super::{DIRECTORY, load, parse};

const PATHS: [&str; 3] = ["/category/search?lang=GB", "/category/c-bank?lang=GB", "/category/nowhere?lang=GB"];

#[tokio::test(flavor = "multi_thread")]
async fn every_role_reads_the_same() {
    let (stack, fixtures) = Fixtures::start().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let callers = [
        &fixtures.provider,
        &fixtures.provider_in_1,
        &fixtures.admin_1,
        &fixtures.manager_1,
        &fixtures.admin_2,
        &fixtures.manager_2,
    ];
    for (path, status) in PATHS.into_iter().zip([200, 200, 404]) {
        let first = stack.get(path, &fixtures.provider.key).await;
        assert_eq!(first.status, status, "{path}: {}", first.text);
        for caller in callers {
            let reply = stack.get(path, &caller.key).await;
            assert_eq!((reply.status, &reply.text), (status, &first.text), "{path} by {}", caller.email);
        }
    }
}
