//! One operation, told step by step.

use std::collections::BTreeMap;

use http::Method;
use serde_json::Value;
use skillhub_protocol::{SkillId, Slug, Tag, TokenId, TokenScope, UploadId, VersionId};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Ref, RefOr, Required, Response, ResponseBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::BEARER;
use crate::problems::{self, Codes};

/// The header that every answer has.
pub(crate) const REQUEST_ID: &str = "x-request-id";

const JSON: &str = "application/json";

type Schemas = Vec<(String, RefOr<Schema>)>;

/// An operation in the making.
pub(crate) struct Operation {
    method: Method,
    path: &'static str,
    operation: OperationBuilder,
    problems: BTreeMap<u16, Codes>,
    schemas: Schemas,
}

/// An operation as it goes into the document.
pub(crate) struct Built {
    pub(crate) method: HttpMethod,
    pub(crate) path: &'static str,
    pub(crate) operation: utoipa::openapi::path::Operation,
    /// The schemas that it refers to.
    pub(crate) schemas: Schemas,
    /// The error answers that it refers to.
    pub(crate) problems: Vec<(String, RefOr<Response>)>,
}

impl Operation {
    /// An operation whose parameters of the path follow from the path.
    pub(crate) fn new(method: Method, path: &'static str, id: &str, tag: &str, summary: &str) -> Self {
        let operation = OperationBuilder::new().operation_id(Some(id)).tag(tag).summary(Some(summary));
        let new = Self { method, path, operation, problems: BTreeMap::new(), schemas: Schemas::new() };
        let names = path.split(['{', '}']).skip(1).step_by(2);
        names.fold(new, Self::in_path)
    }

    /// More than the summary says.
    pub(crate) fn about(self, text: &str) -> Self {
        self.with(|operation| operation.description(Some(text)))
    }

    /// Open to everybody, without a look at the table.
    pub(crate) fn open(self) -> Self {
        self.with(|operation| operation.securities(Some([])))
    }

    /// For everybody who may read.
    pub(crate) fn reader(self) -> Self {
        let token = requirement(&[TokenScope::Read]);
        let either = [SecurityRequirement::default(), token];
        self.store().forbids().with(|operation| operation.securities(Some(either)))
    }

    /// For everybody with a token, whatever its scopes.
    pub(crate) fn known(self) -> Self {
        self.store().with(|operation| operation.security(requirement(&[])))
    }

    /// For tokens of scope `publish`, within the rate.
    pub(crate) fn publisher(self) -> Self {
        self.writer(TokenScope::Publish)
    }

    /// For tokens of scope `manage`, within the rate.
    pub(crate) fn manager(self) -> Self {
        self.writer(TokenScope::Manage)
    }

    fn writer(self, scope: TokenScope) -> Self {
        let writer = self.store().forbids().fails(429, &["rate_limited"]);
        writer.with(|operation| operation.security(requirement(&[scope])))
    }

    fn store(self) -> Self {
        self.fails(401, &["unauthenticated"]).fails(500, &["internal"]).fails(503, &["unavailable", "auth_unavailable"])
    }

    /// Known callers may be refused: for the scopes of their token, or for their role.
    pub(crate) fn forbids(self) -> Self {
        self.fails(403, &["forbidden"])
    }

    /// A parameter of the query.
    pub(crate) fn query(self, name: &str, about: &str, schema: impl Into<RefOr<Schema>>, required: Required) -> Self {
        self.parameter(ParameterIn::Query, name, about, schema, required).fails(400, &["invalid_request"])
    }

