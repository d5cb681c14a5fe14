//! Who may do what: namespaces, members, API tokens, and the record of what was done.

use serde::{Deserialize, Serialize};

use crate::error::{Error, InvalidValue, Kind};
use crate::id::OrganizationId;
use crate::namespace::Namespace;
use crate::newtype::text_newtype;
use crate::read::{At, answer, request};
use crate::text::is_trimmed_within;
use crate::time::UtcMillis;

/// What kind of owner a namespace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum NamespaceKind {
    /// `@global`.
    Global,
    /// A team or company.
    Organization,
    /// One person.
    Personal,
}

impl std::str::FromStr for NamespaceKind {
    type Err = InvalidValue;

    /// The kinds that a caller can create.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "organization" => Ok(Self::Organization),
            "personal" => Ok(Self::Personal),
            _ => Err(InvalidValue::new("must be \"organization\" or \"personal\"")),
        }
    }
}

/// What a member may do in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees the organization's skills.
    Reader,
    /// Creates skills, and publishes versions of those that it maintains.
    Publisher,
    /// Everything.
    Owner,
}

impl Role {
    /// Whether this role may create skills.
    pub fn may_publish(self) -> bool {
        self >= Self::Publisher
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Publisher => "publisher",
            Self::Owner => "owner",
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue = InvalidValue::new("must be \"reader\", \"publisher\" or \"owner\"");
        [Self::Reader, Self::Publisher, Self::Owner].into_iter().find(|r| r.as_str() == text).ok_or(DEMAND)
    }
}

/// One namespace of a caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Membership {
    /// The namespace.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The caller's role in it.
    pub role: Role,
}

/// Answer of `GET /api/whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WhoAmI {
    /// The caller's handle, that of its personal namespace; empty while it has none.
    pub handle: String,
    /// The caller's namespaces, in order of their handles.
    pub namespaces: Vec<Membership>,
}

impl WhoAmI {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

/// Body of `POST /api/namespaces`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateNamespace {
    /// The namespace, with a handle that is not taken.
    pub namespace: Namespace,
    /// An organization, or the caller's one personal namespace.
    pub kind: NamespaceKind,
}

impl CreateNamespace {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `namespace`, `kind` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| Ok(Self { namespace: fields.parse("namespace")?, kind: fields.parse("kind")? }))
    }
}

/// A member of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Member {
    /// The member's personal namespace; `None` while it has none.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub handle: Option<Namespace>,
    /// What it may do.
    pub role: Role,
}

/// Answer of `POST /api/namespaces` and `GET /api/namespaces/{namespace}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamespaceResponse {
    /// The namespace.
    pub namespace: Namespace,
    /// What kind of owner it is.
    pub kind: NamespaceKind,
    /// The organization's id, for kind organization.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub organization_id: Option<OrganizationId>,
    /// The members, in order of their handles, those without one last.
    pub members: Vec<Member>,
}

impl NamespaceResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

/// Body of `PUT /api/namespaces/{namespace}/members/{handle}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetRole {
    /// What the member may do from now on.
    pub role: Role,
}

impl SetRole {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `role` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| Ok(Self { role: fields.parse("role")? }))
    }
}

text_newtype! {
    /// The id of an API token: `t` and 24 lower-case letters or digits. It is no secret.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(value_type = String, pattern = r"^t[a-z0-9]{24}$", example = "t0mjq3k8x1a2b3c4d5e6f7g8h")
    )]
    TokenId, check_token_id, InvalidValue
}

fn check_token_id(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue = InvalidValue::new("must be \"t\" and 24 lowercase letters or digits");
    if crate::id::is_minted(text, 't') { Ok(()) } else { Err(DEMAND) }
}

text_newtype! {
    /// What its owner calls a token: 1-64 UTF-16 units, no control characters, no white space around it.
    #[cfg_attr(
        feature = "openapi",
        derive(utoipa::ToSchema),
        schema(
            value_type = String,
            pattern = r"^[^\s\x00-\x1f\x7f-\x9f](?:[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
            min_length = 1, max_length = 64, example = "ci"
        )
    )]
    TokenName, check_token_name, InvalidValue
}

fn check_token_name(text: &str) -> Result<(), InvalidValue> {
    const DEMAND: InvalidValue =
        InvalidValue::new("must have 1-64 UTF-16 units, no control characters and no white space around it");
    let clean = !text.chars().any(char::is_control);
    if clean && is_trimmed_within(text, 64) { Ok(()) } else { Err(DEMAND) }
}

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// See what its principal sees.
    Read,
    /// Publish.
    Publish,
    /// Everything else.
    Manage,
}

impl TokenScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Publish, Self::Manage];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Publish => "publish",
            Self::Manage => "manage",
        }
    }
}

