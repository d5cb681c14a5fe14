//! Pictures that run scripts.

use super::Hit;

const ACTIVE_ELEMENTS: [&str; 6] = ["script", "foreignobject", "iframe", "embed", "object", "handler"];
const ACTIVE_VALUES: [&str; 2] = ["javascript:", "data:text/html"];

/// The first element or attribute of an SVG that can run code, or that defines entities.
pub(super) fn scan(svg: &[u8]) -> Option<Hit> {
    // What is no UTF-8 shifts the place, at worst.
    let text = String::from_utf8_lossy(svg);
    let mut rest = text.as_ref();
    while let Some((before, from)) = rest.split_once('<') {
        let end = from.find('>').unwrap_or(from.len());
        let (tag, after) = from.split_at_checked(end)?;
        let offset = text.len().saturating_sub(rest.len()).saturating_add(before.len());
        if let Some(what) = active(&tag.to_ascii_lowercase()) {
            let message = format!("the picture holds {what}, which can run code");
            return Some(Hit { offset, message, hint: "export the picture without scripts and event handlers" });
        }
        rest = after;
    }
    None
}

/// What is active in a tag in lower case, given without `<` and `>`.
fn active(tag: &str) -> Option<String> {
    let mut parts = tag.split(|c: char| c.is_whitespace() || c == '/');
    let element = parts.next().unwrap_or_default();
    let name = element.rsplit(':').next().unwrap_or(element);
    if ACTIVE_ELEMENTS.contains(&name) {
        return Some(format!("the element {name}"));
    }
    if element == "!entity" || tag.contains("<!entity") || (element == "!doctype" && tag.contains("!entity")) {
        return Some("an entity definition".to_owned());
    }
    if let Some(handler) = parts.find_map(event_handler) {
        return Some(format!("the event handler {handler}"));
    }
    ACTIVE_VALUES.iter().find(|value| tag.contains(*value)).map(|value| format!("an address that begins with {value}"))
}

fn event_handler(attribute: &str) -> Option<&str> {
    let (name, _) = attribute.split_once('=')?;
    let rest = name.strip_prefix("on")?;
    (!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_lowercase())).then_some(name)
}
