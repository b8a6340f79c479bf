//! Tests that the texts of each language are of that language. The compiler already checks that none is missing.

use super::*;

impl Texts {
    /// Returns every text except the units, which some languages share.
    fn all(&self) -> Vec<String> {
        let (mail, webhook, page) = (&self.mail, &self.webhook, &self.page);
        let notices = [
            page.done,
            page.expired,
            page.used,
            page.replaced,
            page.unknown,
            page.foreign,
            page.rejected,
            page.unavailable,
        ];
        let notices = notices.iter().flat_map(|notice| [notice.title, notice.text]);
        let fixed = [
            self.greeting.hello,
            mail.subject,
            mail.intro,
            mail.organisation,
            mail.invited_by,
            mail.button,
            mail.open,
            mail.copy,
            mail.private,
            mail.unexpected,
            webhook.subject,
            webhook.intro,
            webhook.host,
            webhook.label,
            webhook.reason,
            webhook.enable,
            webhook.kept,
            page.title,
            page.intro,
            page.email,
            page.password,
            page.confirmation,
            page.save,
            page.wrong,
            page.control,
            page.mismatch,
            page.ready_to_sign_in,
            page.sign_in,
        ];
        let formatted = [
            (mail.life)(&self.duration(SignedDuration::from_hours(72))),
            (page.hint)(6, 128),
            (page.too_short)(6),
            (page.too_long)(128),
        ];
        fixed.into_iter().chain(notices).map(str::to_owned).chain(formatted).collect()
    }
}

fn translations() -> impl Iterator<Item = &'static Texts> {
    Lang::ALL.into_iter().filter(|lang| *lang != Lang::En).map(Texts::of)
}

#[test]
fn every_text_is_translated() {
    for texts in translations() {
        for (text, english) in texts.all().iter().zip(Texts::of(Lang::En).all()) {
            assert_ne!(*text, english, "{:?}", texts.lang);
        }
    }
}

#[test]
fn texts_of_one_language_differ_from_each_other() {
    for texts in Lang::ALL.map(Texts::of) {
        // The heading of the form may equal the button of the mail that leads to it.
        let all: std::collections::BTreeSet<_> = texts.all().into_iter().collect();
        assert!(all.len() + 1 >= texts.all().len(), "{:?}", texts.lang);
    }
}

#[test]
fn texts_are_labelled_with_their_language() {
    for lang in Lang::ALL {
        assert_eq!(Texts::of(lang).lang, lang);
    }
}

#[test]
fn every_text_follows_the_typography_of_its_language() {
    for texts in Lang::ALL.map(Texts::of) {
        for text in texts.all() {
            assert!(!text.contains(['\'', '"', '`', '{', '}', '\n']), "{text}");
            assert!(!text.contains("  ") && text.trim() == text && !text.contains("..."), "{text}");
            let before_sign = |sign: char| text.match_indices(sign).all(|(at, _)| text[..at].ends_with('\u{202f}'));
            assert!(texts.lang != Lang::Fr || [':', '!', '?', ';'].into_iter().all(before_sign), "{text}");
        }
    }
}

#[test]
fn texts_contain_the_numbers_that_they_take() {
    for texts in Lang::ALL.map(Texts::of) {
        let hint = (texts.page.hint)(6, 128);
        assert!(hint.contains('6') && hint.contains("128"), "{hint}");
        assert!((texts.page.too_short)(6).contains('6') && (texts.page.too_long)(128).contains("128"));
        let life = texts.duration(SignedDuration::from_hours(72));
        assert!((texts.mail.life)(&life).contains(&life), "{life}");
    }
}

#[test]
fn durations_use_the_unit_that_fits() {
    let cases = [
        (72 * 60, "3 days", "3 jours"),
        (24 * 60, "1 day", "1 jour"),
        (36 * 60, "36 hours", "36 heures"),
        (60, "1 hour", "1 heure"),
        (90, "90 minutes", "90 minutes"),
        (25 * 60 + 30, "25 hours", "25 heures"),
        (1, "1 minute", "1 minute"),
        (0, "1 minute", "1 minute"),
    ];
    for (minutes, english, french) in cases {
        let text = |lang| Texts::of(lang).duration(SignedDuration::from_mins(minutes)).replace('\u{a0}', " ");
        assert_eq!((text(Lang::En).as_str(), text(Lang::Fr).as_str()), (english, french));
    }
}