    /// An optional parameter of the query whose values are texts of `T`.
    pub(crate) fn query_of<T: ToSchema + 'static>(mut self, name: &str, about: &str) -> Self {
        let schema = self.reference::<T>();
        self.query(name, about, schema, Required::False)
    }

    /// `limit`, from 1 to `max`.
    pub(crate) fn limit(self, default: usize, max: usize) -> Self {
        let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(max));
        self.query("limit", "How many at most.", schema.default(Some(default.into())), Required::False)
    }

    /// `cursor`, whose values are texts of `T`.
    pub(crate) fn cursor<T: ToSchema + 'static>(mut self) -> Self {
        let schema = self.reference::<T>();
        self.cursor_as(schema)
    }

    /// `cursor`, of this form.
    pub(crate) fn cursor_as(self, schema: impl Into<RefOr<Schema>>) -> Self {
        let about = "The `nextCursor` of the page before; without it, the first page.";
        self.query("cursor", about, schema, Required::False).fails(400, &["invalid_cursor"])
    }

    /// An optional header of the request.
    pub(crate) fn request_header(self, name: &str, about: &str, schema: impl Into<RefOr<Schema>>) -> Self {
        self.parameter(ParameterIn::Header, name, about, schema, Required::False)
    }

    /// A body of JSON, with one that is right.
    pub(crate) fn takes<T: ToSchema + 'static>(mut self, example: Value) -> Self {
        let content = ContentBuilder::new().schema(Some(self.reference::<T>())).example(Some(example)).build();
        let body = RequestBodyBuilder::new().content(JSON, content).required(Some(Required::True)).build();
        let taking = self.fails(400, &["invalid_request"]).fails(413, &["payload_too_large"]);
        taking.with(|operation| operation.request_body(Some(body)))
    }

    /// Success, with a body of JSON.
    pub(crate) fn answers<T: ToSchema + 'static>(self, status: u16, about: &str) -> Self {
        self.answers_with::<T>(status, about, &[])
    }

    /// Success, with a body of JSON and headers.
    pub(crate) fn answers_with<T: ToSchema + 'static>(mut self, status: u16, about: &str, headers: &[&str]) -> Self {
        let schema = self.reference::<T>();
        self.answers_as(status, about, JSON, schema, headers)
    }

    /// Success, with a body of any kind.
    pub(crate) fn answers_as(
        self,
        status: u16,
        about: &str,
        media_type: &str,
        schema: impl Into<RefOr<Schema>>,
        headers: &[&str],
    ) -> Self {
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new().description(about).content(media_type, content);
        let response = headers.iter().chain(&[REQUEST_ID]).fold(response, |r, name| r.header_ref(*name, header(name)));
        self.with(|operation| operation.response(status.to_string(), response))
    }

    /// Success, without a body.
    pub(crate) fn done(self, about: &str) -> Self {
        let response = ResponseBuilder::new().description(about).header_ref(REQUEST_ID, header(REQUEST_ID));
        self.with(|operation| operation.response("204", response))
    }

    /// An error status, and the codes that it can have; those of earlier calls stay.
    pub(crate) fn fails(mut self, status: u16, codes: &[&'static str]) -> Self {
        self.problems.entry(status).or_default().extend(codes);
        self
    }

    /// Method and path.
    pub(crate) fn place(&self) -> (Method, &'static str) {
        (self.method.clone(), self.path)
    }

    /// The whole.
    pub(crate) fn build(self) -> Built {
        let Self { method, path, mut operation, problems, schemas } = self;
        let mut components = Vec::new();
        for (status, codes) in problems {
            let name = problems::name(status, &codes);
            operation = operation.response(status.to_string(), Ref::from_response_name(&name));
            components.push((name, problems::response(status, &codes).into()));
        }
        Built { method: utoipa_method(&method), path, operation: operation.build(), schemas, problems: components }
    }

    fn with(mut self, change: impl FnOnce(OperationBuilder) -> OperationBuilder) -> Self {
        self.operation = change(self.operation);
        self
    }

    fn in_path(mut self, name: &str) -> Self {
        let schema = match name {
            "skillId" => self.reference::<SkillId>(),
            "versionId" => self.reference::<VersionId>(),
            "uploadId" => self.reference::<UploadId>(),
            "tokenId" => self.reference::<TokenId>(),
            "tag" => self.reference::<Tag>(),
            "slug" => self.reference::<Slug>(),
            _ => handle().into(),
        };
        let parameter = self.parameter(ParameterIn::Path, name, path_words(name), schema, Required::True);
        // A tag that is none is a fault of the request; any other segment that is none names nothing.
        if name == "tag" { parameter.fails(422, &["tag_invalid"]) } else { parameter.fails(404, &["not_found"]) }
    }

    fn parameter(
        self,
        place: ParameterIn,
        name: &str,
        about: &str,
        schema: impl Into<RefOr<Schema>>,
        required: Required,
    ) -> Self {
        let parameter: Parameter = ParameterBuilder::new()
            .name(name)
            .parameter_in(place)
            .description(Some(about))
            .schema(Some(schema))
            .required(required)
            .build();
        self.with(|operation| operation.parameter(parameter))
    }

    /// A reference to a type's schema, which goes into the document with all that it refers to.
    fn reference<T: ToSchema + 'static>(&mut self) -> RefOr<Schema> {
        self.schemas.push((T::name().into_owned(), <T as PartialSchema>::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(T::name()).into()
    }
}

/// A reference to a header of the components.
pub(crate) fn header(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}

fn requirement(scopes: &[TokenScope]) -> SecurityRequirement {
    SecurityRequirement::new(BEARER, scopes.iter().map(|scope| scope.as_str()))
}

/// A handle in a path: with its `@` or without.
fn handle() -> Schema {
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^@?[a-z0-9]+(?:-[a-z0-9]+)*$"));
    text.max_length(Some(65)).examples(["@my-team"]).into()
}

fn path_words(name: &str) -> &'static str {
    match name {
        "skillId" => "The skill.",
        "versionId" => "The version.",
        "uploadId" => "The upload session.",
        "tokenId" => "The token's id, which is not the token.",
        "tag" => "The tag; not `latest`.",
        "slug" => "The slug.",
        "namespace" => "The namespace, with its `@` or without.",
        _ => "A person, by the handle of its personal namespace, with `@` or without.",
    }
}

fn utoipa_method(method: &Method) -> HttpMethod {
    match *method {
        Method::PUT => HttpMethod::Put,
        Method::POST => HttpMethod::Post,
        Method::PATCH => HttpMethod::Patch,
        Method::DELETE => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}
