//! States of a link, in every language and for every method.

use jiff::SignedDuration;
use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Lang, Role, Status};
use presence_runtime::clock::Clock as _;
use presence_tests::invitations::{LIFE, form};
use presence_tests::{Reply, TestStack, TestUser, send};
use presence_texts::{Notice, Texts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkState {
    Open,
    Expired,
    Used,
    Replaced,
    Unknown,
}

impl LinkState {
    const ALL: [Self; 5] = [Self::Open, Self::Expired, Self::Used, Self::Replaced, Self::Unknown];

    /// Returns the notice on the page, or nothing for the form.
    fn notice(self, texts: &Texts) -> Option<Notice> {
        match self {
            Self::Open => None,
            Self::Expired => Some(texts.page.expired),
            Self::Used => Some(texts.page.used),
            Self::Replaced => Some(texts.page.replaced),
            Self::Unknown => Some(texts.page.unknown),
        }
    }

    /// Returns the statuses of GET and HEAD, of POST with an invalid password, and of POST with a valid one.
    fn statuses(self) -> [u16; 3] {
        match self {
            Self::Open => [200, 400, 200],
            Self::Expired | Self::Used | Self::Replaced => [410; 3],
            Self::Unknown => [404; 3],
        }
    }

    /// Adds a link in this state to the user, sets the language, and returns the token.
    async fn add_link(self, stack: &TestStack, person: &TestUser, lang: Option<Lang>) -> ActivationToken {
        let now = stack.clock.now();
        let token = ActivationToken::generate();
        let sent_at = if self == Self::Expired { now - LIFE } else { now - LIFE + SignedDuration::from_millis(1) };
        stack
            .rewrite(&person.id, |user| {
                user.lang = lang;
                if self != Self::Unknown {
                    user.links.add(token.hash(), sent_at, LIFE);
                }
                if self == Self::Used {
                    user.links.use_up();
                }
                let newer = ActivationToken::generate().hash();
                if self == Self::Replaced {
                    user.links.add(newer, now, LIFE);
                    user.links.was_sent(newer);
                }
            })
            .await;
        token
    }
}

async fn invited(stack: &TestStack, local: &str) -> TestUser {
    stack.create_user(local, Role::BusinessManager, Some(1), Status::Invited).await
}

/// Asserts that the page has the notice, or the form, in the language.
fn assert_page_text(reply: &Reply, texts: &Texts, notice: Option<Notice>, what: &str) {
    assert!(reply.text.contains(&format!("<html lang=\"{}\">", texts.lang.as_str())), "{what}: {}", reply.text);
    let texts_of_page = notice.map_or([texts.page.title, texts.page.intro], |notice| [notice.title, notice.text]);
    assert!(texts_of_page.iter().all(|text| reply.text.contains(text)), "{what}: {}", reply.text);
    assert_eq!(reply.text.contains("<form"), notice.is_none(), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_state_has_its_page_in_every_language_and_for_every_method() {
    let stack = TestStack::start().await;
    for lang in Lang::ALL {
        let texts = Texts::of(lang);
        for state in LinkState::ALL {
            let person = invited(&stack, &format!("{}-{state:?}", lang.as_str())).await;
            let token = state.add_link(&stack, &person, Some(lang)).await;
            // An unknown link shows nothing of its user, so the page takes the language of the browser.
            let accepted = if state == LinkState::Unknown { lang.as_str() } else { "nl, pt;q=0.5, de;q=0.4" };
            let ask = |method| stack.page(method).header("accept-language", accepted);
            let before = stack.snapshot().await;
            let link = [("user", person.id.as_str()), ("token", token.expose())];
            let [seen, refused, accepted] = state.statuses();
            let what = format!("{lang:?} {state:?}");

            let get = send(ask("GET").query(&link)).await;
            assert_eq!(get.status, seen, "GET {what}");
            assert_page_text(&get, texts, state.notice(texts), &what);
            let head = send(ask("HEAD").query(&link)).await;
            assert_eq!((head.status, head.text.as_str()), (seen, ""), "HEAD {what}");
            let short = send(ask("POST").form(&form(&person.id, &token, "canar", "canar"))).await;
            assert_eq!(short.status, refused, "bad POST {what}");
            assert_page_text(&short, texts, state.notice(texts), &what);
            let says_why = short.text.contains(&(texts.page.too_short)(6)) && short.text.contains(texts.page.wrong);
            assert_eq!(says_why, state == LinkState::Open, "{what}");
            assert_eq!(stack.snapshot().await, before, "nothing changed: {what}");

            let good = send(ask("POST").form(&form(&person.id, &token, "canary-pass-1", "canary-pass-1"))).await;
            assert_eq!(good.status, accepted, "POST {what}");
            let done = Some(texts.page.done).filter(|_| state == LinkState::Open);
            assert_page_text(&good, texts, done.or(state.notice(texts)), &what);
            assert_eq!(stack.snapshot().await != before, state == LinkState::Open, "{what}");
        }
    }
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_language_gets_that_of_the_browser_or_english() {
    let stack = TestStack::start().await;
    let person = invited(&stack, "no-language").await;
    let token = LinkState::Open.add_link(&stack, &person, None).await;
    for (accepted, lang) in [
        (Some("fr-CH, en;q=0.9"), Lang::Fr),
        (Some("nl, it;q=0.3, es;q=0.7"), Lang::Es),
        (Some("nl"), Lang::En),
        (Some("*;;=\u{e9}"), Lang::En),
        (None, Lang::En),
    ] {
        let mut request = stack.page("GET").query(&[("user", person.id.as_str()), ("token", token.expose())]);
        if let Some(accepted) = accepted {
            request = request.header("accept-language", accepted);
        }
        assert_page_text(&send(request).await, Texts::of(lang), None, &format!("{accepted:?}"));
    }
}

/// Returns the headers without those that differ from answer to answer.
fn constant_headers(reply: &Reply) -> reqwest::header::HeaderMap {
    let mut headers = reply.headers.clone();
    for name in ["x-request-id", "apigw-requestid", "date"] {
        headers.remove(name);
    }
    headers
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answers_to_all_unknown_links_are_equal() {
    let stack = TestStack::start().await;
    let (person, other) = (invited(&stack, "one").await, invited(&stack, "other").await);
    let (token, others, none) =
        (stack.link(&person.id).await, stack.link(&other.id).await, ActivationToken::generate());
    let gone = invited(&stack, "gone").await;
    let of_gone = stack.link(&gone.id).await;
    let provider = stack.create_user("provider", Role::Provider, None, Status::Active).await;
    assert_eq!(stack.delete(&format!("/user/{}", gone.id), &provider.key).await.status, 200);
    let (id, good, cut) = (person.id.as_str(), token.expose(), &token.expose()[..42]);
    let zero = format!("0{id}");
    let links: [(&str, &[(&str, &str)]); 13] = [
        ("an unknown token", &[("user", id), ("token", none.expose())]),
        ("another user's token", &[("user", id), ("token", others.expose())]),
        ("an unknown user", &[("user", "4711"), ("token", good)]),
        ("a deleted user", &[("user", &gone.id), ("token", of_gone.expose())]),
        ("a malformed user", &[("user", "me"), ("token", good)]),
        ("another spelling of the user", &[("user", &zero), ("token", good)]),
        ("a cut token", &[("user", id), ("token", cut)]),
        ("no token", &[("user", id)]),
        ("no user", &[("token", good)]),
        ("nothing", &[]),
        ("two tokens", &[("user", id), ("token", good), ("token", good)]),
        ("markup", &[("user", "\"><script>"), ("token", "'><script>")]),
        ("control characters", &[("user", "1\0"), ("token", "\r\nset-cookie: a=b")]),
    ];
    let expected = send(stack.page("GET")).await;
    assert_eq!(expected.status, 404);
    let password = [("password", "canary-pass-1"), ("confirmation", "canary-pass-1")];
    for (what, link) in links {
        let get = send(stack.page("GET").query(link)).await;
        let fields: Vec<_> = link.iter().chain(&password).collect();
        let post = send(stack.page("POST").form(&fields)).await;
        for reply in [get, post] {
            assert_eq!((reply.status, &reply.text), (404, &expected.text), "{what}");
            assert_eq!(constant_headers(&reply), constant_headers(&expected), "{what}");
        }
    }
    assert_eq!(stack.follow(&person.id, &token).await.status, 200, "the link itself stays valid");
    let tracked = [("utm_source", "mail"), ("user", id), ("token", good), ("fbclid", "%ff")];
    assert_eq!(
        send(stack.page("GET").query(&tracked)).await.status,
        200,
        "parameters that others append to a link are ignored"
    );
}
