//! Made-up people: common names with accents, drawn by a fixed sequence, so that every run has the same.

use anyhow::{Context as _, anyhow};
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{PersonName, Role, Status, User};

const FIRST: [&str; 24] = [
    "Marie",
    "Jean",
    "Zoë",
    "Étienne",
    "Chloé",
    "Luc",
    "Anaïs",
    "François",
    "Jürgen",
    "Käthe",
    "Lukas",
    "Sören",
    "Inês",
    "João",
    "Begoña",
    "Xoán",
    "Łukasz",
    "Ewa",
    "Giulia",
    "Marco",
    "Oliver",
    "Amelia",
    "Nguyễn",
    "Aylin",
];
const LAST: [&str; 32] = [
    "Martin",
    "Bernard",
    "Dubois",
    "Thomas",
    "Lefèvre",
    "Moreau",
    "Girard",
    "Rousseau",
    "Müller",
    "Schäfer",
    "Weiß",
    "Großmann",
    "Conceição",
    "Simões",
    "Muñoz",
    "Ibáñez",
    "Castiñeira",
    "Wójcik",
    "Kowalski",
    "D’Angelo",
    "Rossi",
    "Whitfield",
    "Smith",
    "O’Connor",
    "Kjær",
    "Østergård",
    "Yılmaz",
    "Nagy",
    "Novák",
    "Papadopoulos",
    "Ivanova",
    "Trần",
];

/// Returns the id of the user number `n`.
pub(crate) fn user_id(n: usize) -> u64 {
    1_000_003 + 7 * n as u64
}

/// The user number `n`, of an organisation.
pub(crate) fn generate_user(n: usize, org: u64) -> anyhow::Result<User> {
    let (first, last) = (FIRST[n % FIRST.len()], LAST[(n / FIRST.len()) % LAST.len()]);
    // Every third has a second last name, as unlike the others as people's names are.
    let second = if n.is_multiple_of(3) { format!(" {}", syllables(n)) } else { String::new() };
    Ok(User {
        id: UserId::parse(&user_id(n).to_string()).context("id")?,
        version: 1,
        status: if n.is_multiple_of(7) { Status::Invited } else { Status::Active },
        role: Role::BusinessManager,
        org_id: OrgId::new(org),
        first_name: PersonName::parse(first).map_err(|text| anyhow!(text))?,
        last_name: PersonName::parse(&format!("{last}{second}")).map_err(|text| anyhow!(text))?,
        email: EmailAddress::parse(&format!("{}.{n}@shops-{org}.example", syllables(n / 5)))
            .map_err(|text| anyhow!(text))?,
        phone: None,
        lang: None,
        business_ids: (0..5).filter_map(|shop| BusinessId::parse(&format!("{org:08x}{shop:016x}"))).collect(),
        password: None,
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    })
}

/// A pronounceable word that differs from number to number.
fn syllables(mut n: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
    let mut word = String::new();
    for _ in 0..4 {
        word.push_str(SYLLABLES[n % 16]);
        n /= 16;
    }
    word
}
