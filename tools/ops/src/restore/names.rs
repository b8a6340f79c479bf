//! Names of restored tables and their stacks.

use jiff::Timestamp;

/// Digits of the instant in a prefix: year to minute.
const DIGITS: usize = 12;

/// Returns the prefix of tables that are restored to an instant, in UTC: `presence-` becomes `presence-r202611221200-`. Tables that
/// were restored before lose the mark of that.
pub(super) fn default_prefix(before: &str, at: Timestamp) -> String {
    format!("{}-r{}-", base(before), at.strftime("%Y%m%d%H%M"))
}

/// Returns the name of the stack whose tables have the prefix, if its `TablePrefix` is empty.
pub(super) fn default_stack(prefix: &str) -> String {
    base(prefix).to_owned()
}

/// Returns the name of the stack that holds the restored tables.
pub(super) fn tables_stack(stack: &str, prefix: &str) -> String {
    format!("{stack}-tables-{}", suffix(prefix))
}

/// Returns the name of the change sets of a restore.
pub(super) fn change_set(prefix: &str) -> String {
    format!("restore-{}", suffix(prefix))
}

/// Returns the last part of a prefix, with the characters that names in `CloudFormation` may have: letters, digits and dashes.
fn suffix(prefix: &str) -> String {
    let last = prefix.trim_end_matches('-').rsplit('-').next().unwrap_or_default();
    let name: String = last.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect();
    name.trim_matches('-').to_owned()
}

/// Returns a prefix without the dash at its end and the mark of a restore.
fn base(prefix: &str) -> &str {
    let name = prefix.strip_suffix('-').unwrap_or(prefix);
    let is_mark = |mark: &str| mark.len() == DIGITS && mark.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once("-r").filter(|(_, mark)| is_mark(mark)).map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_tables_are_named_after_their_instant() {
        let at: Timestamp = "2026-11-22T12:05:59Z".parse().expect("an instant");
        for (before, prefix, stack) in [
            ("presence-", "presence-r202611221205-", "presence"),
            ("prod", "prod-r202611221205-", "prod"),
            ("presence-r202601010000-", "presence-r202611221205-", "presence"),
            ("my-rest-", "my-rest-r202611221205-", "my-rest"),
            ("my-r12-", "my-r12-r202611221205-", "my-r12"),
        ] {
            assert_eq!(
                (default_prefix(before, at).as_str(), default_stack(before).as_str()),
                (prefix, stack),
                "{before}"
            );
        }
    }

    #[test]
    fn stack_of_restored_tables_is_named_after_the_service_and_the_prefix() {
        for (prefix, name) in [
            ("presence-r202611221205-", "prod-tables-r202611221205"),
            ("back.up_", "prod-tables-back-up"),
            ("x", "prod-tables-x"),
        ] {
            assert_eq!(tables_stack("prod", prefix), name);
            assert_eq!(change_set(prefix), name.replace("prod-tables", "restore"));
        }
    }
}
