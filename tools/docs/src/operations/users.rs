//! The operations on users.

use super::Operation;
use crate::parameters::{Parameter, paging};
use crate::values;

const TAG: &str = "users";
const UNKNOWN_PARAMETER: &str =
    "A parameter that the operation does not have, or a value that its parameter cannot have.";
/// A `BUSINESS_MANAGER` of the sample.
const MANAGER: &str = "1005";
/// An invited user of the sample.
const INVITED: &str = "1008";

pub(super) fn operations() -> Vec<Operation> {
    vec![me(), get(), search(), stats(), create(), update(), delete(), invite()]
}

fn me() -> Operation {
    Operation {
        name: "get_me",
        parameters: vec![display_business_ids()],
        examples: Vec::new(),
        tag: TAG,
        summary: "Get the calling user",
        words: "The user that owns the key, with the same fields as any other one.\n\n**Roles**: all.",
        body: None,
        answer: ("User", "The user."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: None,
        refusals: &[],
    }
}

fn get() -> Operation {
    Operation {
        name: "get_user",
        parameters: vec![user_id(MANAGER, "The user."), display_business_ids()],
        examples: Vec::new(),
        tag: TAG,
        summary: "Get one user",
        words: "One user, by id.\n\n**Roles**: PROVIDER for users of every organisation; ORG_ADMIN and BUSINESS_MANAGER for those \
                of their own. A user that the caller may not see does not exist: 404, never 403.",
        body: None,
        answer: ("User", "The user."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: None,
        refusals: &[404],
    }
}

fn search() -> Operation {
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
        parameters: filters.into_iter().chain(paging()).chain([display_business_ids()]).collect(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Search users",
        words: "The users that **all** filters admit, in pages; without a filter, every user in the caller's reach.\n\n\
                **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER who names no \
                organisation: by organisation before all, users without one first.\n\n\
                `role`, `org_id` and `lang` are not part of what is found: get one user to read them.\n\n\
                **Roles**: PROVIDER finds users of every organisation; ORG_ADMIN and BUSINESS_MANAGER those of their own.",
        body: None,
        answer: ("UserPage", "A page of users."),
        invalid: UNKNOWN_PARAMETER,
        forbidden: Some("`org_id` names another organisation than the caller's, who is no PROVIDER."),
        refusals: &[],
    }
}

fn stats() -> Operation {
    Operation {
        name: "get_user_stats",
        parameters: Vec::new(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Count users by status",
        words: "How many users an unfiltered search with the same key lists: all of them, the invited and the active ones.\n\n\
                **Roles**: all; a PROVIDER counts the users of every organisation.",
        body: None,
        answer: ("UserStats", "The counts: `count` is the sum of the others."),
        invalid: "A parameter: the operation has none.",
        forbidden: None,
        refusals: &[],
    }
}

fn create() -> Operation {
    Operation {
        name: "create_user",
        parameters: Vec::new(),
        examples: Vec::new(),
        tag: TAG,
        summary: "Create a user",
        words: "Creates a user who is `active`, or one who is `invited`: that one gets a mail with a link to a page where a \
                password is chosen, and is active from then on. The link works for 72 hours, once.\n\n\
                | `status` | `send_invitation` | the user is | mail |\n|---|---|---|---|\n\
                | left out | left out or false | active | no |\n| left out | true | invited | yes |\n\
                | `invited` | left out or true | invited | yes |\n| `invited` | false | invited, until a later invite | no |\n\
                | `active` | left out or false | active | no |\n\
                | `active` | true | active | yes: the link lets the person choose a password |\n\n\
                The mail is sent soon after the answer, and is never lost; one user is sent at most one in 5 minutes.\n\n\
                **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own organisation, with the \
                roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.",
        body: Some(("NewUser", "The user.")),
        answer: ("Success", "The user was created; `id` is its id."),
        invalid: "No JSON object; fields that are missing, unknown, given twice or wrong, all of them named; an address that \
                  another user has; businesses that are not those of the organisation.",
        forbidden: Some("The caller may not create users, or not of this organisation, or not with this role."),
        refusals: &[409, 415],
    }
}

fn update() -> Operation {
    Operation {
        name: "update_user",
        parameters: vec![user_id(MANAGER, "The user to be changed.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Update a user",
        words: "Changes what is given and nothing else; a body that changes nothing is fine. All of it counts at once, or \
                none of it.\n\n\
                **Status**: from `active` to `invited` the password is forgotten, the keys are revoked for good, and an \
                invitation is sent (inside the 5 minutes after the last one, at their end). From `invited` to `active` a \
                `password` is needed unless the user has one, and the pending link dies. The same status again has no effect.\n\n\
                **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation but a PROVIDER; BUSINESS_MANAGER \
                only itself, and of itself only `first_name`, `last_name`, `phone`, `lang`, `email` and `password`. Nobody \
                changes their own `role`, `status`, `org_id` or `business_ids`, and nobody gives a role above their own. \
                Only a PROVIDER moves users to another organisation. A field sent with its present value is no change, and \
                no 403. The last active ORG_ADMIN of an organisation can be demoted or disabled by a PROVIDER only.",
        body: Some(("UserChange", "What is to change.")),
        answer: ("Success", "The user is as asked."),
        invalid: "No JSON object; fields that are unknown, given twice or wrong, all of them named; an address that another \
                  user has; businesses that are not those of the organisation; a change that would leave an organisation \
                  without an ORG_ADMIN.",
        forbidden: Some("The caller may see the user, but not change it, or not in this way."),
        refusals: &[404, 409, 415],
    }
}

fn delete() -> Operation {
    Operation {
        name: "delete_user",
        parameters: vec![user_id(MANAGER, "The user to be deleted.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Delete a user",
        words: "Deletes a user for good, with its keys, its links and the mails that wait for it. Its address is free again, and \
                every operation on its id is 404 from then on.\n\n\
                **Roles**: PROVIDER deletes anyone but itself; ORG_ADMIN users of its organisation, but neither itself, nor a \
                PROVIDER, nor the last active ORG_ADMIN; BUSINESS_MANAGER nobody.",
        body: None,
        answer: ("Success", "The user is gone."),
        invalid: "A parameter: the operation has none. Or the user is the last active ORG_ADMIN of its organisation.",
        forbidden: Some("The caller may see the user, but not delete it."),
        refusals: &[404, 409],
    }
}

fn invite() -> Operation {
    Operation {
        name: "invite_user",
        parameters: vec![user_id(INVITED, "The user to be invited again.")],
        examples: Vec::new(),
        tag: TAG,
        summary: "Invite a user again",
        words: "Sends a new invitation to a user who is `invited`: at most once in 5 minutes, whichever operation asked for the \
                last one. Of several requests at the same time exactly one succeeds. The new link takes the place of the old one \
                once it is sent. Needs no body.\n\n\
                **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation but a PROVIDER; BUSINESS_MANAGER nobody.",
        body: None,
        answer: ("Success", "The invitation is on its way; there is no `id`."),
        invalid: "A parameter: the operation has none. Or the user is not `invited`.",
        forbidden: Some("The caller may see the user, but not invite it."),
        refusals: &[404, 409, 429],
    }
}

fn user_id(example: &'static str, words: &str) -> Parameter {
    let words = format!("{words} What is no id is answered like an id that nobody has: 404.");
    Parameter::path("user_id", values::decimal_id, example, &words)
}

fn display_business_ids() -> Parameter {
    Parameter::truth(
        "display_business_ids",
        "False",
        "Whether `business_ids` is part of the answer; it is unless refused.",
    )
}
