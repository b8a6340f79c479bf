//! Page over HTTP: headers, methods, bodies, scanners, other sites, and a database that fails.

use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Lang, Role, Status};
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::invitations::form;
use presence_tests::{
    FaultConnector, FaultKind, Plan, Reply, TestStack, TestUser, in_process_client, logs, send, short_retries,
};
use presence_texts::Texts;

type Headers = &'static [(&'static str, &'static str)];

/// Creates an invited user, and returns it with a live link.
async fn create_invited(stack: &TestStack) -> (TestUser, ActivationToken) {
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    (person, token)
}

/// Asserts that the answer is a page with all security headers and nothing from other hosts.
fn assert_is_a_page(reply: &Reply, what: &str) {
    let policy = reply.header("content-security-policy");
    for part in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.split("; ").any(|directive| directive == part), "{what}: {policy}");
    }
    assert!(policy.contains("style-src 'sha256-") && !policy.contains("unsafe"), "{what}: {policy}");
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-robots-tag", "noindex, nofollow"),
    ] {
        assert_eq!(reply.header(name), value, "{what}: {name}");
        assert_eq!(reply.headers.get_all(name).iter().count(), 1, "{what}: {name}");
    }
    assert!(!reply.header("x-request-id").is_empty() && !reply.header("permissions-policy").is_empty(), "{what}");
    assert!(reply.headers.get("set-cookie").is_none(), "{what}");
    for foreign in ["<script", "http://", "https://", "url(", "@import", "<img", "<link", "style=\""] {
        assert!(!reply.text.contains(foreign), "{what}: {foreign} in {}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_of_the_page_is_a_page_with_strict_headers_and_a_line_in_the_log() {
    let stack = TestStack::start().await;
    let (person, token) = create_invited(&stack).await;
    let link = [("user", person.id.as_str()), ("token", token.expose())];
    let good = form(&person.id, &token, "canary-pass-1", "canary-pass-1");
    let big = format!("password={}", "a".repeat(128 * 1024));
    let form_type = "application/x-www-form-urlencoded; charset=UTF-8";
    let post = |media_type: &str| stack.page("POST").header("content-type", media_type);
    let requests = [
        ("the form", stack.page("GET").query(&link), 200, "invitation_page"),
        ("its head", stack.page("HEAD").query(&link), 200, "invitation_page"),
        ("no link", stack.page("GET"), 404, "invitation_page"),
        (
            "a mismatch",
            stack.page("POST").form(&form(&person.id, &token, "canary-pass", "x")),
            400,
            "accept_invitation",
        ),
        ("no fields", post(form_type), 404, "accept_invitation"),
        ("no UTF-8", post(form_type).body(&b"user=\xff&token=%ff"[..]), 404, "accept_invitation"),
        ("too large", post(form_type).body(big), 413, "accept_invitation"),
        ("JSON", post("application/json").body("{}"), 415, "accept_invitation"),
        ("no media type", stack.page("POST").body("user=1"), 415, "accept_invitation"),
        ("several parts", post("multipart/form-data; boundary=a").body("--a--"), 415, "accept_invitation"),
        ("PUT", stack.page("PUT").form(&good), 405, "none"),
        ("DELETE", stack.page("DELETE").query(&link), 405, "none"),
        ("PATCH", stack.page("PATCH").form(&good), 405, "none"),
        ("OPTIONS", stack.page("OPTIONS").query(&link), 405, "none"),
        ("an invented method", stack.page("BREW").query(&link), 405, "none"),
        ("a good password", stack.page("POST").form(&good), 200, "accept_invitation"),
        ("the used link", stack.page("GET").query(&link), 410, "invitation_page"),
    ];
    for (what, request, status, operation) in requests {
        let reply = send(request).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.text);
        assert_is_a_page(&reply, what);
        let logged = logs::request_line(reply.header("x-request-id"));
        assert_eq!((&logged["operation"], &logged["status"]), (&operation.into(), &status.into()), "{what}");
        assert_eq!(reply.header("allow"), if status == 405 { "GET, HEAD, POST" } else { "" }, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_costs_one_read_and_a_password_one_read_and_one_transaction() {
    let stack = TestStack::counting_waves().await;
    let (person, token) = create_invited(&stack).await;
    let page = stack.follow(&person.id, &token).await.cost();
    assert_eq!((page.calls, page.waves, page.read_units, page.write_units), (1, 1, 1.0, 0.0));
    let short = stack.accept(&person.id, &token, "canar").await.cost();
    assert_eq!((short.calls, short.write_units), (1, 0.0));
    let done = stack.accept(&person.id, &token, "canary-pass-1").await.cost();
    assert_eq!((done.calls, done.waves, done.read_units), (2, 2, 1.0));
    assert_eq!(send(stack.page("GET").query(&[("user", "x")])).await.logged_cost().calls, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_stays_valid_after_a_hundred_fetches_by_scanners() {
    let stack = TestStack::start().await;
    let (person, token) = create_invited(&stack).await;
    let before = stack.snapshot().await;
    let link = [("user", person.id.as_str()), ("token", token.expose())];
    let of_a_browser = [
        ("user-agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0"),
        ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
        ("sec-purpose", "prefetch;prerender"),
        ("cookie", "a=b"),
    ];
    for fetch in 0..100 {
        let mut request = stack.page(if fetch % 2 == 0 { "GET" } else { "HEAD" }).query(&link);
        if fetch % 4 >= 2 {
            request = of_a_browser.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        }
        assert_eq!(send(request).await.status, 200, "fetch {fetch}");
    }
    assert_eq!(stack.snapshot().await, before);
    assert_eq!(stack.accept(&person.id, &token, "canary-pass-1").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_site_is_refused_and_the_own_one_accepted_with_any_origin() {
    let stack = TestStack::start().await;
    let cross_site: Headers = &[("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")];
    let cases: [(&str, Headers, u16); 6] = [
        ("another site", cross_site, 403),
        ("another site that hides its origin", &[("sec-fetch-site", "cross-site"), ("origin", "null")], 403),
        ("the page itself", &[("sec-fetch-site", "same-origin"), ("origin", "null")], 200),
        ("a browser that tells nothing", &[("origin", "null")], 200),
        ("a bookmark", &[("sec-fetch-site", "none")], 200),
        ("no browser", &[], 200),
    ];
    for (number, (what, headers, status)) in cases.into_iter().enumerate() {
        let person =
            stack.create_user(&format!("sent-{number}"), Role::BusinessManager, Some(1), Status::Invited).await;
        let token = stack.link(&person.id).await;
        let request = stack.page("POST").form(&form(&person.id, &token, "canary-pass-1", "canary-pass-1"));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let reply = send(request).await;
        assert_eq!(reply.status, status, "{what}");
        assert_is_a_page(&reply, what);
        let stored = stack.stored(&person.id).await.expect("the user");
        assert_eq!(stored.user.status == Status::Active, status == 200, "{what}");
        if status == 403 {
            assert!(reply.text.contains(Texts::of(Lang::En).page.foreign.text), "{}", reply.text);
            assert!(!reply.text.contains(&person.email) && stored.has_live_link());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_database_gives_a_page_that_asks_to_try_again() {
    let faults = FaultConnector::new();
    let http_client = Some(faults.over(in_process_client()));
    let stack = TestStack::with(Options { http_client, ..short_retries() }).await;
    let (person, token) = create_invited(&stack).await;
    for (call, what) in [(1, "the read"), (2, "the write")] {
        faults.restart(Plan::At { call, kind: FaultKind::ServerError, times: u64::MAX });
        let reply = stack.accept(&person.id, &token, "canary-pass-1").await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{what}: {}", reply.text);
        assert_is_a_page(&reply, what);
        assert!(reply.text.contains(Texts::of(Lang::En).page.unavailable.text), "{}", reply.text);
    }
    faults.restart(Plan::At { call: 1, kind: FaultKind::Throttle, times: u64::MAX });
    assert_eq!(stack.follow(&person.id, &token).await.status, 503);
    faults.set_plan(Plan::None);
    assert_eq!(stack.accept(&person.id, &token, "canary-pass-1").await.status, 200);
    assert_eq!(stack.audit().await, []);
}
