//! Operations on users.

use super::{Operation, body, operation};
use crate::parameters::{Parameter, paging};
use crate::values;

const TAG: &str = "users";
/// Id of a `BUSINESS_MANAGER` in the sample.
const MANAGER_ID: &str = "1005";
/// Id of a user in the sample who has no key, so that a trial of its deletion takes no key with it.
const USER_WITHOUT_KEY_ID: &str = "1007";
/// Id of an invited user in the sample.
const INVITED_ID: &str = "1008";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get_me(),
        get_user(),
        search_users(),
        get_user_stats(),
        create_user(),
        update_user(),
        delete_user(),
        invite_user(),
    ]
}

fn get_me() -> Operation {
    Operation {
        name: "get_me",
        parameters: vec![display_business_ids_parameter()],
        summary: "Get the calling user",
        description: "Returns the user who owns the key, with the same fields as any other user.\n\n**Roles**: all.",
        success: body("User", "The user."),
        ..operation(TAG)
    }
}

fn get_user() -> Operation {
    Operation {
        name: "get_user",
        parameters: vec![user_id_parameter(MANAGER_ID, "Id of the user."), display_business_ids_parameter()],
        summary: "Get one user",
        description: "Returns one user by id.\n\n**Roles**: PROVIDER for users of every organisation; ORG_ADMIN and BUSINESS_MANAGER for those \
                of their own. A user that the caller may not see is answered like an unknown one: 404, never 403.",
        success: body("User", "The user."),
        extra_statuses: &[404],
        ..operation(TAG)
    }
}

fn search_users() -> Operation {
    #[rustfmt::skip]
    let filters = vec![
        Parameter::integer("org_id", values::org_id, "42",
            "Only users of this organisation. A caller that is not a PROVIDER may only name its own: another one is 403."),
        Parameter::text("last_name", values::search_text, "martin",
            "Only users whose last name contains this text, ignoring case, accents and width."),
        Parameter::text("email", values::email_filter, "luc.martin@maison-verte.example", "Only the user with this address, ignoring case."),
        Parameter::text("status", values::status, "active", "Only users with this status."),
        Parameter::text("query", values::search_text, "martn",
            "Only users who match every word of this text, at most 32 words. A word matches if a word of the first name, the last name or \
             the e-mail address contains it. A word of 5 letters or more may have one wrong letter, one of 9 or more two. Case, accents \
             and width are ignored."),
    ];
    Operation {
        name: "search_users",
        parameters: filters.into_iter().chain(paging()).chain([display_business_ids_parameter()]).collect(),
        summary: "Search users",
        description: "Returns the users who match **all** filters, in pages. Without a filter, these are all users in the caller's reach.\n\n\
                **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without `org_id`, the \
                organisation comes before all of these, and users without one come first.\n\n\
                The results do not have `role`, `org_id` and `lang`: get one user to read them.\n\n\
                **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of their own.",
        success: body("UserPage", "A page of users."),
        forbidden: Some("The caller is not a PROVIDER, and `org_id` is not its own organisation."),
        ..operation(TAG)
    }
}

fn get_user_stats() -> Operation {
    Operation {
        name: "get_user_stats",
        summary: "Count users by status",
        description: "Returns the number of users that a search without filters finds for the same key: in total, invited and active.\n\n\
                **Roles**: all; a PROVIDER counts the users of every organisation.",
        success: body("UserStats", "The counts: `count` is the sum of the others."),
        invalid: "The request has a parameter: the operation has none.",
        ..operation(TAG)
    }
}

