//! `ops users create`, and its former name `ops user create`.

use std::collections::HashSet;

use clap::{Args, Subcommand};
use presence_domain::email::EmailAddress;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::user::{Lang, NewUser, PersonName, Phone, Role, Status, User};
use presence_store::UserWriteError;
use serde_json::json;

use crate::error::CommandError;
use crate::{Context, Exit, args};

pub(crate) const CREATE_EXAMPLES: &str = "\
Examples:
  ops users create --email zoe@example.org --first-name Zoe --last-name Martin \\
      --role PROVIDER
  ops users create --email ann@example.org --first-name Ann --last-name Lee \\
      --role ORG_ADMIN --org 42 --lang fr --status invited";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a user: the former name of ops users create
    #[command(after_help = CREATE_EXAMPLES)]
    Create(CreateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Address, unique over all organisations
    #[arg(long, value_parser = args::parse_email)]
    email: EmailAddress,
    /// First name, 1 to 100 characters
    #[arg(long, value_parser = args::parse_person_name)]
    first_name: PersonName,
    /// Last name, 1 to 100 characters
    #[arg(long, value_parser = args::parse_person_name)]
    last_name: PersonName,
    /// Role of the user
    #[arg(long, value_parser = args::role_parser())]
    role: Role,
    /// Organisation; needed for every role but PROVIDER
    #[arg(long = "org", alias = "org-id", value_name = "N", value_parser = args::parse_org_id)]
    #[arg(required_if_eq_any([("role", Role::OrgAdmin.as_str()), ("role", Role::BusinessManager.as_str())]))]
    org_id: Option<OrgId>,
    /// Phone number: at most 32 digits, spaces and + - . ( ) /
    #[arg(long, value_parser = args::parse_phone)]
    phone: Option<Phone>,
    /// Language of mails and pages: en, fr, es, it, de or pt
    #[arg(long, value_parser = args::parse_lang)]
    lang: Option<Lang>,
    /// State of the account: in use at once, or waiting until its owner accepts an invitation
    #[arg(long, value_parser = args::status_parser(), default_value = Status::Active.as_str())]
    status: Status,
    /// Send no mail to an invited user; the API can invite the user later
    #[arg(long)]
    no_mail: bool,
    /// Business of the organisation with WRITE permission; may be repeated
    #[arg(long = "business-id", value_name = "ID", value_parser = args::parse_business_id, requires = "org_id")]
    business_ids: Vec<BusinessId>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    let Command::Create(args) = command;
    create_user(args, context).await
}

/// Creates a user of an organisation that exists, and prints its id.
pub(crate) async fn create_user(args: CreateArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let is_active = args.status == Status::Active;
    check_org(&args, context).await?;
    check_businesses(&args, context).await?;
    let id = create(args, context).await?;
    context.console.write_value(&json!({ "id": id.to_string() }), id)?;
    let next = if is_active { format!("ops key issue --user {id}") } else { "ops outbox list".to_owned() };
    context.console.write_next(next);
    Ok(Exit::Done)
}

async fn check_org(args: &CreateArgs, context: &Context) -> Result<(), CommandError> {
    match args.org_id {
        Some(org_id) if !context.stores.businesses.has_org(org_id).await? => {
            Err(CommandError::refused(format!("there is no organisation {org_id}: ops orgs create NAME --id {org_id}")))
        }
        _ => Ok(()),
    }
}

async fn check_businesses(args: &CreateArgs, context: &Context) -> Result<(), CommandError> {
    let unknown = context.stores.businesses.list_unknown(args.org_id, &args.business_ids).await?;
    if unknown.is_empty() {
        return Ok(());
    }
    let unknown: Vec<_> = unknown.iter().map(BusinessId::as_str).collect();
    Err(CommandError::refused(format!("no businesses of this organisation: {}", unknown.join(", "))))
}

async fn create(args: CreateArgs, context: &Context) -> Result<UserId, CommandError> {
    let email = args.email.clone();
    let change = User::create(args.into_new_user(), UserId::random(), &context.actor().await?, context.clock.now());
    match context.stores.users.create(&change).await {
        Ok(id) => Ok(id),
        Err(UserWriteError::EmailTaken) => Err(email_taken_error(&email, context).await?),
        Err(UserWriteError::AddressMarked(mark)) => Err(CommandError::refused(mark.text())),
        Err(UserWriteError::Failed(error)) => Err(error.into()),
        Err(_) => Err(Error::Conflict.into()),
    }
}

/// Returns the error that names the user who has the address.
async fn email_taken_error(email: &EmailAddress, context: &Context) -> Result<CommandError, CommandError> {
    let holder = context.stores.users.get_id_by_email(email.key()).await?;
    let holder = holder.map_or_else(|| "another user".to_owned(), |id| format!("user {id}"));
    Ok(CommandError::refused(format!("the e-mail address already exists: {holder} has it")))
}

impl CreateArgs {
    fn into_new_user(self) -> NewUser {
        let mut seen = HashSet::new();
        let mut business_ids = self.business_ids;
        business_ids.retain(|id| seen.insert(id.clone()));
        NewUser {
            status: self.status,
            role: self.role,
            org_id: self.org_id,
            first_name: self.first_name,
            last_name: self.last_name,
            email: self.email,
            phone: self.phone,
            lang: self.lang,
            business_ids,
            // Nobody can sign in with a password until the user has chosen one.
            password: None,
            send_invitation: self.no_mail.then_some(false),
        }
    }
}
