//! Schemas of the types that are written or read by hand, so that no derive can see their shape.

#![expect(dead_code, reason = "the shapes are for their schemas alone")]

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema as OpenApiSchema};
use utoipa::{PartialSchema, ToSchema};

use crate::API_SCHEMA_VERSION;
use crate::market::Schema;

/// The schemas that a schema refers to, with their names.
type Schemas = Vec<(String, RefOr<OpenApiSchema>)>;

/// Declares that a type looks like its namesake in [`shape`].
macro_rules! looks_like_its_shape {
    ($($name:ident),*) => {$(
        impl PartialSchema for crate::$name {
            fn schema() -> RefOr<OpenApiSchema> {
                shape::$name::schema()
            }
        }

        impl ToSchema for crate::$name {
            fn name() -> Cow<'static, str> {
                shape::$name::name()
            }

            fn schemas(schemas: &mut Schemas) {
                shape::$name::schemas(schemas);
            }
        }
    )*};
}

looks_like_its_shape!(CanonicalSlug, Coordinate, HttpsUrl, Manifest, SkillSummary, SkillDetail);

impl PartialSchema for Schema {
    fn schema() -> RefOr<OpenApiSchema> {
        let only = ObjectBuilder::new().schema_type(Type::Integer).enum_values(Some([API_SCHEMA_VERSION]));
        only.description(Some("The version of the API's schema.")).into()
    }
}

impl ToSchema for Schema {}

mod shape {
    use super::{Schema, ToSchema};
    use crate::{
        FileEntry, Namespace, OrganizationId, Scope, SkillId, SkillName, Slug, Summary, Version, VersionDetail,
        VersionSummary,
    };

    /// `[@namespace/]slug[@version or @tag]`, or `namespace--slug[@…]`. No namespace means `@global`, no selector means the
    /// current version.
    #[derive(ToSchema)]
    #[schema(
        value_type = String,
        pattern = "^(?:@[a-z0-9]+(?:-[a-z0-9]+)*/|[a-z0-9]+(?:-[a-z0-9]+)*--)?[a-z0-9]+(?:-[a-z0-9]+)*(?:@[0-9A-Za-z.-]{1,64})?$",
        max_length = 195, example = "@my-team/release-helper@beta"
    )]
    pub(super) struct Coordinate(String);

    /// `slug` for `@global`, `namespace--slug` otherwise.
    #[derive(ToSchema)]
    #[schema(
        value_type = String,
        pattern = "^(?:[a-z0-9]+(?:-[a-z0-9]+)*--)?[a-z0-9]+(?:-[a-z0-9]+)*$",
        max_length = 130, example = "my-team--release-helper"
    )]
    pub(super) struct CanonicalSlug(String);

    /// An HTTPS URL of at most 4096 UTF-16 units whose query is a credential.
    #[derive(ToSchema)]
    #[schema(value_type = String, pattern = r"^\s*[hH][tT][tT][pP][sS]:", max_length = 4096)]
    pub(super) struct HttpsUrl(String);

    /// What a publisher says that a package holds: the files in strictly ascending order of their paths by UTF-16 units, no two
    /// paths that differ only in case, and a `SKILL.md` at the root that is not empty.
    #[derive(ToSchema)]
    #[schema(rename_all = "camelCase")]
    pub(super) struct Manifest {
        #[schema(inline)]
        schema_version: Schema,
        /// The logical name of the skill.
        slug: Slug,
        /// The name that people see.
        name: SkillName,
        /// When to use the skill.
        description: Summary,
        /// The version; publishing demands semver 2.0.0 without a leading `v` and without build metadata.
        version: Version,
        /// The files, in order.
        #[schema(min_items = 1)]
        files: Vec<FileEntry>,
    }

    /// What a list says of a skill.
    #[derive(ToSchema)]
    #[schema(rename_all = "camelCase")]
    pub(super) struct SkillSummary {
        /// The permanent id.
        id: SkillId,
        /// The namespace that owns the slug.
        #[schema(nullable = false)]
        namespace: Option<Namespace>,
        /// The logical name in its namespace.
        slug: Slug,
        /// The name that people see.
        name: SkillName,
        /// When to use it.
        description: Summary,
        /// Who sees it.
        scope: Scope,
        /// The organization; `null` for every scope but `organization`.
        #[schema(required = true)]
        organization_id: Option<OrganizationId>,
        /// The version that a client may install now.
        current_version: VersionSummary,
    }

    /// A skill with the manifest of its current version, with which slug, name, description and version agree.
    #[derive(ToSchema)]
    #[schema(rename_all = "camelCase")]
    pub(super) struct SkillDetail {
        /// The permanent id.
        id: SkillId,
        /// The namespace that owns the slug.
        #[schema(nullable = false)]
        namespace: Option<Namespace>,
        /// The logical name in its namespace.
        slug: Slug,
        /// The name that people see.
        name: SkillName,
        /// When to use it.
        description: Summary,
        /// Who sees it.
        scope: Scope,
        /// The organization; `null` for every scope but `organization`.
        #[schema(required = true)]
        organization_id: Option<OrganizationId>,
        /// The version that a client may install now, with its manifest.
        current_version: VersionDetail,
    }
}
