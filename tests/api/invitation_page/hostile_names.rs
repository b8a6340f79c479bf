//! Hostile names of users: they are harmless in the mail and on the page.

use presence_domain::display::display_name;
use presence_domain::invitation::InvitationOrigin;
use presence_domain::user::{PersonName, Role, Status, User};
use presence_mailer::message::Message;
use presence_tests::TestStack;
use presence_tests::invitations::LIFE;

/// Harmless name, whose texts are the expected ones.
const PLAIN_NAME: &str = "Tame";
const LINK: &str = "https://presence.example/invitation?user=1&token=x";

/// Names of many scripts that are shown unchanged.
pub(crate) const READABLE: [&str; 14] = [
    "O’Brien",
    "D'Arcy",
    "Anne-Marie",
    "Nguyễn Thị Minh",
    "שרה לוי",
    "محمد عبد الله",
    "فاطمة",
    "हिन्दी",
    "தமிழ்",
    "สมชาย",
    "王小明",
    "김민준",
    "Ólafur Þór",
    "👍🏽 Léa 🇫🇷",
];

/// Returns hostile names: markup, headers, bidirectional and invisible characters, floods of marks.
#[rustfmt::skip]
pub(crate) fn hostile_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "'><b>bold</b>",
        "</p></td></table><h1>Paid</h1>", "<!-- ", "--><style>*{display:none}</style>", "]]><x>", "<bdi>", "</bdi>",
        "</title><script>", "&lt;b&gt;", "&#60;b&#62;", "&amp;amp;", "&", "<", "{{ name }}", "{% if true %}", "{#", "${7*7}",
        "%0d%0aBcc: a", "javascript:alert(1)", "<a href='javascript:1'>x</a>", "\u{feff}<b>", "＜script＞", "\\u003cb\\u003e",
        "Ana\r\nBcc: victim@evil.example", "Ana\nSubject: won", "Ana\rX: y", "Ana\r\n\r\n<html>", "Ana\u{85}Cc: x",
        "Ana\u{2028}To: x", "Ana\u{2029}To: x", "Ana\u{b}\u{c}x", "=?utf-8?B?QmNjOg==?=", "Ana\r\n.\r\nQUIT",
        "\u{202e}evil\u{202c}", "\u{202d}evil", "\u{2066}a\u{2067}b\u{2068}c\u{2069}", "\u{200e}\u{200f}\u{61c}x",
        "שרה\u{202e}abc", "a\u{202e}", "\u{2067}", "\u{202a}\u{202b}\u{202c}",
        "A\u{200b}n\u{200c}a\u{200d}", "\u{200b}", "\u{2060}\u{feff}", "a\u{ad}b\u{34f}c", "\u{3164}\u{115f}\u{ffa0}",
        "\u{2800}\u{2800}", "\u{180e}x\u{17b4}", "x\u{e0041}\u{e0042}\u{e007f}", "x\u{fe0f}\u{e0100}", "\0", "a\0b",
        "\u{1b}[31mred\u{1b}[0m", "\u{7f}\u{9b}x", "\u{e000}\u{f8ff}\u{10fffd}", "\u{fff9}a\u{fffa}b\u{fffb}", "x\u{fffe}",
        "https://evil.example/login", "www.evil.example", "evil.example", "pay@evil.example", "//evil.example", "evil。com",
        "\\\\evil\\share", "tel:+999", "👩\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨", "🏴\u{e0067}\u{e0062}\u{e007f}",
    ].map(str::to_owned).into();
    names.extend([
        "Z".to_owned() + &"\u{301}".repeat(99), "\u{489}".repeat(50), "Z\u{351}\u{36a}\u{20dd}".repeat(25),
        "W".repeat(100), "字".repeat(100), "🇫🇷".repeat(50), "שלום ".repeat(19), "a ".repeat(50), "<".repeat(100),
        "&".repeat(100), "👩\u{200d}👧".repeat(33), "\u{fdfd}".repeat(100), "x\u{300}\u{301}".repeat(33),
    ]);
    names
}

/// Returns the text as askama escapes it.
fn escape_html(text: &str) -> String {
    text.chars().fold(String::new(), |out, c| match c {
        '&' | '<' | '>' | '"' | '\'' => out + &format!("&#{};", u32::from(c)),
        c => out + c.encode_utf8(&mut [0; 4]),
    })
}

/// True if the text has no control, bidirectional or invisible characters and no flood of combining marks.
fn is_harmless(text: &str) -> bool {
    let wrong = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..)
    };
    let floods = text.split(|c| !('\u{300}'..='\u{489}').contains(&c)).any(|marks| marks.chars().count() > 4);
    !text.contains(wrong) && !floods
}

