//! The OpenAPI document as a judge of answers.

use std::cell::RefCell;
use std::collections::HashMap;

use http::Method;
use jsonschema::Validator;
use serde_json::{Value, json};
use skillhub_tests::in_process::Answer;

/// The document.
pub(crate) struct Description {
    document: Value,
    /// Validators by their schema's text: building one takes longer than many validations.
    validators: RefCell<HashMap<String, Validator>>,
}

impl Description {
    pub(crate) fn read() -> Self {
        let document = serde_json::from_str(&skillhub_openapi::text().unwrap()).unwrap();
        Self { document, validators: RefCell::default() }
    }

    /// Fails unless an answer of this operation is one that the document has: status, content type, headers, body.
    pub(crate) fn demand(&self, method: &Method, path: &str, answer: &Answer) {
        let operation = &self.document["paths"][path][method.as_str().to_ascii_lowercase()];
        let documented = &operation["responses"][answer.status.as_str()];
        let response = self.resolved(documented);
        assert!(response.is_object(), "{method} {path}: {} is not documented: {answer:?}", answer.status);
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            self.demand_header(name, header, answer);
        }
        let Some(content) = response.get("content") else {
            return assert!(answer.body.is_empty(), "{method} {path}: {answer:?}");
        };
        let media_type = answer.headers["content-type"].split(';').next().unwrap_or_default();
        let schema = &content[media_type]["schema"];
        assert!(schema.is_object(), "{method} {path}: {media_type} is not documented");
        if media_type.ends_with("json") {
            self.demand_valid(schema, &answer.json());
        }
    }

    fn demand_header(&self, name: &str, header: &Value, answer: &Answer) {
        let header = self.resolved(header);
        let Some(value) = answer.headers.get(&name.to_ascii_lowercase()) else {
            return assert_ne!(header["required"], true, "{name} is missing: {answer:?}");
        };
        let number = header["schema"]["type"] == "integer";
        let value = if number { json!(value.parse::<u64>().unwrap()) } else { json!(value) };
        self.demand_valid(&header["schema"], &value);
    }

    fn demand_valid(&self, schema: &Value, value: &Value) {
        let mut validators = self.validators.borrow_mut();
        let validator = validators.entry(schema.to_string()).or_insert_with(|| {
            let whole = json!({ "allOf": [schema], "components": self.document["components"] });
            jsonschema::validator_for(&whole).unwrap()
        });
        let faults: Vec<_> = validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{value}: {faults:?}");
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }
}

/// The path with something in place of each parameter that has its form and names nothing.
pub(crate) fn filled(path: &str) -> String {
    let (zeros, mut filled) = ("0".repeat(24), path.to_owned());
    for (name, value) in [
        ("{skillId}", format!("c{zeros}")),
        ("{versionId}", format!("v{zeros}")),
        ("{uploadId}", format!("u{zeros}")),
        ("{tokenId}", format!("t{zeros}")),
        ("{namespace}", String::from("@nobody")),
        ("{handle}", String::from("nobody")),
        ("{tag}", String::from("beta")),
        ("{slug}", String::from("nothing")),
    ] {
        filled = filled.replace(name, &value);
    }
    assert!(!filled.contains('{'), "{filled}");
    filled
}
