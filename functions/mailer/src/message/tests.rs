use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{Lang, PersonName, Role, Status};
use presence_domain::webhook::WebhookId;

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

fn origin() -> InvitationOrigin {
    from("Fast Retailer", "Ada", "Lovelace")
}

fn from(organisation: &str, first: &str, last: &str) -> InvitationOrigin {
    let inviter = Some((first.to_owned(), last.to_owned()));
    InvitationOrigin { organisation: Some(organisation.to_owned()), inviter }
}

#[test]
fn both_forms_of_the_mail_say_the_same_in_the_users_language() {
    for lang in Lang::ALL {
        let texts = Texts::of(lang);
        let mail = Message::invitation(&user("Zoë", "Durand", Some(lang)), &origin(), LINK, LIFE);
        assert_eq!(mail.subject, texts.mail.subject);
        let life = (texts.mail.life)(&texts.duration(LIFE));
        let greeting =
            format!("{}{}Zoë Durand{}", texts.greeting.hello, texts.greeting.before_name, texts.greeting.after_name);
        let plain =
            ["<b>", "</b>", "<bdi>", "</bdi>"].iter().fold(mail.html.clone(), |html, tag| html.replace(tag, ""));
        let organisation = format!("{} Fast Retailer", texts.mail.organisation);
        let inviter = format!("{} Ada Lovelace", texts.mail.invited_by);
        let unwrapped = mail.text.replace('\n', " ");
        let fixed = [texts.mail.intro, texts.mail.private, texts.mail.unexpected];
        for said in [greeting.as_str(), &organisation, &inviter, &life].into_iter().chain(fixed) {
            assert!(plain.contains(said) && unwrapped.contains(said), "{lang:?}: {said}");
        }
        assert!(mail.html.starts_with(&format!("<!doctype html>\n<html lang=\"{}\"", lang.as_str())));
        assert!(mail.html.contains(texts.mail.button) && mail.text.contains(texts.mail.open), "{lang:?}");
    }
}

#[test]
fn both_forms_of_a_notice_say_the_same_and_a_hostile_label_makes_no_link_and_no_markup() {
    let id = WebhookId::parse("42-200000000000").expect("an id");
    let label = Some("<b>https://evil.example".to_owned());
    let webhook = DisabledWebhook { id, host: "hooks.shop.example".to_owned(), label };
    for lang in Lang::ALL {
        let texts = Texts::of(lang);
        let mail = Message::webhook_disabled(&user("Zoë", "Durand", Some(lang)), &origin(), &webhook);
        assert_eq!(mail.subject, texts.webhook.subject);
        let unwrapped = mail.text.replace('\n', " ");
        let webhook = &texts.webhook;
        let call = "POST /api/v2/webhooks/42-200000000000/enable";
        let fixed = [webhook.intro, webhook.host, webhook.label, webhook.reason, webhook.enable, webhook.kept, call];
        for said in fixed.into_iter().chain(["Fast Retailer", "hooks.shop.example"]) {
            assert!(mail.html.contains(said) && unwrapped.contains(said), "{lang:?}: {said}");
        }
        for form in [&mail.html, &mail.text] {
            assert!(!form.contains("evil.example") && !form.contains("://evil"), "{form}");
        }
        assert!(!mail.html.contains("<b>https") && !mail.html.contains("href="), "{}", mail.html);
    }
}

#[test]
fn a_user_who_chose_no_language_reads_english() {
    let mail = Message::invitation(&user("Zoë", "Durand", None), &origin(), LINK, LIFE);
    assert_eq!(mail, Message::invitation(&user("Zoë", "Durand", Some(Lang::En)), &origin(), LINK, LIFE));
    assert!(mail.text.starts_with("Hello Zoë Durand,\n\nAn account"), "{}", mail.text);
}

#[test]
fn a_name_with_nothing_to_see_is_left_out_of_the_greeting() {
    let mail = Message::invitation(&user("\u{200b}", "\u{2060}", Some(Lang::Es)), &origin(), LINK, LIFE);
    assert!(mail.text.starts_with("Hola:\n"), "{}", mail.text);
    let mail = Message::invitation(&user("\u{200b}", "Ruiz", Some(Lang::Es)), &origin(), LINK, LIFE);
    assert!(mail.text.starts_with("Hola, Ruiz:\n"), "{}", mail.text);
}