/// Returns the user with this first and last name.
fn with_name(user: &User, name: &str) -> User {
    let name = PersonName::parse(name).unwrap_or_else(|error| panic!("{name:?} {error}"));
    User { first_name: name.clone(), last_name: name, ..user.clone() }
}

/// Returns the greeting of mail and page, in English.
fn greeting(name: &str) -> String {
    if name.is_empty() { "Hello,".to_owned() } else { format!("Hello {name},") }
}

/// Returns the HTML without its greeting: the part that no name may change.
fn without_greeting(html: &str, shown: &str) -> String {
    let name = if shown.is_empty() { String::new() } else { format!("<bdi>{}</bdi>", escape_html(shown)) };
    let greeting = greeting(&name);
    assert_eq!(html.matches(&greeting).count(), 1, "{greeting} in {html}");
    html.replace(&greeting, "")
}

fn without_blanks(text: &str) -> String {
    text.replace([' ', '\n'], "")
}

/// Returns plain text without its greeting, which may have line breaks.
fn text_without_greeting<'a>(text: &'a str, shown: &str) -> &'a str {
    let (first, rest) = text.split_once("\n\n").expect("several paragraphs");
    assert_eq!(without_blanks(first), without_blanks(&greeting(shown)));
    rest
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_harmless_in_subject_html_text_and_page() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    let model = stack.stored(&person.id).await.expect("the user").user;
    let invitation = |user: &User| Message::invitation(user, &InvitationOrigin::default(), LINK, LIFE);
    // The texts of a harmless name are the expected ones.
    stack.rewrite(&person.id, |user| *user = with_name(user, PLAIN_NAME)).await;
    let (plain, plain_page) = (invitation(&with_name(&model, PLAIN_NAME)), stack.follow(&person.id, &token).await.text);
    let plain_shown = format!("{PLAIN_NAME} {PLAIN_NAME}");
    let hostile = hostile_names();
    assert!(hostile.len() >= 60, "{}", hostile.len());
    for name in hostile.iter().map(String::as_str).chain(READABLE) {
        stack.rewrite(&person.id, |user| *user = with_name(user, name)).await;
        let shown = [display_name(name), display_name(name)].join(" ");
        let shown = shown.trim();
        let (mail, page) = (invitation(&with_name(&model, name)), stack.follow(&person.id, &token).await.text);

        assert_eq!(mail.subject, plain.subject, "{name:?}");
        assert_eq!(without_greeting(&mail.html, shown), without_greeting(&plain.html, &plain_shown), "{name:?}");
        assert_eq!(without_greeting(&page, shown), without_greeting(&plain_page, &plain_shown), "{name:?}");
        let (text, plain_text) = (&mail.text, &plain.text);
        assert_eq!(text_without_greeting(text, shown), text_without_greeting(plain_text, &plain_shown), "{name:?}");
        assert!(is_harmless(&mail.html) && is_harmless(&mail.text) && is_harmless(&page), "{name:?}");
        assert!(shown.chars().count() <= 250 && !shown.contains(['\n', '\r', '/', '@']), "{name:?}");
    }
    for name in READABLE {
        assert_eq!(display_name(name), name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_of_organisations_and_of_who_invites_are_harmless_in_the_mail() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let user = stack.stored(&person.id).await.expect("the user").user;
    let invitation = |name: &str| {
        let name = name.to_owned();
        let origin = InvitationOrigin { organisation: Some(name.clone()), inviter: Some((name.clone(), name)) };
        Message::invitation(&user, &origin, LINK, LIFE)
    };
    let plain = invitation(PLAIN_NAME);
    let tags = |html: &str| html.matches('<').count();
    for name in hostile_names().iter().map(String::as_str).chain(READABLE) {
        let mail = invitation(name);
        assert_eq!(mail.subject, plain.subject, "{name:?}");
        assert!(is_harmless(&mail.html) && is_harmless(&mail.text), "{name:?}");
        // A name of which nothing is visible has no line; any other one has the tags of a harmless name.
        let is_visible = !display_name(name).is_empty();
        assert_eq!(mail.html.contains("Invited by:"), is_visible, "{name:?}");
        assert!(tags(&mail.html) == tags(&plain.html) || !is_visible, "{name:?}: {}", mail.html);
        assert_eq!(mail.html.matches("<a ").count(), plain.html.matches("<a ").count(), "{name:?}");
    }
}
