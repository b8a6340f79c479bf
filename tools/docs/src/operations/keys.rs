//! Operations on the keys of a user.

use super::users::user_id_parameter;
use super::{Operation, body, operation};
use crate::parameters::Parameter;
use crate::values;

const TAG: &str = "users";
/// Id of an `ORG_ADMIN` in the sample, who has two keys.
const ADMIN_ID: &str = "1003";
/// Id of a key of this user, which may only read.
const READ_KEY_ID: &str = "1003-9dfde7a91e1c";

pub(super) fn operations() -> Vec<Operation> {
    vec![list_keys(), create_key(), rotate_key(), revoke_key()]
}

fn list_keys() -> Operation {
    Operation {
        name: "list_keys",
        parameters: vec![owner()],
        summary: "List the keys of a user",
        description: "Returns the keys that give access and those that ended in the last 90 days, newest first. A key itself is shown \
                once, when it is created. Of keys that ended, the last 50 are kept.\n\n\
                **Roles**: PROVIDER for everyone; ORG_ADMIN for the users of its organisation except a PROVIDER; BUSINESS_MANAGER for \
                itself.",
        success: body("KeyList", "The keys."),
        invalid: "The request has a parameter: the operation has none.",
        forbidden: Some("The caller may see the user, but not manage its keys."),
        extra_statuses: &[404],
        ..operation(TAG)
    }
}

fn create_key() -> Operation {
    Operation {
        name: "create_key",
        parameters: vec![owner()],
        summary: "Create a key",
        description: "Creates a key for an `active` user. The response has the key, **this once**: nothing keeps it, and the response to a \
                repeated request with the same `Idempotency-Key` has null in its place. A user has at most 5 keys that give access.\n\n\
                No key makes a key that may more than itself. Left out, `allowed_networks` are those of the calling key, and \
                `expires_at` is a year ahead or the end of the calling key, whichever is earlier.\n\n\
                **Roles**: as for the list of keys.",
        body: Some(body("KeyCreation", "The key to create.")),
        success: body("IssuedKey", "The key was created."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid (the response names all of \
                  them); the user is not `active`, or has 5 keys that give access.",
        forbidden: Some(
            "The caller may see the user, but not manage its keys; or the calling key may less than the new one would; or \
                         it may only read.",
        ),
        extra_statuses: &[404, 409, 415, 422],
        ..operation(TAG)
    }
}

fn rotate_key() -> Operation {
    Operation {
        name: "rotate_key",
        parameters: vec![owner(), key_id("Id of the key to replace.")],
        summary: "Replace a key by a new one",
        description: "Creates a key that replaces another one, with its label, access, networks and limit of requests. The old key gives \
                access during the overlap, unless it ends before. The new one lasts as long as a key that is created without \
                `expires_at`. The response is that of create, with the same rule on repeated requests.\n\n\
                A user with 5 keys may rotate each of them: at most 10 give access at a time. One key that is rotated again and again \
                leaves 5.\n\n\
                **Roles**: as for the list of keys.",
        body: Some(body("KeyRotation", "The overlap.")),
        success: body("IssuedKey", "The new key was created, and the old one ends."),
        invalid: "Causes: the body is no JSON object; a field is unknown, repeated or invalid; the key gives no access any more; the \
                  user has 10 keys that give access, or 5 others that do in 90 days, too.",
        forbidden: Some(
            "The caller may see the user, but not manage its keys; or the calling key may less than the new one would; or \
                         it may only read.",
        ),
        extra_statuses: &[404, 409, 415, 422],
        ..operation(TAG)
    }
}

fn revoke_key() -> Operation {
    Operation {
        name: "revoke_key",
        parameters: vec![owner(), key_id("Id of the key to revoke.")],
        summary: "Revoke a key",
        description: "Ends a key for good: it gives no access from the next request on. The calling key may end itself. A key that was \
                revoked before stays as it is, and the response is the same.\n\n\
                **Roles**: as for the list of keys.",
        success: body("Success", "The key gives no access; `id` is its id."),
        invalid: "The request has a parameter: the operation has none.",
        forbidden: Some("The caller may see the user, but not manage its keys; or the calling key may only read."),
        extra_statuses: &[404, 409, 422],
        ..operation(TAG)
    }
}

fn owner() -> Parameter {
    user_id_parameter(ADMIN_ID, "Id of the owner.")
}

fn key_id(description: &str) -> Parameter {
    let description = format!("{description} The id of no key of the user: 404.");
    Parameter::path("key_id", values::key_id, READ_KEY_ID, &description)
}