impl std::fmt::Display for TokenScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for TokenScope {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DEMAND: InvalidValue = InvalidValue::new("must be \"read\", \"publish\" or \"manage\"");
        Self::ALL.into_iter().find(|s| s.as_str() == text).ok_or(DEMAND)
    }
}

/// Body of `POST /api/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateToken {
    /// What its owner calls it.
    pub name: TokenName,
    /// What it may be used for: at least one, in ascending order, each once.
    #[cfg_attr(feature = "openapi", schema(min_items = 1))]
    pub scopes: Vec<TokenScope>,
    /// When it stops working; `None` is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<UtcMillis>,
}

impl CreateToken {
    /// Reads a request.
    ///
    /// # Errors
    /// The first fault, at `name`, `scopes[i]`, `expiresAt` or `request`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        request(text, |fields| {
            let at = fields.at("scopes");
            let mut scopes = Vec::<TokenScope>::new();
            for (i, value) in fields.array("scopes")?.iter().enumerate() {
                let at = At::Item(&at, i);
                let text = value.as_str().ok_or_else(|| at.error(Kind::Type, "must be a string"))?;
                scopes.push(text.parse().map_err(|e| at.error(Kind::Value, String::from(e)))?);
            }
            scopes.sort_unstable();
            scopes.dedup();
            if scopes.is_empty() {
                return Err(at.error(Kind::Value, "must have at least one scope"));
            }
            Ok(Self { name: fields.parse("name")?, scopes, expires_at: fields.parse_optional("expiresAt")? })
        })
    }
}

/// What is known of a token but the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenSummary {
    /// Its id, by which it is revoked.
    pub id: TokenId,
    /// What its owner calls it.
    pub name: TokenName,
    /// What it may be used for.
    pub scopes: Vec<TokenScope>,
    /// When it was made.
    pub created_at: UtcMillis,
    /// When it stops working; `None` is never.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub expires_at: Option<UtcMillis>,
}

/// Answer of `GET /api/tokens`: the caller's own, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokensResponse {
    /// The tokens.
    pub tokens: Vec<TokenSummary>,
}

impl TokensResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

/// Answer of `POST /api/tokens`, the only one that ever has the token. It prints without it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenResponse {
    /// The token, `sk_` and 43 letters or digits.
    #[cfg_attr(feature = "openapi", schema(pattern = "^sk_[0-9A-Za-z]{43}$"))]
    pub token: String,
    /// What is known of it from now on.
    #[serde(flatten)]
    pub summary: TokenSummary,
}

impl TokenResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

impl std::fmt::Debug for TokenResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenResponse").field("token", &"(redacted)").field("summary", &self.summary).finish()
    }
}

/// One change: who did what to what, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    /// When.
    pub at: UtcMillis,
    /// Who, by the handle of that time; `None` if the caller had none.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub actor: Option<Namespace>,
    /// What, such as `publish`, `yank` or `member.set`.
    pub action: String,
    /// To what, such as `@team/hello@1.0.0`.
    pub subject: String,
    /// The digest, reason or role that goes with it.
    pub detail: String,
}

/// Answer of `GET /api/namespaces/{namespace}/audit`: the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditResponse {
    /// One page.
    pub entries: Vec<AuditEntry>,
    /// Where the next page begins; `None` on the last page.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub next_cursor: Option<String>,
}

impl AuditResponse {
    /// Reads an answer.
    ///
    /// # Errors
    /// The first fault, with a path that begins with `response`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        answer(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_the_field_at_fault() {
        let token = |rest: &str| CreateToken::from_json(&format!(r#"{{"name":"ci",{rest}}}"#)).err();
        let cases = [
            (token(r#""scopes":[]"#), "scopes"),
            (token(r#""scopes":"read""#), "scopes"),
            (token(r#""scopes":["read","root"]"#), "scopes[1]"),
            (token(r#""scopes":["read"],"expiresAt":"soon""#), "expiresAt"),
            (CreateToken::from_json(r#"{"scopes":["read"],"name":" x"}"#).err(), "name"),
            (CreateNamespace::from_json(r#"{"namespace":"team","kind":"organization"}"#).err(), "namespace"),
            (CreateNamespace::from_json(r#"{"namespace":"@team","kind":"global"}"#).err(), "kind"),
            (SetRole::from_json(r#"{"role":"admin"}"#).err(), "role"),
        ];
        for (error, path) in cases {
            assert_eq!(error.unwrap().path(), path);
        }
    }

    #[test]
    fn the_answer_with_a_token_does_not_print_it() {
        let text = r#"{"token":"sk_hidden","id":"t000000000000000000000000","name":"ci","scopes":["read"],
            "createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null}"#;
        let response = TokenResponse::from_json(text).unwrap();
        assert_eq!(response.token, "sk_hidden");
        assert!(!format!("{response:?}").contains("hidden"));
    }
}
