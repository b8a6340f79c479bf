// Texts that the user must read in each state and language. They are written here again, so that a text in the wrong place is found.

const said = (subject, title, wrong, tooShort, mismatch, done, used, expired, replaced, unknown) =>
  ({ subject, title, wrong, tooShort, mismatch, done, used, expired, replaced, unknown });

export const TEXTS = {
  en: said("Your invitation to Presence", "Choose your password", "Your password was not saved",
    "The password is too short: it needs at least 6 characters.", "The two passwords are not the same.",
    "Your password is saved", "This link has been used", "This link has expired", "There is a newer invitation",
    "This link is not valid"),
  fr: said("Votre invitation à rejoindre Presence", "Choisissez votre mot de passe", "Votre mot de passe n’a pas été enregistré",
    "Le mot de passe est trop court\u202f: il faut au moins 6 caractères.", "Les deux mots de passe ne sont pas identiques.",
    "Votre mot de passe est enregistré", "Ce lien a déjà été utilisé", "Ce lien a expiré",
    "Une invitation plus récente existe", "Ce lien n’est pas valable"),
  es: said("Su invitación a Presence", "Elija su contraseña", "Su contraseña no se ha guardado",
    "La contraseña es demasiado corta: debe tener al menos 6 caracteres.", "Las dos contraseñas no coinciden.",
    "Su contraseña se ha guardado", "Este enlace ya se ha usado", "Este enlace ha caducado",
    "Hay una invitación más reciente", "Este enlace no es válido"),
  it: said("Il suo invito a Presence", "Scelga la sua password", "La password non è stata salvata",
    "La password è troppo corta: deve avere almeno 6 caratteri.", "Le due password non coincidono.",
    "La password è stata salvata", "Questo link è già stato usato", "Questo link è scaduto", "C’è un invito più recente",
    "Questo link non è valido"),
  de: said("Ihre Einladung zu Presence", "Wählen Sie Ihr Passwort", "Ihr Passwort wurde nicht gespeichert",
    "Das Passwort ist zu kurz: Es braucht mindestens 6 Zeichen.", "Die beiden Passwörter stimmen nicht überein.",
    "Ihr Passwort ist gespeichert", "Dieser Link wurde bereits benutzt", "Dieser Link ist abgelaufen",
    "Es gibt eine neuere Einladung", "Dieser Link ist ungültig"),
  pt: said("O seu convite para o Presence", "Escolha a sua palavra-passe", "A sua palavra-passe não foi guardada",
    "A palavra-passe é demasiado curta: precisa de, pelo menos, 6 caracteres.", "As duas palavras-passe não coincidem.",
    "A sua palavra-passe foi guardada", "Esta ligação já foi usada", "Esta ligação expirou", "Há um convite mais recente",
    "Esta ligação não é válida"),
};
