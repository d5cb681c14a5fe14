//! Semver as text whose byte order is semver's order.

use skillhub_protocol::Release;

/// A sort key for `release`: byte order of keys is precedence of releases, and every character is in `[A-Za-z0-9.-]`.
///
/// A number is its length as two digits, then its digits: 7 is `017`, 12 is `0212`. A release ends in `z`, above every
/// pre-release. An identifier of a pre-release begins with `.`; a number follows as `n`, a word as `w` in hex-like pairs of
/// letters. `-` ends the list: it is below `.`, so a shorter list sorts first, and both are below every letter, so a shorter
/// word does, too.
pub fn release_key(release: &Release) -> String {
    let version = release.semver();
    let mut key = [version.major, version.minor, version.patch].map(number).join(".");
    if version.pre.is_empty() {
        key.push('z');
        return key;
    }
    for identifier in version.pre.split('.') {
        key.push('.');
        if identifier.bytes().all(|b| b.is_ascii_digit()) {
            key.push('n');
            key.push_str(&digits(identifier));
        } else {
            key.push('w');
            key.push_str(&word(identifier));
        }
    }
    key.push('-');
    key
}

fn number(n: u64) -> String {
    digits(&n.to_string())
}

fn digits(text: &str) -> String {
    format!("{:02}{text}", text.len())
}

/// The identifier with every character written as two, so that the closing `.` or `-` (below both halves) sorts a prefix
/// first whatever follows.
fn word(text: &str) -> String {
    text.bytes().flat_map(|b| [char::from(b'A' + (b >> 4)), char::from(b'A' + (b & 15))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn release() -> impl Strategy<Value = Release> {
        let number = prop_oneof![0_u64..20, 95_u64..105, Just(u64::MAX)];
        let identifier = prop_oneof!["[0-9]", "[1-9][0-9]{1,20}", "[-a-bA-B0]{0,3}[-a-zA-Z][-a-b0-1]{0,2}"];
        let pre = prop::collection::vec(identifier, 0..4);
        ((number.clone(), number.clone(), number), pre).prop_filter_map("at most 64 characters", |((a, b, c), pre)| {
            let pre = if pre.is_empty() { String::new() } else { format!("-{}", pre.join(".")) };
            format!("{a}.{b}.{c}{pre}").parse().ok()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn byte_order_of_keys_is_semver_precedence(a in release(), b in release()) {
            let (key_a, key_b) = (release_key(&a), release_key(&b));
            prop_assert!(key_a.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'.' || c == b'-'));
            prop_assert_eq!(key_a.cmp(&key_b), a.cmp(&b), "{} {}", a, b);
        }
    }
}
