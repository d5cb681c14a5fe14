//! `functions/detail`.

use http::Method;
use skillhub_protocol::{
    CanonicalSlug, Coordinate, NamedSkillResponse, Release, ResolveResponse, SkillResponse, TagsResponse,
    VersionListResponse, VersionResponse,
};

use crate::operation::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    vec![resolve(), named(), skill(), tags(), versions(), version()]
}

fn resolve() -> Operation {
    Operation::new(Method::GET, "/api/resolve", "resolve", "skills", "What a coordinate means now")
        .about("Exactly one of the two parameters must be given.")
        .reader()
        .query_of::<Coordinate>("coordinate", "`[@namespace/]slug[@version or @tag]`.")
        .query_of::<CanonicalSlug>("canonicalSlug", "`slug`, or `namespace--slug`; it means the current version.")
        .fails(400, &["invalid_coordinate"])
        .fails(404, &["not_found"])
        .answers::<ResolveResponse>(200, "The version that it means.")
}

fn named() -> Operation {
    let path = "/api/namespaces/{namespace}/skills/{slug}";
    Operation::new(Method::GET, path, "findSkill", "skills", "Which skill has a slug in a namespace")
        .about(
            "Also while none of its versions is available, when a coordinate without an exact version means nothing.",
        )
        .reader()
        .answers::<NamedSkillResponse>(200, "The skill.")
}

fn skill() -> Operation {
    Operation::new(Method::GET, "/api/skills/{skillId}", "getSkill", "skills", "A skill with its current manifest")
        .reader()
        .answers::<SkillResponse>(200, "The skill.")
}

fn tags() -> Operation {
    Operation::new(Method::GET, "/api/skills/{skillId}/tags", "listTags", "skills", "The tags of a skill")
        .about("`latest` first, which is computed, then the others in order of their names.")
        .reader()
        .answers::<TagsResponse>(200, "The tags whose versions are available.")
}

fn versions() -> Operation {
    let path = "/api/skills/{skillId}/versions";
    Operation::new(Method::GET, path, "listVersions", "skills", "The versions of a skill")
        .about("Highest semver first, yanked and blocked ones too.")
        .reader()
        .limit(50, 100)
        .cursor::<Release>()
        .answers::<VersionListResponse>(200, "One page.")
}

fn version() -> Operation {
    let path = "/api/skills/{skillId}/versions/{versionId}";
    Operation::new(Method::GET, path, "getVersion", "skills", "A version with its manifest")
        .about("Immutable; also for versions that are not current, yanked and blocked ones too.")
        .reader()
        .answers_with::<VersionResponse>(200, "The version.", &["Cache-Control"])
}
