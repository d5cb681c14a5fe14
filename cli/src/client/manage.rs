//! The routes for what happens after a publication, for namespaces and tokens.

use skillhub_protocol::{
    AuditEntry, AuditResponse, ChangeState, CreateNamespace, CreateToken, Error, Kind, MaintainersResponse, MoveTag,
    Namespace, NamespaceResponse, Reason, Release, Role, SearchResponse, SetRole, SkillDetail, SkillId, SkillResponse,
    SkillSummary, Tag, TagTarget, TagsResponse, TokenId, TokenResponse, TokenSummary, TokensResponse, UploadId,
    Version, VersionEntry, VersionId, VersionListResponse,
};
use ureq::http::Method;

use super::api::Client;
use crate::error::{Exit, Failure};

/// More pages than this are no registry but a loop.
const MAX_PAGES: usize = 10_000;

impl Client {
    /// The skills whose slugs are `query` or begin so.
    pub(crate) fn search(&self, query: &str, limit: u8) -> Result<Vec<SkillSummary>, Failure> {
        let query = [("q", query), ("limit", &limit.to_string())];
        self.get(&["search"], &query, SearchResponse::from_json).map(|answer| answer.skills)
    }

    /// A skill with the manifest of its current version.
    pub(crate) fn skill(&self, id: &SkillId) -> Result<SkillDetail, Failure> {
        self.get(&["skills", id.as_str()], &[], SkillResponse::from_json).map(|answer| answer.skill)
    }

    /// All versions of a skill, highest first.
    pub(crate) fn versions(&self, id: &SkillId) -> Result<Vec<VersionEntry>, Failure> {
        pages(|cursor: Option<&Version>| {
            let mut query = vec![("limit", "100")];
            query.extend(cursor.map(|cursor| ("cursor", cursor.as_str())));
            let page = self.get(&["skills", id.as_str(), "versions"], &query, VersionListResponse::from_json)?;
            Ok((page.versions, page.next_cursor))
        })
    }

    /// The tags of a skill, `latest` first.
    pub(crate) fn tags(&self, id: &SkillId) -> Result<Vec<TagTarget>, Failure> {
        self.get(&["skills", id.as_str(), "tags"], &[], TagsResponse::from_json).map(|answer| answer.tags)
    }

    /// Points a tag at a version.
    pub(crate) fn set_tag(&self, id: &SkillId, tag: &Tag, version: &Release) -> Result<(), Failure> {
        let body = MoveTag { version: version.clone() };
        self.change(Method::PUT, &["skills", id.as_str(), "tags", tag.as_str()], &body, false).map(drop)
    }

    /// Removes a tag, if it is there.
    pub(crate) fn remove_tag(&self, id: &SkillId, tag: &Tag) -> Result<(), Failure> {
        self.delete(&["skills", id.as_str(), "tags", tag.as_str()])
    }

    /// Who may publish versions of a skill besides the owners.
    pub(crate) fn maintainers(&self, id: &SkillId) -> Result<Vec<Namespace>, Failure> {
        let path = ["skills", id.as_str(), "maintainers"];
        self.get(&path, &[], MaintainersResponse::from_json).map(|answer| answer.maintainers)
    }

    /// Makes somebody a maintainer.
    pub(crate) fn add_maintainer(&self, id: &SkillId, handle: &Namespace) -> Result<(), Failure> {
        self.send(&self.call(Method::PUT, &["skills", id.as_str(), "maintainers", handle.handle()], &[])).map(drop)
    }

    /// Takes that back.
    pub(crate) fn remove_maintainer(&self, id: &SkillId, handle: &Namespace) -> Result<(), Failure> {
        self.delete(&["skills", id.as_str(), "maintainers", handle.handle()])
    }

    /// `yank`, `unyank` or `block`.
    pub(crate) fn change_state(
        &self,
        id: &SkillId,
        version: &VersionId,
        action: &str,
        reason: &Reason,
    ) -> Result<(), Failure> {
        let path = ["skills", id.as_str(), "versions", version.as_str(), action];
        self.change(Method::POST, &path, &ChangeState { reason: reason.clone() }, false).map(drop)
    }

    /// Creates a namespace.
    pub(crate) fn create_namespace(&self, request: &CreateNamespace) -> Result<NamespaceResponse, Failure> {
        let answer = self.change(Method::POST, &["namespaces"], request, true)?;
        answer.parse("POST /api/namespaces", NamespaceResponse::from_json)
    }

