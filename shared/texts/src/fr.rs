//! French texts. A narrow no-break space (U+202F) stands before `:`, `;`, `!` and `?`.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::Fr,
    greeting: Greeting { hello: "Bonjour", before_name: " ", after_name: "," },
    units: Units {
        days: Unit { singular: "jour", plural: "jours" },
        hours: Unit { singular: "heure", plural: "heures" },
        minutes: Unit { singular: "minute", plural: "minutes" },
    },
    mail: MailTexts {
        subject: concat!("Votre invitation à rejoindre ", service!()),
        intro: concat!(
            "Un compte ",
            service!(),
            " vous attend. Choisissez votre mot de passe pour finaliser sa création."
        ),
        organisation: "Votre organisation\u{202f}:",
        invited_by: "Invitation envoyée par\u{202f}:",
        button: "Choisir mon mot de passe",
        open: "Pour choisir votre mot de passe, ouvrez ce lien\u{202f}:",
        copy: "Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur\u{202f}:",
        life: |life| format!("Le lien est valable {life} et ne peut servir qu’une seule fois."),
        private: "Gardez-le pour vous\u{202f}: toute personne qui possède ce lien peut choisir le mot de passe.",
        unexpected: "Si vous n’attendiez pas cette invitation, vous n’avez rien à faire. Ignorez cet e-mail, et aucun mot de \
                     passe ne sera défini.",
    },
    webhook: WebhookTexts {
        subject: "Un webhook de votre organisation a été désactivé",
        intro: "Plus aucun événement n’est envoyé à ce webhook.",
        host: "Destinataire\u{202f}:",
        label: "Nom\u{202f}:",
        reason: "Il n’a accepté aucun événement pendant cinq jours, ou il a répondu qu’il n’existe plus (410).",
        enable: "Réparez le destinataire, puis réactivez le webhook avec votre clé d’API\u{202f}:",
        kept: "L’envoi reprend alors là où il s’est arrêté. Les événements sont conservés 30 jours.",
    },
    page: PageTexts {
        title: "Choisissez votre mot de passe",
        intro: concat!("Choisissez un mot de passe pour votre compte ", service!(), "."),
        email: "Votre adresse e-mail",
        password: "Mot de passe",
        hint: |min, max| format!("De {min} à {max} caractères."),
        confirmation: "Confirmez le mot de passe",
        save: "Enregistrer le mot de passe",
        wrong: "Votre mot de passe n’a pas été enregistré",
        too_short: |min| format!("Le mot de passe est trop court\u{202f}: il faut au moins {min} caractères."),
        too_long: |max| format!("Le mot de passe est trop long\u{202f}: il peut compter au plus {max} caractères."),
        control: "Le mot de passe contient des caractères non autorisés, comme une tabulation ou un saut de ligne.",
        mismatch: "Les deux mots de passe ne sont pas identiques.",
        done: Notice {
            title: "Votre mot de passe est enregistré",
            text: "Votre compte est prêt. Vous pouvez fermer cette page.",
        },
        ready_to_sign_in: "Votre compte est prêt. Vous pouvez vous connecter avec votre adresse e-mail et ce mot de passe.",
        sign_in: "Se connecter",
        expired: Notice {
            title: "Ce lien a expiré",
            text: "Les liens ne sont valables que pour une durée limitée. Demandez une nouvelle invitation à la personne qui \
                   vous a envoyé celle-ci.",
        },
        used: Notice {
            title: "Ce lien a déjà été utilisé",
            text: "Un mot de passe a déjà été choisi pour ce compte. Si ce n’était pas vous, prévenez la personne qui vous a \
                   envoyé l’invitation.",
        },
        replaced: Notice {
            title: "Une invitation plus récente existe",
            text: "Un e-mail plus récent vous a été envoyé, et seul le lien du dernier est valable. Veuillez ouvrir celui-ci.",
        },
        unknown: Notice {
            title: "Ce lien n’est pas valable",
            text: "Vérifiez que vous avez ouvert le lien complet de l’e-mail. Si cela ne suffit pas, demandez une nouvelle \
                   invitation à la personne qui vous l’a envoyée.",
        },
        foreign: Notice {
            title: "Rien n’a été enregistré",
            text: "Ce formulaire a été envoyé depuis un autre site. Pour votre sécurité, ouvrez à nouveau le lien de votre \
                   invitation.",
        },
        rejected: Notice {
            title: "Cela n’a pas fonctionné",
            text: "La demande n’a pas pu être comprise et rien n’a été enregistré. Ouvrez à nouveau le lien de votre \
                   invitation.",
        },
        unavailable: Notice {
            title: "Veuillez réessayer dans un instant",
            text: "Le service ne peut pas répondre pour le moment. Patientez un peu, puis ouvrez à nouveau le lien de votre \
                   invitation.",
        },
    },
};
