//! `functions/manage`.

use http::Method;
use serde_json::json;
use skillhub_protocol::{
    AuditResponse, ChangeSkill, ChangeState, CreateNamespace, CreateToken, MaintainersResponse, MoveTag,
    NamespaceResponse, SetRole, TokenResponse, TokensResponse, WhoAmI,
};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::operation::Operation;

const PERSON: &[&str] = &["not_found"];

pub(crate) fn operations() -> Vec<Operation> {
    let skills = [change_scope(), put_tag(), delete_tag(), maintainers(), put_maintainer(), delete_maintainer()];
    let states = [
        state("yank", "yankVersion", "Withdraws a version: it leaves lists and tags, and stays downloadable by its id"),
        state("unyank", "unyankVersion", "Takes a yank back; tags do not come back by themselves"),
        state("block", "blockVersion", "Stops the bytes of a version from being handed out, for good"),
    ];
    let people = [create_namespace(), namespace(), audit(), put_member(), delete_member()];
    let tokens = [create_token(), tokens(), delete_token(), whoami(), openapi()];
    skills.into_iter().chain(states).chain(people).chain(tokens).collect()
}

fn change_scope() -> Operation {
    Operation::new(Method::PATCH, "/api/skills/{skillId}", "changeSkill", "management", "Changes who sees a skill")
        .about("Owners of the namespace only.")
        .manager()
        .takes::<ChangeSkill>(json!({ "scope": "public" }))
        .fails(422, &["invalid_request"])
        .done("It is so.")
}

fn put_tag() -> Operation {
    let path = "/api/skills/{skillId}/tags/{tag}";
    Operation::new(Method::PUT, path, "putTag", "management", "Points a tag at a version")
        .about("Maintainers of the skill and owners of the namespace. A skill has at most 10 tags.")
        .manager()
        .takes::<MoveTag>(json!({ "version": "1.2.0" }))
        .fails(409, &["conflict"])
        .done("It does.")
}

fn delete_tag() -> Operation {
    let path = "/api/skills/{skillId}/tags/{tag}";
    Operation::new(Method::DELETE, path, "deleteTag", "management", "Removes a tag").manager().done("It is not there.")
}

fn maintainers() -> Operation {
    let path = "/api/skills/{skillId}/maintainers";
    Operation::new(Method::GET, path, "listMaintainers", "management", "Who may publish versions besides the owners")
        .about("For members of the namespace.")
        .reader()
        .answers::<MaintainersResponse>(200, "Their handles, creator first.")
}

fn put_maintainer() -> Operation {
    let path = "/api/skills/{skillId}/maintainers/{handle}";
    Operation::new(Method::PUT, path, "putMaintainer", "management", "Makes a publisher of the namespace a maintainer")
        .about("Owners of the namespace only. A skill has at most 20 maintainers.")
        .manager()
        .fails(409, &["conflict"])
        .fails(422, PERSON)
        .done("It is one.")
}

fn delete_maintainer() -> Operation {
    let path = "/api/skills/{skillId}/maintainers/{handle}";
    Operation::new(Method::DELETE, path, "deleteMaintainer", "management", "Takes a person from the maintainers")
        .about("Owners of the namespace only.")
        .manager()
        .fails(422, PERSON)
        .done("It is none.")
}

fn state(verb: &str, id: &str, summary: &str) -> Operation {
    let path = match verb {
        "yank" => "/api/skills/{skillId}/versions/{versionId}/yank",
        "unyank" => "/api/skills/{skillId}/versions/{versionId}/unyank",
        _ => "/api/skills/{skillId}/versions/{versionId}/block",
    };
    let operation = Operation::new(Method::POST, path, id, "management", summary);
    let operation = operation.manager().takes::<ChangeState>(json!({ "reason": "A link in it went bad." }));
    let operation = if verb == "block" { operation } else { operation.fails(410, &["blocked"]) };
    operation.done("It is so; also if it was so already.")
}

fn create_namespace() -> Operation {
    Operation::new(Method::POST, "/api/namespaces", "createNamespace", "people", "Makes a namespace")
        .about("An organization, or the caller's one personal namespace. The caller becomes its owner.")
        .manager()
        .takes::<CreateNamespace>(json!({ "namespace": "@my-team", "kind": "organization" }))
        .fails(409, &["conflict"])
        .answers::<NamespaceResponse>(201, "The namespace.")
}

fn namespace() -> Operation {
    Operation::new(Method::GET, "/api/namespaces/{namespace}", "getNamespace", "people", "A namespace and its members")
        .about("For its members.")
        .known()
        .answers::<NamespaceResponse>(200, "The namespace.")
}

fn audit() -> Operation {
    let cursor = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[0-9TZ:.-]{24}#[0-9a-f]{16}$"));
    Operation::new(
        Method::GET,
        "/api/namespaces/{namespace}/audit",
        "listAudit",
        "people",
        "What was done in a namespace",
    )
    .about("For its owners. The newest first.")
    .known()
    .forbids()
    .limit(50, 100)
    .cursor_as(cursor)
    .answers::<AuditResponse>(200, "One page.")
}

fn put_member() -> Operation {
    let path = "/api/namespaces/{namespace}/members/{handle}";
    Operation::new(Method::PUT, path, "putMember", "people", "Gives a person a role")
        .about("Owners only.")
        .manager()
        .takes::<SetRole>(json!({ "role": "publisher" }))
        .fails(409, &["conflict"])
        .fails(422, PERSON)
        .done("It has the role.")
}

fn delete_member() -> Operation {
    let path = "/api/namespaces/{namespace}/members/{handle}";
    Operation::new(Method::DELETE, path, "deleteMember", "people", "Takes a person out of a namespace")
        .about("Owners, and everybody for themselves.")
        .manager()
        .fails(409, &["conflict"])
        .fails(422, PERSON)
        .done("It is no member.")
}

fn create_token() -> Operation {
    Operation::new(Method::POST, "/api/tokens", "createToken", "people", "Makes an API token")
        .about("Its scopes must be among those of the caller's token. A person has at most 100 tokens.")
        .manager()
        .takes::<CreateToken>(json!({ "name": "ci", "scopes": ["read", "publish"] }))
        .fails(409, &["conflict"])
        .answers_with::<TokenResponse>(201, "The token, which is shown this once.", &["Cache-Control"])
}

fn tokens() -> Operation {
    Operation::new(Method::GET, "/api/tokens", "listTokens", "people", "The caller's tokens")
        .known()
        .answers::<TokensResponse>(200, "What is known of them, oldest first.")
}

fn delete_token() -> Operation {
    Operation::new(Method::DELETE, "/api/tokens/{tokenId}", "deleteToken", "people", "Revokes a token of the caller's")
        .manager()
        .done("It works no more.")
}

fn whoami() -> Operation {
    Operation::new(Method::GET, "/api/whoami", "whoAmI", "people", "The caller's handle, namespaces and roles")
        .known()
        .answers::<WhoAmI>(200, "The caller.")
}

fn openapi() -> Operation {
    let document = ObjectBuilder::new().schema_type(Type::Object).required("openapi").required("paths");
    Operation::new(Method::GET, "/openapi.json", "openApi", "registry", "This document").open().answers_as(
        200,
        "The document.",
        "application/json",
        document,
        &["Cache-Control"],
    )
}
