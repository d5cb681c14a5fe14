//! The block of `AGENTS.md`, as far as its nodes go.

use std::collections::BTreeSet;

/// Name, description and location of a node, as they stand there.
pub(super) type Node = (String, String, String);

/// The nodes of the one block of a text, and the text around it.
///
/// # Errors
/// If there is not exactly one block, or a node in it is not as it should be.
pub(super) fn parse(text: &str) -> Result<(BTreeSet<Node>, String, String), String> {
    let (before, rest) = text.split_once("<skills_system").ok_or("there is no block")?;
    let (block, after) = rest.split_once("</skills_system>").ok_or("the block has no end")?;
    for marker in ["<skills_system", "SKILLS_TABLE_START", "SKILLS_TABLE_END"] {
        let count = text.matches(marker).count();
        if count != 1 {
            return Err(format!("{marker} is there {count} times"));
        }
    }
    let nodes = block.split("<skill>").skip(1).map(node).collect::<Option<Vec<_>>>().ok_or("a node is not complete")?;
    let count = nodes.len();
    let nodes: BTreeSet<Node> = nodes.into_iter().collect();
    if nodes.len() == count {
        Ok((nodes, before.to_owned(), after.to_owned()))
    } else {
        Err("a node is there twice".to_owned())
    }
}

fn node(text: &str) -> Option<Node> {
    let value = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.to_owned())
    };
    Some((value("name")?, value("description")?, value("location")?))
}
