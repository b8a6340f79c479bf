//! Page after an invitation was accepted: it leads to the page where users sign in, if there is one.

use presence_domain::user::{Lang, Role, Status};
use presence_local::Options;
use presence_runtime::sign_in_url::SignInUrl;
use presence_tests::{Reply, TestStack, long_timeouts};
use presence_texts::Texts;

const URL: &str = "https://app.example.com/sign-in?from=invitation&new=1";

/// Accepts an invitation in a language, and returns the page.
async fn accept(stack: &TestStack, lang: Lang) -> Reply {
    let person = stack.create_user(lang.as_str(), Role::BusinessManager, Some(1), Status::Invited).await;
    stack.rewrite(&person.id, |user| user.lang = Some(lang)).await;
    let token = stack.link(&person.id).await;
    let done = stack.accept(&person.id, &token, "canary-pass-1").await;
    assert_eq!(done.status, 200, "{}", done.text);
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn page_after_an_invitation_links_to_the_page_where_users_sign_in() {
    let sign_in_url = SignInUrl::parse(URL).expect("a good address");
    let stack = TestStack::with(Options { sign_in_url, ..long_timeouts() }).await;
    for lang in Lang::ALL {
        let (page, texts) = (accept(&stack, lang).await.text, &Texts::of(lang).page);
        let escaped = URL.replace('&', "&#38;");
        let link = format!("<a class=\"button\" href=\"{escaped}\">{}</a>", texts.sign_in);
        assert_eq!(page.matches("<a ").count(), 1, "{page}");
        assert!(page.contains(&link) && page.contains(texts.ready_to_sign_in), "{lang:?}: {page}");
        assert!(!page.contains(texts.done.text), "{lang:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_after_an_invitation_promises_no_sign_in_without_such_a_page() {
    let stack = TestStack::start().await;
    for lang in Lang::ALL {
        let (page, texts) = (accept(&stack, lang).await.text, &Texts::of(lang).page);
        assert!(page.contains(texts.done.text), "{lang:?}: {page}");
        for promise in ["<a ", texts.sign_in, texts.ready_to_sign_in] {
            assert!(!page.contains(promise), "{lang:?}: {promise}");
        }
    }
}
