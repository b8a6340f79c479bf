//! German texts. The sentence after the greeting's comma begins with a small letter.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::De,
    greeting: Greeting { hello: "Guten Tag", before_name: " ", after_name: "," },
    units: Units {
        days: Unit { singular: "Tag", plural: "Tage" },
        hours: Unit { singular: "Stunde", plural: "Stunden" },
        minutes: Unit { singular: "Minute", plural: "Minuten" },
    },
    mail: MailTexts {
        subject: concat!("Ihre Einladung zu ", service!()),
        intro: concat!(
            "ein Konto bei ",
            service!(),
            " wartet auf Sie. Wählen Sie Ihr Passwort, um es fertig einzurichten."
        ),
        organisation: "Ihre Organisation:",
        invited_by: "Eingeladen von:",
        button: "Passwort wählen",
        open: "Um Ihr Passwort zu wählen, öffnen Sie diesen Link:",
        copy: "Falls die Schaltfläche nicht funktioniert, kopieren Sie diesen Link in Ihren Browser:",
        life: |life| format!("Der Link gilt {life} lang und nur ein einziges Mal."),
        private: "Geben Sie ihn nicht weiter: Wer den Link hat, kann das Passwort wählen.",
        unexpected: "Falls Sie diese Einladung nicht erwartet haben, müssen Sie nichts tun. Ignorieren Sie diese E-Mail, \
                     dann wird kein Passwort gesetzt.",
    },
    webhook: WebhookTexts {
        subject: "Ein Webhook Ihrer Organisation wurde abgeschaltet",
        intro: "an diesen Webhook werden keine Ereignisse mehr gesendet.",
        host: "Empfänger:",
        label: "Name des Webhooks:",
        reason: "Er hat fünf Tage lang kein Ereignis angenommen oder geantwortet, dass es ihn nicht mehr gibt (410).",
        enable: "Reparieren Sie den Empfänger, und schalten Sie den Webhook dann mit Ihrem API-Schlüssel wieder ein:",
        kept: "Er macht dort weiter, wo er stehen geblieben ist. Ereignisse werden 30 Tage aufbewahrt.",
    },
    page: PageTexts {
        title: "Wählen Sie Ihr Passwort",
        intro: concat!("wählen Sie ein Passwort für Ihr Konto bei ", service!(), "."),
        email: "Ihre E-Mail-Adresse",
        password: "Passwort",
        hint: |min, max| format!("{min} bis {max} Zeichen."),
        confirmation: "Passwort wiederholen",
        save: "Passwort speichern",
        wrong: "Ihr Passwort wurde nicht gespeichert",
        too_short: |min| format!("Das Passwort ist zu kurz: Es braucht mindestens {min} Zeichen."),
        too_long: |max| format!("Das Passwort ist zu lang: Es darf höchstens {max} Zeichen haben."),
        control: "Das Passwort enthält Zeichen, die nicht verwendet werden können, etwa einen Tabulator oder einen \
                  Zeilenumbruch.",
        mismatch: "Die beiden Passwörter stimmen nicht überein.",
        done: Notice {
            title: "Ihr Passwort ist gespeichert",
            text: "Ihr Konto ist bereit. Sie können diese Seite schließen.",
        },
        ready_to_sign_in: "Ihr Konto ist bereit. Sie können sich mit Ihrer E-Mail-Adresse und diesem Passwort anmelden.",
        sign_in: "Anmelden",
        expired: Notice {
            title: "Dieser Link ist abgelaufen",
            text: "Links gelten nur für begrenzte Zeit. Bitten Sie die Person, die Sie eingeladen hat, um eine neue \
                   Einladung.",
        },
        used: Notice {
            title: "Dieser Link wurde bereits benutzt",
            text: "Für dieses Konto wurde bereits ein Passwort gewählt. Falls Sie das nicht selbst waren, sagen Sie der \
                   Person Bescheid, die Sie eingeladen hat.",
        },
        replaced: Notice {
            title: "Es gibt eine neuere Einladung",
            text: "Sie haben eine neuere E-Mail erhalten, und nur der Link in der letzten gilt. Bitte öffnen Sie diesen.",
        },
        unknown: Notice {
            title: "Dieser Link ist ungültig",
            text: "Prüfen Sie, ob Sie den vollständigen Link aus der E-Mail geöffnet haben. Wenn das nicht hilft, bitten Sie \
                   die Person, die Sie eingeladen hat, um eine neue Einladung.",
        },
        foreign: Notice {
            title: "Es wurde nichts gespeichert",
            text: "Dieses Formular wurde von einer anderen Website abgeschickt. Öffnen Sie zu Ihrer Sicherheit den Link in \
                   Ihrer Einladung erneut.",
        },
        rejected: Notice {
            title: "Das hat nicht geklappt",
            text: "Die Anfrage war nicht verständlich, und es wurde nichts gespeichert. Öffnen Sie den Link in Ihrer \
                   Einladung erneut.",
        },
        unavailable: Notice {
            title: "Bitte versuchen Sie es gleich noch einmal",
            text: "Der Dienst kann gerade nicht antworten. Warten Sie einen Moment und öffnen Sie dann den Link in Ihrer \
                   Einladung erneut.",
        },
    },
};
