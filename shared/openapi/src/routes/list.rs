//! `functions/list`.

use http::Method;
use skillhub_protocol::{ListResponse, Namespace, OrganizationId, Scope, SearchResponse, SkillId};
use utoipa::openapi::Required;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::operation::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    vec![list(), search()]
}

fn list() -> Operation {
    Operation::new(Method::GET, "/api/skills", "listSkills", "skills", "The skills that the caller sees")
        .about(
            "In ascending order of their ids. A traversal, not a change feed: a skill that existed throughout appears \
             exactly once.",
        )
        .reader()
        .limit(50, 100)
        .cursor::<SkillId>()
        .query_of::<Scope>("scope", "Only skills of this scope.")
        .query_of::<OrganizationId>("organizationId", "Only skills of this organization.")
        .query_of::<Namespace>("namespace", "Only skills of this namespace.")
        .answers::<ListResponse>(200, "One page.")
}

fn search() -> Operation {
    let q =
        ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(64)).pattern(Some(r"\S"));
    Operation::new(Method::GET, "/api/search", "searchSkills", "skills", "Skills by slug")
        .about("The skill whose slug it is first, then those whose slugs begin so.")
        .reader()
        .query("q", "A slug, or how it begins. Case does not matter, and spaces are hyphens.", q, Required::True)
        .limit(20, 50)
        .answers::<SearchResponse>(200, "What was found; there is no next page.")
}
