//! What operations cost on AWS: what they were counted to consume, times prices.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// `bench/calls.json`: what operations consume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consumption {
    /// What was counted, and what not.
    pub about: String,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// Something that callers do, and what it consumes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// What it is.
    pub name: String,
    /// Units of reading from the table: 4 KB each, half of one where the last second may be missed.
    pub read_units: f64,
    /// Units of writing to the table and its index: 1 KB each, twice in a transaction.
    pub write_units: f64,
    /// Objects put, by the functions and by the client.
    pub puts: u32,
    /// Objects read, by the functions and by the client.
    pub gets: u32,
    /// The functions that run, once each.
    pub functions: Vec<Function>,
    /// US dollars that a million may cost, without the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// The calls that this is the sum of, in their order.
    pub calls: Vec<CountedCall>,
}

/// A run of a function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Function {
    /// Its memory in MB, as the template has it.
    pub megabytes: f64,
    /// How long it is assumed to run, in milliseconds: no machine but AWS's own shows that.
    pub assumed_millis: f64,
}

/// One call of a store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CountedCall {
    /// The operation, and on what.
    pub call: String,
    /// Units of reading or of writing, whichever it does; none of an object.
    pub units: f64,
    /// Bytes of the items that it reads or puts, as DynamoDB counts them; of the object, for a call of the object store.
    pub bytes: usize,
}

/// `bench/prices.json`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// Where these are the prices.
    pub region: String,
    /// Since when.
    pub date: String,
    /// US dollars for a million of each.
    pub usd_per_million: UsdPerMillion,
    /// US dollars a month for a host of such a registry that is always on, from the least to the most, before the first request.
    pub always_on_usd_per_month: [f64; 2],
}

/// US dollars for a million of each.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub struct UsdPerMillion {
    pub read_units: f64,
    pub write_units: f64,
    pub object_puts: f64,
    pub object_gets: f64,
    pub function_calls: f64,
    pub function_gigabyte_seconds: f64,
    pub api_calls: f64,
}

impl Operation {
    /// US dollars for a million, without the API and without what leaves for the internet.
    pub fn usd_per_million(&self, prices: &UsdPerMillion) -> f64 {
        let gigabyte_seconds = |f: &Function| f.megabytes / 1024.0 * f.assumed_millis / 1000.0;
        self.read_units * prices.read_units
            + self.write_units * prices.write_units
            + f64::from(self.puts) * prices.object_puts
            + f64::from(self.gets) * prices.object_gets
            + self.functions.len() as f64 * prices.function_calls
            + self.functions.iter().map(gigabyte_seconds).sum::<f64>() * prices.function_gigabyte_seconds
    }
}

impl Consumption {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no such file, or it holds something else.
    pub fn read(path: &Path) -> Result<Self, String> {
        read(path)
    }

    /// Writes it.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        fs::write(path, json + "\n").map_err(|e| format!("{}: {e}", path.display()))
    }
}

impl Prices {
    /// Reads them.
    ///
    /// # Errors
    /// If there is no such file, or it holds something else.
    pub fn read(path: &Path) -> Result<Self, String> {
        read(path)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_operation_has_its_price() {
        let prices = Prices::read(concat!(env!("CARGO_MANIFEST_DIR"), "/prices.json").as_ref()).unwrap();
        let operation = Operation {
            name: String::from("x"),
            read_units: 10.0,
            write_units: 8.0,
            puts: 2,
            gets: 5,
            functions: vec![Function { megabytes: 512.0, assumed_millis: 120.0 }; 2],
            target: None,
            calls: Vec::new(),
        };
        let per = UsdPerMillion {
            read_units: 0.1,
            write_units: 0.5,
            object_puts: 5.0,
            object_gets: 0.4,
            function_calls: 0.2,
            function_gigabyte_seconds: 20.0,
            api_calls: 1.0,
        };
        let expected = 1.0 + 4.0 + 10.0 + 2.0 + 0.4 + 2.4;
        assert!((operation.usd_per_million(&per) - expected).abs() < 1e-9);
        assert!(operation.usd_per_million(&prices.usd_per_million) > 0.0);
    }
}
