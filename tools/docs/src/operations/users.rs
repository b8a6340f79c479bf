//! Operations on users.

use super::{Operation, body};
use crate::parameters::{Parameter, paging};
use crate::values;

const TAG: &str = "users";
const UNKNOWN_PARAMETER: &str =
    "A parameter that the operation does not have, or a value that its parameter cannot have.";
/// Id of a `BUSINESS_MANAGER` in the sample.
const MANAGER_ID: &str = "1005";
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
        examples: Vec::new(),
        tag: TAG,
        summary: "Get the calling user",
        description: "The user that owns the key, with the same fields as any other one.\n\n**Roles**: all.",
        body: None,
        success: body("User", "The user."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: None,
        extra_statuses: &[],
    }
}

fn get_user() -> Operation {
    Operation {
        name: "get_user",
        parameters: vec![user_id_parameter(MANAGER_ID, "The user."), display_business_ids_parameter()],
        examples: Vec::new(),
        tag: TAG,
        summary: "Get one user",
        description: "One user, by id.\n\n**Roles**: PROVIDER for users of every organisation; ORG_ADMIN and BUSINESS_MANAGER for those \
                of their own. A user that the caller may not see does not exist: 404, never 403.",
        body: None,
        success: body("User", "The user."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: None,
        extra_statuses: &[404],
    }
}

fn search_users() -> Operation {
    let filters = vec![
        Parameter::integer(
            "org_id",
            values::org_id,
            "42",
            "Only users of this organisation. Callers who are no PROVIDER may name their own; another one is 403.",
        ),
        Parameter::text(
            "last_name",
            values::search_text,
            "martin",
            "Only users whose last name has this text in it, ignoring case, accents and width.",
        ),
        Parameter::text(
            "email",
            values::email,
            "luc.martin@maison-verte.example",
            "Only the user with this address, ignoring case.",
        ),
        Parameter::text("status", values::status, "active", "Only users with this status."),
        Parameter::text(
            "query",
            values::search_text,
            "martn",
            "Only users that every word of it is found in: in a word of the first name, the last name or the e-mail \
             address, as a part of it or, from 5 letters up, with one letter wrong, from 9 with two. Ignores case, \
             accents and width.",
        ),
    ];
    Operation {
        name: "search_users",
        parameters: filters.into_iter().chain(paging()).chain([display_business_ids_parameter()]).collect(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Search users",
        description: "The users that **all** filters admit, in pages; without a filter, every user in the caller's reach.\n\n\
                **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER who names no \
                organisation: by organisation before all, users without one first.\n\n\
                `role`, `org_id` and `lang` are not part of what is found: get one user to read them.\n\n\
                **Roles**: PROVIDER finds users of every organisation; ORG_ADMIN and BUSINESS_MANAGER those of their own.",
        body: None,
        success: body("UserPage", "A page of users."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: Some("`org_id` names another organisation than the caller's, who is no PROVIDER."),
        extra_statuses: &[],
    }
}

fn get_user_stats() -> Operation {
    Operation {
        name: "get_user_stats",
        parameters: Vec::new(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Count users by status",
        description: "How many users an unfiltered search with the same key lists: all of them, the invited and the active ones.\n\n\
                **Roles**: all; a PROVIDER counts the users of every organisation.",
        body: None,
        success: body("UserStats", "The counts: `count` is the sum of the others."),
        invalid: "A parameter: the operation has none.",
        forbidden: None,
        extra_statuses: &[],
    }
}

fn create_user() -> Operation {
    Operation {
        name: "create_user",
        parameters: Vec::new(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Create a user",
        description: "Creates a user who is `active`, or one who is `invited`: that one gets a mail with a link to a page where a \
                password is chosen, and is active from then on. The link works for 72 hours, once.\n\n\
                | `status` | `send_invitation` | the user is | mail |\n|---|---|---|---|\n\
                | left out | left out or false | active | no |\n| left out | true | invited | yes |\n\
                | `invited` | left out or true | invited | yes |\n| `invited` | false | invited, until a later invite | no |\n\
                | `active` | left out or false | active | no |\n\
                | `active` | true | active | yes: the link lets the person choose a password |\n\n\
                The mail is sent soon after the answer, and is never lost; one user is sent at most one in 5 minutes.\n\n\
                **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own organisation, with the \
                roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.",
        body: Some(body("NewUser", "The user.")),
        success: body("Success", "The user was created; `id` is its id."),
        invalid: "No JSON object; fields that are missing, unknown, given twice or wrong, all of them named; an address that \
                  another user has; businesses that are not those of the organisation.",
        forbidden: Some("The caller may not create users, or not of this organisation, or not with this role."),
        extra_statuses: &[409, 415],
    }
}

fn update_user() -> Operation {
    Operation {
        name: "update_user",
        parameters: vec![user_id_parameter(MANAGER_ID, "The user to be changed.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Update a user",
        description: "Changes what is given and nothing else; a body that changes nothing is fine. All of it counts at once, or \
                none of it.\n\n\
                **Status**: from `active` to `invited` the password is forgotten, the keys are revoked for good, and an \
                invitation is sent (inside the 5 minutes after the last one, at their end). From `invited` to `active` a \
                `password` is needed unless the user has one, and the pending link dies. The same status again has no effect.\n\n\
                **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation but a PROVIDER; BUSINESS_MANAGER \
                only itself, and of itself only `first_name`, `last_name`, `phone`, `lang`, `email` and `password`. Nobody \
                changes their own `role`, `status`, `org_id` or `business_ids`, and nobody gives a role above their own. \
                Only a PROVIDER moves users to another organisation. A field sent with its present value is no change, and \
                no 403. The last active ORG_ADMIN of an organisation can be demoted or disabled by a PROVIDER only.",
        body: Some(body("UserChange", "What is to change.")),
        success: body("Success", "The user is as asked."),
        invalid: "No JSON object; fields that are unknown, given twice or wrong, all of them named; an address that another \
                  user has; businesses that are not those of the organisation; a change that would leave an organisation \
                  without an ORG_ADMIN.",
        forbidden: Some("The caller may see the user, but not change it, or not in this way."),
        extra_statuses: &[404, 409, 415],
    }
}

fn delete_user() -> Operation {
    Operation {
        name: "delete_user",
        parameters: vec![user_id_parameter(MANAGER_ID, "The user to be deleted.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Delete a user",
        description: "Deletes a user for good, with its keys, its links and the mails that wait for it. Its address is free again, and \
                every operation on its id is 404 from then on.\n\n\
                **Roles**: PROVIDER deletes anyone but itself; ORG_ADMIN users of its organisation, but neither itself, nor a \
                PROVIDER, nor the last active ORG_ADMIN; BUSINESS_MANAGER nobody.",
        body: None,
        success: body("Success", "The user is gone."),
        invalid: "A parameter: the operation has none. Or the user is the last active ORG_ADMIN of its organisation.",
        forbidden: Some("The caller may see the user, but not delete it."),
        extra_statuses: &[404, 409],
    }
}

fn invite_user() -> Operation {
    Operation {
        name: "invite_user",
        parameters: vec![user_id_parameter(INVITED_ID, "The user to be invited again.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Invite a user again",
        description: "Sends a new invitation to a user who is `invited`: at most once in 5 minutes, whichever operation asked for the \
                last one. Of several requests at the same time exactly one succeeds. The new link takes the place of the old one \
                once it is sent. Needs no body.\n\n\
                **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation but a PROVIDER; BUSINESS_MANAGER nobody.",
        body: None,
        success: body("Success", "The invitation is on its way; there is no `id`."),
        invalid: "A parameter: the operation has none. Or the user is not `invited`.",
        forbidden: Some("The caller may see the user, but not invite it."),
        extra_statuses: &[404, 409, 429],
    }
}

fn user_id_parameter(example: &'static str, description: &str) -> Parameter {
    let description = format!("{description} What is no id is answered like an id that nobody has: 404.");
    Parameter::path("user_id", values::decimal_id, example, &description)
}

fn display_business_ids_parameter() -> Parameter {
    Parameter::boolean(
        "display_business_ids",
        "False",
        "Whether `business_ids` is part of the answer; it is unless refused.",
    )
}
