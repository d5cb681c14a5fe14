//! Who may see a skill, and who is looking.
//!
//! Visibility is a matter of keys: a caller's lists are the partitions of the audiences that it belongs to.

use serde::{Deserialize, Serialize};
use skillhub_protocol::{NamespaceKind, OrganizationId, Role, Scope, Visibility};

use crate::identity::Authenticated;
use crate::ids::{NamespaceId, PrincipalId};
use crate::items::MembershipItem;

/// Who sees a skill, with the internal ids that the wire does not carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// Every authenticated caller; everybody, where anonymous reading is allowed.
    Public,
    /// The members of a namespace.
    Organization {
        /// The namespace whose members see it.
        namespace: NamespaceId,
        /// The id that answers carry.
        organization: OrganizationId,
    },
    /// One person.
    Personal(PrincipalId),
}

impl Audience {
    /// How the wire says it.
    pub fn visibility(&self) -> Visibility {
        match self {
            Self::Public => Visibility::Public,
            Self::Organization { organization, .. } => Visibility::Organization(organization.clone()),
            Self::Personal(_) => Visibility::Personal,
        }
    }

    /// The word for it.
    pub fn scope(&self) -> Scope {
        self.visibility().scope()
    }

    pub(crate) fn list_partition(&self, shard: u16) -> String {
        match self {
            Self::Public => format!("L#P#{shard}"),
            Self::Organization { namespace, .. } => format!("L#O#{}", namespace.as_str()),
            Self::Personal(principal) => format!("L#U#{}", principal.as_str()),
        }
    }

    pub(crate) fn search_partition(&self) -> String {
        match self {
            Self::Public => String::from("Q#P"),
            Self::Organization { namespace, .. } => format!("Q#O#{}", namespace.as_str()),
            Self::Personal(principal) => format!("Q#U#{}", principal.as_str()),
        }
    }

    /// The audience of a skill of `membership`'s namespace with this scope; `None` if the namespace cannot have it.
    pub fn of(membership: &MembershipItem, scope: Scope) -> Option<Self> {
        match (scope, membership.kind) {
            (Scope::Public, _) => Some(Self::Public),
            (Scope::Organization, NamespaceKind::Organization) => Some(Self::Organization {
                namespace: membership.namespace_id.clone(),
                organization: membership.organization_id.clone()?,
            }),
            (Scope::Personal, NamespaceKind::Personal) => Some(Self::Personal(membership.principal.clone())),
            _ => None,
        }
    }
}

/// The caller of a request, as far as permission goes.
#[derive(Debug, Clone)]
pub enum Viewer {
    /// Nobody in particular.
    Anonymous,
    /// Somebody known.
    Known(Box<Authenticated>),
}

impl Viewer {
    /// The known caller.
    pub fn authenticated(&self) -> Option<&Authenticated> {
        match self {
            Self::Anonymous => None,
            Self::Known(caller) => Some(caller),
        }
    }

    /// Whether the caller belongs to the audience. `anonymous_read` opens public skills to nobody in particular.
    pub fn may_see(&self, audience: &Audience, anonymous_read: bool) -> bool {
        match (audience, self.authenticated()) {
            (Audience::Public, caller) => caller.is_some() || anonymous_read,
            (_, None) => false,
            (Audience::Organization { namespace, .. }, Some(caller)) => {
                caller.membership(namespace).is_some_and(|m| m.role >= Role::Reader)
            }
            (Audience::Personal(owner), Some(caller)) => caller.principal == *owner,
        }
    }

    /// Every audience that the caller belongs to: the partitions that make up its list.
    pub fn audiences(&self, anonymous_read: bool) -> Vec<Audience> {
        let Some(caller) = self.authenticated() else {
            return if anonymous_read { vec![Audience::Public] } else { Vec::new() };
        };
        let organizations = caller.memberships.iter().filter_map(|m| Audience::of(m, Scope::Organization));
        let personal = Audience::Personal(caller.principal.clone());
        [Audience::Public, personal].into_iter().chain(organizations).collect()
    }
}
