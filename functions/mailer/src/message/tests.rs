use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{Lang, PersonName, Role, Status};

use super::*;

const LINK: &str =
    "https://presence.example/invitation?user=9007199254740991&token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const LIFE: SignedDuration = SignedDuration::from_hours(72);

fn user(first: &str, last: &str, lang: Option<Lang>) -> User {
    let name = |text| PersonName::parse(text).expect("a name");
    User {
        id: UserId::random(),
        version: 1,
        status: Status::Invited,
        role: Role::Provider,
        org_id: None,
        first_name: name(first),
        last_name: name(last),
        email: EmailAddress::parse("zoe@shop.example").expect("an address"),
        phone: None,
        lang,
        business_ids: Vec::new(),
        password: None,
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    }
}

#[test]
fn both_forms_of_the_mail_say_the_same_in_the_users_language() {
    for lang in Lang::ALL {
        let texts = Texts::of(lang);
        let mail = Message::invitation(&user("Zoë", "Durand", Some(lang)), LINK, LIFE);
        assert_eq!(mail.subject, texts.mail.subject);
        let life = (texts.mail.life)(&texts.duration(LIFE));
        let greeting =
            format!("{}{}Zoë Durand{}", texts.greeting.hello, texts.greeting.before_name, texts.greeting.after_name);
        let plain = mail.html.replace("<bdi>", "").replace("</bdi>", "");
        let unwrapped = mail.text.replace('\n', " ");
        for said in [greeting.as_str(), texts.mail.intro, &life, texts.mail.private, texts.mail.unexpected] {
            assert!(plain.contains(said) && unwrapped.contains(said), "{lang:?}: {said}");
        }
        assert!(mail.html.starts_with(&format!("<!doctype html>\n<html lang=\"{}\"", lang.as_str())));
        assert!(mail.html.contains(texts.mail.button) && mail.text.contains(texts.mail.open), "{lang:?}");
    }
}

#[test]
fn a_user_who_chose_no_language_reads_english() {
    let mail = Message::invitation(&user("Zoë", "Durand", None), LINK, LIFE);
    assert_eq!(mail, Message::invitation(&user("Zoë", "Durand", Some(Lang::En)), LINK, LIFE));
    assert!(mail.text.starts_with("Hello Zoë Durand,\n\nAn account"), "{}", mail.text);
}

#[test]
fn a_name_with_nothing_to_see_is_left_out_of_the_greeting() {
    let mail = Message::invitation(&user("\u{200b}", "\u{2060}", Some(Lang::Es)), LINK, LIFE);
    assert!(mail.text.starts_with("Hola:\n"), "{}", mail.text);
    let mail = Message::invitation(&user("\u{200b}", "Ruiz", Some(Lang::Es)), LINK, LIFE);
    assert!(mail.text.starts_with("Hola, Ruiz:\n"), "{}", mail.text);
}

#[test]
fn the_link_is_whole_in_both_forms_and_no_other_line_is_long() {
    for lang in Lang::ALL {
        let mail = Message::invitation(&user(&"W".repeat(100), &"m".repeat(100), Some(lang)), LINK, LIFE);
        let (links, others): (Vec<_>, Vec<_>) = mail.text.lines().partition(|line| *line == LINK);
        assert_eq!(links.len(), 1);
        assert!(others.iter().all(|line| line.chars().count() <= LINE), "{}", mail.text);
        let escaped = LINK.replace('&', "&#38;");
        assert_eq!(mail.html.matches(&format!("href=\"{escaped}\"")).count(), 2);
        assert!(mail.html.contains(&format!(">{escaped}</a>")));
    }
}

#[test]
fn the_mail_loads_nothing_from_elsewhere() {
    let mail = Message::invitation(&user("Zoë", "Durand", None), LINK, LIFE);
    for wrong in ["<img", "<script", "<link", "url(", "@import", "src="] {
        assert!(!mail.html.contains(wrong), "{wrong}");
    }
    let elsewhere = mail.html.replace(&LINK.replace('&', "&#38;"), "");
    assert!(!elsewhere.contains("http"), "{elsewhere}");
}