#[test]
fn the_link_is_whole_in_both_forms_and_no_other_line_is_long() {
    for lang in Lang::ALL {
        let mail = Message::invitation(&user(&"W".repeat(100), &"m".repeat(100), Some(lang)), &origin(), LINK, LIFE);
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
    let mail = Message::invitation(&user("Zoë", "Durand", None), &origin(), LINK, LIFE);
    for wrong in ["<img", "<script", "<link", "url(", "@import", "src="] {
        assert!(!mail.html.contains(wrong), "{wrong}");
    }
    let elsewhere = mail.html.replace(&LINK.replace('&', "&#38;"), "");
    assert!(!elsewhere.contains("http"), "{elsewhere}");
}

#[test]
fn the_mail_names_of_its_origin_what_is_known() {
    let english = |origin: &InvitationOrigin| Message::invitation(&user("Zoë", "Durand", None), origin, LINK, LIFE);
    let of_operator = InvitationOrigin { inviter: None, ..origin() };
    let of_provider = InvitationOrigin { organisation: None, ..origin() };
    let cases = [
        (origin(), "it.\n\nYour organisation: Fast Retailer\nInvited by: Ada Lovelace\n\nTo choose"),
        (of_operator, "it.\n\nYour organisation: Fast Retailer\n\nTo choose"),
        (of_provider, "it.\n\nInvited by: Ada Lovelace\n\nTo choose"),
        (InvitationOrigin::default(), "it.\n\nTo choose"),
    ];
    for (origin, expected) in cases {
        let mail = english(&origin);
        assert!(mail.text.contains(expected), "{}", mail.text);
        for (name, label) in [("Fast Retailer", "Your organisation:"), ("Ada Lovelace", "Invited by:")] {
            let is_known = expected.contains(name);
            assert_eq!((mail.html.contains(name), mail.html.contains(label)), (is_known, is_known), "{name}");
        }
    }
}

#[test]
fn hostile_names_make_no_link_no_header_and_no_markup() {
    let hostile = from(
        "<a href=https://evil.example>Prize</a>",
        "https://evil.example/win\r\nBcc: all@evil.example",
        "\"onclick=alert(1)",
    );
    let mail = Message::invitation(&user("Zoë", "Durand", None), &hostile, LINK, LIFE);
    assert_eq!(mail.subject, Texts::of(Lang::En).mail.subject, "no text of a user is in a header");
    let links = mail.html.matches("<a ").count();
    assert_eq!(links, mail.html.matches(&format!("href=\"{}\"", LINK.replace('&', "&#38;"))).count());
    for form in [&mail.html, &mail.text] {
        for wrong in ["evil.example", "https://evil", "@evil", "Bcc:"] {
            assert!(!form.contains(wrong), "{wrong}: {form}");
        }
    }
    assert!(!mail.html.contains("\"onclick") && !mail.html.contains("<a href=https"), "{}", mail.html);
    assert!(mail.text.contains("\nInvited by: https evil. example win Bcc all evil. ex… "), "{}", mail.text);
}

#[test]
fn the_button_is_a_cell_of_a_table_with_a_colour_of_its_own() {
    let mail = Message::invitation(&user("Zoë", "Durand", None), &origin(), LINK, LIFE);
    // Outlook draws mails with the engine of Word. That knows no padding of links, and no background but that of cells.
    let (_, cell) = mail.html.split_once("<td class=\"button\"").expect("a cell");
    let (attributes, content) = cell.split_once('>').expect("its attributes");
    assert!(attributes.contains("bgcolor=\"#1a56c4\"") && attributes.contains("mso-padding-alt: 13px 26px"));
    let (link, _) = content.split_once("</td>").expect("its end");
    assert!(link.starts_with("<a class=\"button\" href=") && link.ends_with("Choose your password</a>"), "{link}");
    assert!(link.contains("background: #1a56c4") && link.contains("color: #ffffff"), "{link}");
}

#[test]
fn the_longest_mail_is_far_below_what_mail_programs_cut_off() {
    // Gmail cuts off 102 KB.
    const LARGEST: usize = 10_000;
    let long = "Ŵ\u{301}".repeat(50);
    for lang in Lang::ALL {
        let mail = Message::invitation(&user(&long, &long, Some(lang)), &from(&long, &long, &long), LINK, LIFE);
        assert!(mail.html.len() < LARGEST && mail.text.len() < LARGEST, "{lang:?}: {} bytes", mail.html.len());
    }
}