    /// A namespace and its members.
    pub(crate) fn namespace(&self, namespace: &Namespace) -> Result<NamespaceResponse, Failure> {
        self.get(&["namespaces", namespace.handle()], &[], NamespaceResponse::from_json)
    }

    /// Makes somebody a member, or changes the role.
    pub(crate) fn set_role(&self, namespace: &Namespace, member: &Namespace, role: Role) -> Result<(), Failure> {
        let path = ["namespaces", namespace.handle(), "members", member.handle()];
        self.change(Method::PUT, &path, &SetRole { role }, false).map(drop)
    }

    /// Removes a member.
    pub(crate) fn remove_member(&self, namespace: &Namespace, member: &Namespace) -> Result<(), Failure> {
        self.delete(&["namespaces", namespace.handle(), "members", member.handle()])
    }

    /// What was done in a namespace, the newest first, at most `limit` entries.
    pub(crate) fn audit(&self, namespace: &Namespace, limit: usize) -> Result<Vec<AuditEntry>, Failure> {
        let (mut entries, mut cursor) = (Vec::new(), None::<String>);
        while entries.len() < limit {
            let page_size = limit.saturating_sub(entries.len()).min(100).to_string();
            let mut query = vec![("limit", page_size.as_str())];
            query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let page = self.get(&["namespaces", namespace.handle(), "audit"], &query, AuditResponse::from_json)?;
            // A page without entries that is not the last would never come to an end.
            let is_last = page.next_cursor.is_none() || page.entries.is_empty();
            entries.extend(page.entries);
            cursor = page.next_cursor;
            if is_last {
                break;
            }
        }
        entries.truncate(limit);
        Ok(entries)
    }

    /// The caller's tokens.
    pub(crate) fn tokens(&self) -> Result<Vec<TokenSummary>, Failure> {
        self.get(&["tokens"], &[], TokensResponse::from_json).map(|answer| answer.tokens)
    }

    /// Creates a token.
    pub(crate) fn create_token(&self, request: &CreateToken) -> Result<TokenResponse, Failure> {
        self.change(Method::POST, &["tokens"], request, true)?.parse("POST /api/tokens", TokenResponse::from_json)
    }

    /// Revokes a token.
    pub(crate) fn revoke_token(&self, id: &TokenId) -> Result<(), Failure> {
        self.delete(&["tokens", id.as_str()])
    }

    /// The caller's uploads that are not finished.
    pub(crate) fn own_uploads(&self) -> Result<Vec<UploadId>, Failure> {
        self.get(&["uploads"], &[], own_uploads)
    }

    pub(super) fn delete(&self, path: &[&str]) -> Result<(), Failure> {
        self.send(&self.call(Method::DELETE, path, &[])).map(drop)
    }
}

fn own_uploads(text: &str) -> Result<Vec<UploadId>, Error> {
    #[derive(serde::Deserialize)]
    struct Uploads {
        uploads: Vec<UploadId>,
    }
    let uploads = serde_json::from_str::<Uploads>(text);
    uploads.map(|answer| answer.uploads).map_err(|e| Error::new("response", Kind::Value, e.to_string()))
}

/// Reads pages until the last one. Cursors come in any order, but none twice in a row.
pub(super) fn pages<T, C: PartialEq + std::fmt::Display>(
    page: impl Fn(Option<&C>) -> Result<(Vec<T>, Option<C>), Failure>,
) -> Result<Vec<T>, Failure> {
    let (mut items, mut cursor) = (Vec::new(), None::<C>);
    for _ in 0..MAX_PAGES {
        let (more, next) = page(cursor.as_ref())?;
        items.extend(more);
        match next {
            None => return Ok(items),
            Some(next) if cursor.as_ref() == Some(&next) => {
                return Err(endless(format!("the cursor {next} does not move on")));
            }
            Some(next) => cursor = Some(next),
        }
    }
    Err(endless(format!("there are more than {MAX_PAGES} pages")))
}

fn endless(detail: String) -> Failure {
    Failure::new(Exit::Failed, "invalid_answer", "the registry's list does not end")
        .detail(detail)
        .hint("the fault is the registry's: tell those who run it")
}
