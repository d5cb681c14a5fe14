//! What each function may do, as data.

use std::collections::BTreeSet;

use serde_json::Value;

use super::templates::{Resource, Templates, each, text};

/// What one statement allows: an action on a kind of thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grant {
    /// The action, as IAM spells it.
    pub(super) action: String,
    /// Partitions of the table, a prefix of the bucket, or the resource itself.
    pub(super) on: String,
    /// Whether it is only there with a key of one's own.
    pub(super) with_key: bool,
}

/// A function and its role.
pub(super) struct Role {
    /// The folder below `functions/`.
    pub(super) function: String,
    /// All that it may do, but for its log.
    pub(super) grants: BTreeSet<Grant>,
}

impl Role {
    /// Whether it may do this to anything whose name begins so.
    pub(super) fn may(&self, action: &str, prefix: &str) -> bool {
        self.grants.iter().any(|grant| grant.action == action && grant.on.starts_with(prefix))
    }
}

/// The role of every function.
///
/// # Errors
/// If a function has no role in `roles.yaml`.
pub(super) fn all(templates: &Templates) -> Result<Vec<Role>, String> {
    let functions = templates.of_kind("AWS::Lambda::Function");
    functions.map(|function| role_of(templates, function)).collect()
}

fn role_of(templates: &Templates, function: Resource<'_>) -> Result<Role, String> {
    let role = text(function.property("/Role"));
    let name = role.strip_prefix("${Roles.Outputs.").and_then(|name| name.strip_suffix('}')).unwrap_or_default();
    let role = templates.of_kind("AWS::IAM::Role").find(|role| role.name == name);
    let role = role.ok_or_else(|| format!("{} has no role of its own", function.name))?;
    let mut grants = BTreeSet::new();
    for policy in each(role.property("/Policies")) {
        grants.extend(grants_of(&policy["PolicyDocument"], false));
    }
    for managed in each(role.property("/ManagedPolicyArns")) {
        let condition = managed["Fn::If"].get(1);
        let name = text(condition.unwrap_or(managed));
        let name = name.trim_start_matches("${").trim_end_matches('}');
        let policy = templates.of_kind("AWS::IAM::ManagedPolicy").find(|policy| policy.name == name);
        let policy = policy.ok_or_else(|| format!("{name} is no policy of ours"))?;
        grants.extend(grants_of(policy.property("/PolicyDocument"), condition.is_some()));
    }
    Ok(Role { function: name.to_lowercase(), grants })
}

fn grants_of(document: &Value, with_key: bool) -> Vec<Grant> {
    let statements = each(&document["Statement"]).into_iter().filter(|statement| statement["Effect"] == "Allow");
    let of_statement = |statement: &Value| {
        let places = places(statement);
        let actions = each(&statement["Action"]).into_iter().map(text).filter(|action| !action.starts_with("logs:"));
        let of_action = |action: String| {
            let grant = move |on: &String| Grant { action: action.clone(), on: on.clone(), with_key };
            places.iter().map(grant).collect::<Vec<_>>()
        };
        actions.flat_map(of_action).collect::<Vec<_>>()
    };
    statements.flat_map(of_statement).collect()
}

/// What a statement is about: the partitions that its condition names, or else what its resources are after the name of the table
/// or the bucket.
fn places(statement: &Value) -> Vec<String> {
    let keys = each(&statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]);
    if !keys.is_empty() {
        return keys.into_iter().map(text).collect();
    }
    let place = |resource: &Value| {
        let resource = text(resource);
        let inside = ["${TableArn}/", "${BucketArn}/"].iter().find_map(|root| resource.strip_prefix(root));
        match inside {
            Some(inside) => inside.to_owned(),
            None => resource.replace("${BucketArn}", "the bucket").replace("${TableArn}", "the table"),
        }
    };
    each(&statement["Resource"]).into_iter().map(place).collect()
}
