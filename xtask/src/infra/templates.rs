//! The templates as data, with the SAM transform carried out.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Map, Value};

use super::folder;
use crate::process::capture;
use crate::tools::SAM;

/// Every template under its file name.
pub(super) struct Templates(BTreeMap<String, Value>);

/// A resource of one of them.
#[derive(Clone, Copy)]
pub(super) struct Resource<'a> {
    /// The file that it is in.
    pub(super) file: &'a str,
    /// Its logical name.
    pub(super) name: &'a str,
    /// All that is said of it.
    pub(super) value: &'a Value,
}

impl<'a> Resource<'a> {
    /// Its type, such as `AWS::S3::Bucket`.
    pub(super) fn kind(self) -> &'a str {
        self.value["Type"].as_str().unwrap_or_default()
    }

    /// A property, by a JSON pointer.
    pub(super) fn property(self, pointer: &str) -> &'a Value {
        self.value["Properties"].pointer(pointer).unwrap_or(&Value::Null)
    }
}

impl Templates {
    /// Reads and expands them.
    ///
    /// # Errors
    /// If the transform refuses them.
    pub(super) fn read() -> Result<Self, String> {
        let mut python = Command::new(SAM.programs()?.join("python"));
        let text = capture(python.args(["-c", include_str!("expand.py")]).arg(folder()))?;
        serde_json::from_str(&text).map(Self).map_err(|e| format!("the expanded templates: {e}"))
    }

    /// Every resource of every file.
    pub(super) fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        self.0.iter().flat_map(|(file, template)| {
            let resources = template["Resources"].as_object().into_iter().flat_map(Map::iter);
            resources.map(move |(name, value)| Resource { file, name, value })
        })
    }

    /// Every resource of a type.
    pub(super) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Resource<'a>> {
        self.resources().filter(move |resource| resource.kind() == kind)
    }

    /// The only resource of a type.
    ///
    /// # Errors
    /// If there is none, or there are several.
    pub(super) fn only(&self, kind: &str) -> Result<Resource<'_>, String> {
        let found: Vec<_> = self.resources().filter(|resource| resource.kind() == kind).collect();
        match found.as_slice() {
            [one] => Ok(*one),
            _ => Err(format!("there are {} resources of type {kind}, not 1", found.len())),
        }
    }

    /// The files and what is in them.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(file, template)| (file.as_str(), template))
    }
}

/// A text of a template, whether it is one or made by `Ref`, `Sub` or `GetAtt`: as it would be written there.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(function) => match function.iter().next() {
            Some((name, name_of)) if name == "Ref" => format!("${{{}}}", text(name_of)),
            Some((name, Value::Array(parts))) if name == "Fn::GetAtt" => {
                format!("${{{}}}", parts.iter().map(text).collect::<Vec<_>>().join("."))
            }
            Some((_, inner)) => text(inner),
            None => String::new(),
        },
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The elements of a list, or the value itself: IAM takes both.
pub(super) fn each(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}
