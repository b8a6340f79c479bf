//! `ops users show`: one user.

use super::UserBody;
use crate::error::CommandError;
use crate::{Context, Exit};

pub(super) const JSON: &str = "\
All reads are strong. Prints one field a line, with --json one object: {\"id\",
\"email\",\"first_name\",\"last_name\",\"phone\",\"lang\",\"status\",\"role\",\"org_id\",
\"business_ids\",\"has_password\",\"invited_at\",\"quiet_until\",\"links\",\"mail\",
\"address_mark\",\"keys\"}. links have \"state\" (live, expired, used or replaced) and
\"expires_at\"; mail is null or has \"id\", \"state\" (pending or failed),
\"created_at\", \"due_at\" and \"attempts\"; address_mark is null or has \"reason\"
and \"at\"; keys are as in `ops key list`. No secret is shown.";

pub(super) async fn show(id: &str, context: &mut Context) -> Result<Exit, CommandError> {
    let details = context.stores.users.get_details(&[context.find_user(id).await?]).await?;
    let details = details.first().ok_or_else(|| CommandError::user_not_found(id))?;
    let body = UserBody::new(details, context.clock.now());
    context.console.write_object(&body)?;
    Ok(Exit::Done)
}
