//! English texts.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::En,
    greeting: Greeting { hello: "Hello", before_name: " ", after_name: "," },
    units: Units {
        days: Unit { singular: "day", plural: "days" },
        hours: Unit { singular: "hour", plural: "hours" },
        minutes: Unit { singular: "minute", plural: "minutes" },
    },
    mail: MailTexts {
        subject: concat!("Your invitation to ", service!()),
        intro: concat!("An account on ", service!(), " is waiting for you. Choose your password to complete it."),
        organisation: "Your organisation:",
        invited_by: "Invited by:",
        button: "Choose your password",
        open: "To choose your password, open this link:",
        copy: "If the button does not work, copy this link into your browser:",
        life: |life| format!("The link works for {life}, and only once."),
        private: "Keep it to yourself: whoever has the link can choose the password.",
        unexpected: "If you did not expect this invitation, you need not do anything. Ignore this e-mail, and no password \
                     will be set.",
    },
    webhook: WebhookTexts {
        subject: "A webhook of your organisation was disabled",
        intro: "No more events are sent to this webhook.",
        host: "Receiver:",
        label: "Name:",
        reason: "It took no event for five days, or it answered that it is gone (410).",
        enable: "Repair the receiver, then enable the webhook with your API key:",
        kept: "It then goes on where it stopped. Events are kept for 30 days.",
    },
    page: PageTexts {
        title: "Choose your password",
        intro: concat!("Choose a password for your account on ", service!(), "."),
        email: "Your e-mail address",
        password: "Password",
        hint: |min, max| format!("From {min} to {max} characters."),
        confirmation: "Repeat the password",
        save: "Save the password",
        wrong: "Your password was not saved",
        too_short: |min| format!("The password is too short: it needs at least {min} characters."),
        too_long: |max| format!("The password is too long: it may have at most {max} characters."),
        control: "The password contains characters that cannot be used, such as a tab or a line break.",
        mismatch: "The two passwords are not the same.",
        done: Notice { title: "Your password is saved", text: "Your account is ready. You can close this page." },
        ready_to_sign_in: "Your account is ready. You can sign in with your e-mail address and this password.",
        sign_in: "Sign in",
        expired: Notice {
            title: "This link has expired",
            text: "Links work for a limited time only. Ask the person who invited you to send you a new invitation.",
        },
        used: Notice {
            title: "This link has been used",
            text: "A password has already been chosen for this account. If it was not you, tell the person who invited \
                   you.",
        },
        replaced: Notice {
            title: "There is a newer invitation",
            text: "You have been sent a newer e-mail, and only the link in the latest one works. Please open that one.",
        },
        unknown: Notice {
            title: "This link is not valid",
            text: "Check that you opened the whole link from the e-mail. If that does not help, ask the person who \
                   invited you to send you a new invitation.",
        },
        foreign: Notice {
            title: "Nothing was saved",
            text: "This form was sent from another website. For your security, open the link in your invitation again.",
        },
        rejected: Notice {
            title: "This did not work",
            text: "The request could not be understood, and nothing was saved. Open the link in your invitation again.",
        },
        unavailable: Notice {
            title: "Please try again in a moment",
            text: "The service cannot answer right now. Wait a little, then open the link in your invitation again.",
        },
    },
};
