//! What the operator of a registry demands of packages.

use skillhub_package::Policy;

/// The operator's policy cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("SKILLHUB_POLICY: {0}")]
pub struct PolicyError(#[from] serde_json::Error);

/// The policy in `SKILLHUB_POLICY`, the JSON of a policy file, or the default one. `variable` looks up environment variables.
///
/// # Errors
/// If it is no policy: a wrong one must not pass for the default.
pub fn policy(variable: impl Fn(&str) -> Option<String>) -> Result<Policy, PolicyError> {
    match variable("SKILLHUB_POLICY").filter(|text| !text.is_empty()) {
        Some(text) => {
            // A list would pass for a policy that leaves every field out.
            let fields: serde_json::Map<_, _> = serde_json::from_str(&text)?;
            Ok(serde_json::from_value(fields.into())?)
        }
        None => Ok(Policy::default()),
    }
}

#[cfg(test)]
mod tests {
    use skillhub_package::NameRule;

    use super::*;

    #[test]
    fn a_policy_is_read_and_a_wrong_one_is_no_default() {
        let read = |text: &'static str| policy(move |name| (name == "SKILLHUB_POLICY").then(|| text.to_owned()));
        assert_eq!(read("").unwrap(), Policy::default());
        assert_eq!(read(r#"{"names":"kebab"}"#).unwrap().names, NameRule::Kebab);
        for wrong in ["{", r#"{"name":"kebab"}"#, "[]"] {
            assert!(read(wrong).unwrap_err().to_string().starts_with("SKILLHUB_POLICY: "), "{wrong}");
        }
    }
}
