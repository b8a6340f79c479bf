//! Italian texts. The sentence after the greeting's comma begins with a small letter.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::It,
    greeting: Greeting { hello: "Buongiorno", before_name: " ", after_name: "," },
    units: Units {
        days: Unit { singular: "giorno", plural: "giorni" },
        hours: Unit { singular: "ora", plural: "ore" },
        minutes: Unit { singular: "minuto", plural: "minuti" },
    },
    mail: MailTexts {
        subject: concat!("Il suo invito a ", service!()),
        intro: concat!("un account ", service!(), " è pronto per lei. Scelga la password per completarlo."),
        organisation: "La sua organizzazione:",
        invited_by: "Invito inviato da:",
        button: "Scelga la password",
        open: "Per scegliere la password, apra questo link:",
        copy: "Se il pulsante non funziona, copi questo link nel browser:",
        life: |life| format!("Il link è valido per {life} e può essere usato una sola volta."),
        private: "Non lo condivida con nessuno: chiunque abbia il link può scegliere la password.",
        unexpected: "Se non si aspettava questo invito, non deve fare nulla. Ignori questa e-mail e non verrà impostata \
                     alcuna password.",
    },
    webhook: WebhookTexts {
        subject: "Un webhook della sua organizzazione è stato disattivato",
        intro: "a questo webhook non vengono più inviati eventi.",
        host: "Destinatario:",
        label: "Nome:",
        reason: "Non ha accettato alcun evento per cinque giorni, oppure ha risposto di non esistere più (410).",
        enable: "Ripari il destinatario, poi riattivi il webhook con la sua chiave API:",
        kept: "L’invio riprende da dove si era fermato. Gli eventi sono conservati per 30 giorni.",
    },
    page: PageTexts {
        title: "Scelga la sua password",
        intro: concat!("scelga una password per il suo account ", service!(), "."),
        email: "Il suo indirizzo e-mail",
        password: "Nuova password",
        hint: |min, max| format!("Da {min} a {max} caratteri."),
        confirmation: "Ripeta la password",
        save: "Salvi la password",
        wrong: "La password non è stata salvata",
        too_short: |min| format!("La password è troppo corta: deve avere almeno {min} caratteri."),
        too_long: |max| format!("La password è troppo lunga: può avere al massimo {max} caratteri."),
        control: "La password contiene caratteri non utilizzabili, come una tabulazione o un ritorno a capo.",
        mismatch: "Le due password non coincidono.",
        done: Notice {
            title: "La password è stata salvata",
            text: "Il suo account è pronto. Può chiudere questa pagina.",
        },
        ready_to_sign_in: "Il suo account è pronto. Può accedere con il suo indirizzo e-mail e questa password.",
        sign_in: "Acceda",
        expired: Notice {
            title: "Questo link è scaduto",
            text: "I link sono validi solo per un tempo limitato. Chieda un nuovo invito alla persona che l’ha invitata.",
        },
        used: Notice {
            title: "Questo link è già stato usato",
            text: "Per questo account è già stata scelta una password. Se la scelta non è sua, avvisi chi ha inviato \
                   l’invito.",
        },
        replaced: Notice {
            title: "C’è un invito più recente",
            text: "Le è stata inviata un’e-mail più recente e funziona solo il link dell’ultima. Apra quello, per favore.",
        },
        unknown: Notice {
            title: "Questo link non è valido",
            text: "Verifichi di aver aperto il link completo dell’e-mail. Se non basta, chieda un nuovo invito a chi le ha \
                   inviato questo.",
        },
        foreign: Notice {
            title: "Non è stato salvato nulla",
            text: "Questo modulo è stato inviato da un altro sito. Per la sua sicurezza, apra di nuovo il link dell’invito.",
        },
        rejected: Notice {
            title: "Qualcosa non ha funzionato",
            text: "La richiesta non è stata compresa e non è stato salvato nulla. Apra di nuovo il link dell’invito.",
        },
        unavailable: Notice {
            title: "Riprovi tra qualche istante",
            text: "Il servizio non può rispondere in questo momento. Attenda un poco, poi apra di nuovo il link dell’invito.",
        },
    },
};