fn create_user() -> Operation {
    Operation {
        name: "create_user",
        summary: "Create a user",
        description: "Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where they choose a \
                password, which makes them active. The link is valid for 72 hours and works once.\n\n\
                | `status` | `send_invitation` | the user is | mail |\n|---|---|---|---|\n\
                | left out | left out or false | active | no |\n| left out | true | invited | yes |\n\
                | `invited` | left out or true | invited | yes |\n| `invited` | false | invited, until a later invite | no |\n\
                | `active` | left out or false | active | no |\n\
                | `active` | true | active | yes: the link lets the person choose a password |\n\n\
                The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5 minutes.\n\n\
                **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own organisation, with the \
                roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.",
        body: Some(body("UserCreation", "The user to create.")),
        success: body("Success", "The user was created; `id` is its id."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid (the response names all \
                  of them); the address belongs to another user; a mail would be sent to an address to which mail bounced or was \
                  reported as spam; a business is not of the organisation.",
        forbidden: Some("The caller may not create users, or not in this organisation, or not with this role."),
        extra_statuses: &[409, 415, 422],
        ..operation(TAG)
    }
}

fn update_user() -> Operation {
    Operation {
        name: "update_user",
        parameters: vec![user_id_parameter(MANAGER_ID, "Id of the user to change.")],
        summary: "Update a user",
        description: "Changes the given fields only. A body that changes nothing succeeds. All changes take effect together, or \
                none does.\n\n\
                **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and sends an \
                invitation, at the earliest 5 minutes after the last one. A change from `invited` to `active` needs a `password` \
                unless the user has one, and invalidates the pending link. The present status again has no effect.\n\n\
                **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER; BUSINESS_MANAGER \
                only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`, `email` and `password`. Nobody \
                changes their own `role`, `status`, `org_id` or `business_ids`, and nobody grants a role above their own. \
                Only a PROVIDER moves users to another organisation. A field with its present value is not a change, so it \
                is never 403. Only a PROVIDER can demote or disable the last active ORG_ADMIN of an organisation, and nobody the last \
                active PROVIDER.",
        body: Some(body("UserChange", "The changes.")),
        success: body("Success", "The changes were made."),
        invalid: "Causes: the body is no JSON object; a field is unknown, repeated or invalid (the response names all of \
                  them); the address belongs to another user; an invitation would go to an address to which mail bounced or was \
                  reported as spam; a business is not of the organisation; the change would \
                  leave an organisation without an ORG_ADMIN.",
        forbidden: Some("The caller may see the user, but not make these changes."),
        extra_statuses: &[404, 409, 415, 422],
        ..operation(TAG)
    }
}

fn delete_user() -> Operation {
    Operation {
        name: "delete_user",
        parameters: vec![user_id_parameter(USER_WITHOUT_KEY_ID, "Id of the user to delete.")],
        summary: "Delete a user",
        description: "Deletes a user for good, with its keys, its links and its mails that are not sent yet. Its address can be used \
                again. Every later operation on its id is 404.\n\n\
                **Roles**: PROVIDER deletes anyone except itself; ORG_ADMIN users of its organisation, except itself, a PROVIDER and \
                the last active ORG_ADMIN; BUSINESS_MANAGER nobody.",
        success: body("Success", "The user was deleted."),
        invalid: "The request has a parameter: the operation has none. Or the user is the last active ORG_ADMIN of its organisation, or \
                  may be the last active PROVIDER.",
        forbidden: Some("The caller may see the user, but not delete it."),
        extra_statuses: &[404, 409, 422],
        ..operation(TAG)
    }
}

fn invite_user() -> Operation {
    Operation {
        name: "invite_user",
        parameters: vec![user_id_parameter(INVITED_ID, "Id of the user to invite again.")],
        summary: "Invite a user again",
        description: "Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other operations count, \
                too. Of several concurrent requests, exactly one succeeds. The new link replaces the old one once it is sent. \
                The operation needs no body.\n\n\
                **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER; BUSINESS_MANAGER nobody.",
        success: body("Success", "The invitation will be sent. The response has no `id`."),
        invalid: "The request has a parameter: the operation has none. Or the user is not `invited`. Or mail to its \
                  address bounced or was reported as spam: the text of `email` has the day and the remedy.",
        forbidden: Some("The caller may see the user, but not invite it."),
        extra_statuses: &[404, 409, 422, 429],
        ..operation(TAG)
    }
}

pub(super) fn user_id_parameter(example: &'static str, description: &str) -> Parameter {
    let description = format!("{description} A malformed id is answered like an unknown one: 404.");
    Parameter::path("user_id", values::decimal_id, example, &description)
}

fn display_business_ids_parameter() -> Parameter {
    Parameter::boolean("display_business_ids", "False", "False leaves `business_ids` out of the response.")
}
