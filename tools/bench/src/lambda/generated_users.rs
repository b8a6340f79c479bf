//! Generated users with common names, many of them with accents. The number of a user determines all its values.

use anyhow::{Context as _, anyhow};
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{PersonName, Role, Status, User};

const FIRST_NAMES: &str = "Marie Jean Zoë Étienne Chloé Luc Anaïs François Jürgen Käthe Lukas Sören Inês João Begoña Xoán Łukasz Ewa \
    Giulia Marco Oliver Amelia Nguyễn Aylin";
const LAST_NAMES: &str = "Martin Bernard Dubois Thomas Lefèvre Moreau Girard Rousseau Müller Schäfer Weiß Großmann Conceição Simões \
    Muñoz Ibáñez Castiñeira Wójcik Kowalski D’Angelo Rossi Whitfield Smith O’Connor Kjær Østergård Yılmaz Nagy \
    Novák Papadopoulos Ivanova Trần";

/// Returns the id of a user.
pub(super) fn user_id(number: usize) -> u64 {
    1_000_003 + 7 * number as u64
}

/// Generates a user of an organisation.
pub(crate) fn generate_user(number: usize, org: u64) -> anyhow::Result<User> {
    let [first_names, last_names] = [FIRST_NAMES, LAST_NAMES].map(|names| names.split(' ').collect::<Vec<_>>());
    let first = first_names[number % first_names.len()];
    let last = last_names[(number / first_names.len()) % last_names.len()];
    // A third of the users has a second last name, so that full names are as different as in practice.
    let second_last = if number.is_multiple_of(3) { format!(" {}", syllables(number)) } else { String::new() };
    Ok(User {
        id: UserId::parse(&user_id(number).to_string()).context("id")?,
        version: 1,
        status: if number.is_multiple_of(7) { Status::Invited } else { Status::Active },
        role: Role::BusinessManager,
        org_id: OrgId::new(org),
        first_name: PersonName::parse(first).map_err(|text| anyhow!(text))?,
        last_name: PersonName::parse(&format!("{last}{second_last}")).map_err(|text| anyhow!(text))?,
        email: EmailAddress::parse(&format!("{}.{number}@shops-{org}.example", syllables(number / 5)))
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

/// Returns a pronounceable word of four syllables for a number.
fn syllables(mut number: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
    let mut word = String::new();
    for _ in 0..4 {
        word.push_str(SYLLABLES[number % 16]);
        number /= 16;
    }
    word
}
