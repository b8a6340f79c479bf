//! `ops user`

use std::collections::HashSet;

use clap::{Args, Subcommand};
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence_store::{MailChange, Refused, UserChange};
use serde_json::json;

use crate::exit::Failure;
use crate::{Context, Exit, args};

/// How often an id is drawn: two collisions in a row among 2^53 ids do not happen.
const ATTEMPTS: u32 = 3;

const CREATE_EXAMPLES: &str = "\
Examples:
  ops user create --email zoe@example.org --first-name Zoe --last-name Martin \\
      --role PROVIDER
  ops user create --email ann@example.org --first-name Ann --last-name Lee \\
      --role ORG_ADMIN --org-id 42 --lang fr --status invited";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a user and print its id
    ///
    /// For the first users, who have nobody to create them through the API. The user has no password; an invited one
    /// is sent a mail to choose it. Prints the id on stdout; with --json {"id":"…"}.
    #[command(after_help = CREATE_EXAMPLES)]
    Create(NewUser),
}

#[derive(Debug, Args)]
pub(crate) struct NewUser {
    /// Address, unique over all organisations
    #[arg(long, value_parser = args::email)]
    email: EmailAddress,
    /// First name, 1 to 100 characters
    #[arg(long, value_parser = args::person_name)]
    first_name: PersonName,
    /// Last name, 1 to 100 characters
    #[arg(long, value_parser = args::person_name)]
    last_name: PersonName,
    /// What the user may do
    #[arg(long, value_parser = args::role())]
    role: Role,
    /// Organisation; needed for every role but PROVIDER
    #[arg(long, value_name = "N", value_parser = args::org_id)]
    #[arg(required_if_eq_any([("role", Role::OrgAdmin.as_str()), ("role", Role::BusinessManager.as_str())]))]
    org_id: Option<OrgId>,
    /// Phone number: at most 32 digits, spaces and + - . ( ) /
    #[arg(long, value_parser = args::phone)]
    phone: Option<Phone>,
    /// Language of mails and pages: en, fr, es, it, de or pt
    #[arg(long, value_parser = args::lang)]
    lang: Option<Lang>,
    /// Whether the account is in use at once, or waits for its owner to accept an invitation
    #[arg(long, value_parser = args::status(), default_value = Status::Active.as_str())]
    status: Status,
    /// Send an invited user no mail; it can be invited again through the API
    #[arg(long)]
    no_mail: bool,
    /// Business of the organisation with WRITE permission; may be repeated
    #[arg(long = "business-id", value_name = "ID", value_parser = args::business_id, requires = "org_id")]
    business_ids: Vec<BusinessId>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    let Command::Create(new) = command;
    check_businesses(&new, context).await?;
    let org_id = new.org_id;
    let id = write(new, context).await?;
    if context.console.json {
        context.console.json_line(&json!({ "id": id.to_string() }))?;
    } else {
        context.console.line(id)?;
    }
    if let Some(org_id) = org_id
        && !context.store.org_exists(org_id).await?
    {
        context.console.note(format_args!("note: organisation {org_id} has not been imported"));
    }
    Ok(Exit::Done)
}

async fn check_businesses(new: &NewUser, context: &Context) -> Result<(), Failure> {
    let unknown = context.store.unknown_businesses(new.org_id, &new.business_ids).await?;
    if unknown.is_empty() {
        return Ok(());
    }
    let unknown: Vec<_> = unknown.iter().map(BusinessId::as_str).collect();
    Err(Failure::because(format!("no businesses of this organisation: {}", unknown.join(", "))))
}

async fn write(new: NewUser, context: &Context) -> Result<UserId, Failure> {
    let now = context.clock.now();
    let is_sent_mail = new.status == Status::Invited && !new.no_mail;
    let mail = if is_sent_mail { MailChange::Send { due_at: now } } else { MailChange::Keep };
    let mut user = new.into_user();
    user.invited_at = is_sent_mail.then_some(now);
    for _ in 0..ATTEMPTS {
        let change = UserChange { before: None, after: Some(&user), mail, keep_an_admin: false, now };
        match context.store.write_user(change).await {
            Ok(()) => return Ok(user.id),
            Err(Refused::Stale | Refused::LastAdmin) => user.id = UserId::random(),
            Err(Refused::EmailTaken) => return Err(email_taken(&user.email, context).await?),
            Err(Refused::Failed(error)) => return Err(error.into()),
        }
    }
    Err(Failure::because("concurrent changes won every attempt: run it again"))
}

async fn email_taken(email: &EmailAddress, context: &Context) -> Result<Failure, Failure> {
    let holder = context.store.user_id_by_email(email.key()).await?;
    let holder = holder.map_or_else(|| "another user".to_owned(), |id| format!("user {id}"));
    Ok(Failure::because(format!("the e-mail address already exists: {holder} has it")))
}

impl NewUser {
    fn into_user(self) -> User {
        let mut seen = HashSet::new();
        let mut business_ids = self.business_ids;
        business_ids.retain(|id| seen.insert(id.clone()));
        User {
            id: UserId::random(),
            version: 1,
            status: self.status,
            role: self.role,
            org_id: self.org_id,
            first_name: self.first_name,
            last_name: self.last_name,
            email: self.email,
            phone: self.phone,
            lang: self.lang,
            business_ids,
            // Nobody can sign in with a password until one is chosen.
            password: None,
            invited_at: None,
            quiet_until: None,
            links: InvitationLinks::default(),
            keys: Vec::new(),
        }
    }
}
