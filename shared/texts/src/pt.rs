//! Portuguese texts, as written in Portugal.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::Pt,
    greeting: Greeting { hello: "Olá", before_name: ", ", after_name: "." },
    units: Units {
        days: Unit { singular: "dia", plural: "dias" },
        hours: Unit { singular: "hora", plural: "horas" },
        minutes: Unit { singular: "minuto", plural: "minutos" },
    },
    mail: MailTexts {
        subject: concat!("O seu convite para o ", service!()),
        intro: concat!("Tem uma conta no ", service!(), " à sua espera. Escolha a sua palavra-passe para a concluir."),
        organisation: "A sua organização:",
        invited_by: "Convite enviado por:",
        button: "Escolher a palavra-passe",
        open: "Para escolher a sua palavra-passe, abra esta ligação:",
        copy: "Se o botão não funcionar, copie esta ligação para o seu navegador:",
        life: |life| format!("A ligação é válida durante {life} e só pode ser usada uma vez."),
        private: "Não a partilhe com ninguém: quem tiver a ligação pode escolher a palavra-passe.",
        unexpected: "Se não esperava este convite, não precisa de fazer nada. Ignore este e-mail e nenhuma palavra-passe \
                     será definida.",
    },
    webhook: WebhookTexts {
        subject: "Um webhook da sua organização foi desativado",
        intro: "Já não são enviados eventos para este webhook.",
        host: "Recetor:",
        label: "Nome:",
        reason: "Não aceitou nenhum evento durante cinco dias, ou respondeu que já não existe (410).",
        enable: "Repare o recetor e, depois, ative de novo o webhook com a sua chave de API:",
        kept: "O envio continua então onde parou. Os eventos são guardados durante 30 dias.",
    },
    page: PageTexts {
        title: "Escolha a sua palavra-passe",
        intro: concat!("Escolha uma palavra-passe para a sua conta no ", service!(), "."),
        email: "O seu endereço de e-mail",
        password: "Palavra-passe",
        hint: |min, max| format!("De {min} a {max} caracteres."),
        confirmation: "Repita a palavra-passe",
        save: "Guardar a palavra-passe",
        wrong: "A sua palavra-passe não foi guardada",
        too_short: |min| format!("A palavra-passe é demasiado curta: precisa de, pelo menos, {min} caracteres."),
        too_long: |max| format!("A palavra-passe é demasiado longa: pode ter, no máximo, {max} caracteres."),
        control: "A palavra-passe contém caracteres que não podem ser usados, como uma tabulação ou uma quebra de linha.",
        mismatch: "As duas palavras-passe não coincidem.",
        done: Notice {
            title: "A sua palavra-passe foi guardada",
            text: "A sua conta está pronta. Pode fechar esta página.",
        },
        ready_to_sign_in: "A sua conta está pronta. Pode iniciar sessão com o seu endereço de e-mail e esta palavra-passe.",
        sign_in: "Iniciar sessão",
        expired: Notice {
            title: "Esta ligação expirou",
            text: "As ligações só são válidas durante um tempo limitado. Peça um novo convite a quem lhe enviou este.",
        },
        used: Notice {
            title: "Esta ligação já foi usada",
            text: "Já foi escolhida uma palavra-passe para esta conta. Se a escolha não foi sua, avise a \
                   pessoa que lhe enviou o convite.",
        },
        replaced: Notice {
            title: "Há um convite mais recente",
            text: "Foi-lhe enviado um e-mail mais recente e só funciona a ligação do último. Abra essa ligação, por favor.",
        },
        unknown: Notice {
            title: "Esta ligação não é válida",
            text: "Verifique se abriu a ligação completa do e-mail. Se isso não ajudar, peça um novo convite à pessoa que \
                   lhe enviou este.",
        },
        foreign: Notice {
            title: "Nada foi guardado",
            text: "Este formulário foi enviado a partir de outro site. Para sua segurança, abra novamente a ligação do seu \
                   convite.",
        },
        rejected: Notice {
            title: "Não foi possível concluir",
            text: "Não foi possível compreender o pedido e nada foi guardado. Abra novamente a ligação do seu convite.",
        },
        unavailable: Notice {
            title: "Tente novamente dentro de momentos",
            text: "O serviço não consegue responder neste momento. Aguarde um pouco e abra novamente a ligação do seu \
                   convite.",
        },
    },
};
