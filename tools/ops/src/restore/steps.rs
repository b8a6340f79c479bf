//! Names of the steps of a restore.

/// Step of a restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepName {
    Check,
    Tables,
    Settings,
    Again,
    Mails,
    Audits,
    Import,
    Switch,
    /// The same as `Again`, for what was changed in the tables of before until nothing used them any more.
    AgainSince,
    Local,
}

impl StepName {
    /// Returns the steps in their order: those in AWS, or those on another endpoint, which has no stacks.
    pub(super) fn all(has_stacks: bool) -> &'static [Self] {
        use StepName::{Again, AgainSince, Audits, Check, Import, Local, Mails, Settings, Switch, Tables};
        if has_stacks {
            &[Check, Tables, Settings, Again, Mails, Audits, Import, Switch, AgainSince]
        } else {
            &[Check, Tables, Settings, Again, Mails, Audits, Local]
        }
    }

    /// Returns the name in the output.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Tables => "tables",
            Self::Settings => "settings",
            Self::Again => "again",
            Self::Mails => "mails",
            Self::Audits => "audits",
            Self::Import => "import",
            Self::Switch => "switch",
            Self::AgainSince => "again-since",
            Self::Local => "local",
        }
    }

    /// Returns the effect in one sentence.
    pub(super) fn does(self) -> &'static str {
        match self {
            Self::Check => "Point-in-time recovery is on, the instant is in its window, and the new names are free.",
            Self::Tables => "DynamoDB restores the five tables under new names; the audit trail stays.",
            Self::Settings => "Protection, the stream, the expiry of items, point-in-time recovery and tags are set.",
            Self::Again => "Keys revoked and users deleted since are revoked and deleted again; rights and links too.",
            Self::Mails => "Mails that waited at the instant are held until an operator retries or cancels them.",
            Self::Audits => "Users and reviews are audited; findings stop the restore before anything uses the tables.",
            Self::Import => "A stack of its own takes the new tables in.",
            Self::Switch => "The stack of the service uses the new tables. ActiveTables of before reverses it.",
            Self::AgainSince => "Changes in the old tables until the switch are repeated as in step 4.",
            Self::Local => "The local stack can be started on the new tables.",
        }
    }
}
