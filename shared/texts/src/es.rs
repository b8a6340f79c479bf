//! Spanish texts.

use super::{Greeting, MailTexts, Notice, PageTexts, Texts, Unit, Units, WebhookTexts, service};
use presence_domain::user::Lang;

pub(super) static TEXTS: Texts = Texts {
    lang: Lang::Es,
    greeting: Greeting { hello: "Hola", before_name: ", ", after_name: ":" },
    units: Units {
        days: Unit { singular: "día", plural: "días" },
        hours: Unit { singular: "hora", plural: "horas" },
        minutes: Unit { singular: "minuto", plural: "minutos" },
    },
    mail: MailTexts {
        subject: concat!("Su invitación a ", service!()),
        intro: concat!("Le espera una cuenta en ", service!(), ". Elija su contraseña para completarla."),
        organisation: "Su organización:",
        invited_by: "Le invita:",
        button: "Elegir mi contraseña",
        open: "Para elegir su contraseña, abra este enlace:",
        copy: "Si el botón no funciona, copie este enlace en su navegador:",
        life: |life| format!("El enlace es válido durante {life} y solo puede usarse una vez."),
        private: "No lo comparta con nadie: cualquiera que tenga el enlace puede elegir la contraseña.",
        unexpected: "Si no esperaba esta invitación, no tiene que hacer nada. Ignore este correo y no se establecerá \
                     ninguna contraseña.",
    },
    webhook: WebhookTexts {
        subject: "Se ha desactivado un webhook de su organización",
        intro: "Ya no se envían eventos a este webhook.",
        host: "Receptor:",
        label: "Nombre:",
        reason: "No ha aceptado ningún evento durante cinco días o ha respondido que ya no existe (410).",
        enable: "Repare el receptor y active de nuevo el webhook con su clave de API:",
        kept: "El envío continúa entonces donde se detuvo. Los eventos se conservan 30 días.",
    },
    page: PageTexts {
        title: "Elija su contraseña",
        intro: concat!("Elija una contraseña para su cuenta de ", service!(), "."),
        email: "Su dirección de correo electrónico",
        password: "Contraseña",
        hint: |min, max| format!("De {min} a {max} caracteres."),
        confirmation: "Repita la contraseña",
        save: "Guardar la contraseña",
        wrong: "Su contraseña no se ha guardado",
        too_short: |min| format!("La contraseña es demasiado corta: debe tener al menos {min} caracteres."),
        too_long: |max| format!("La contraseña es demasiado larga: puede tener como máximo {max} caracteres."),
        control: "La contraseña contiene caracteres que no se pueden usar, como un tabulador o un salto de línea.",
        mismatch: "Las dos contraseñas no coinciden.",
        done: Notice {
            title: "Su contraseña se ha guardado", text: "Su cuenta está lista. Puede cerrar esta página."
        },
        ready_to_sign_in: "Su cuenta está lista. Puede iniciar sesión con su dirección de correo electrónico y esta contraseña.",
        sign_in: "Iniciar sesión",
        expired: Notice {
            title: "Este enlace ha caducado",
            text: "Los enlaces solo son válidos durante un tiempo limitado. Pida a la persona que le invitó que le envíe una \
                   nueva invitación.",
        },
        used: Notice {
            title: "Este enlace ya se ha usado",
            text: "Ya se ha elegido una contraseña para esta cuenta. Si no fue usted, avise a la persona que le invitó.",
        },
        replaced: Notice {
            title: "Hay una invitación más reciente",
            text: "Se le ha enviado un correo más reciente y solo funciona el enlace del último. Abra ese enlace, por favor.",
        },
        unknown: Notice {
            title: "Este enlace no es válido",
            text: "Compruebe que ha abierto el enlace completo del correo. Si eso no ayuda, pida a la persona que le invitó \
                   que le envíe una nueva invitación.",
        },
        foreign: Notice {
            title: "No se ha guardado nada",
            text: "Este formulario se envió desde otro sitio web. Por su seguridad, abra de nuevo el enlace de su invitación.",
        },
        rejected: Notice {
            title: "No ha funcionado",
            text: "No se pudo entender la solicitud y no se ha guardado nada. Abra de nuevo el enlace de su invitación.",
        },
        unavailable: Notice {
            title: "Inténtelo de nuevo en un momento",
            text: "El servicio no puede responder ahora mismo. Espere un poco y abra de nuevo el enlace de su invitación.",
        },
    },
};
