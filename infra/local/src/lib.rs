#![doc = include_str!("../README.md")]

mod cli;
mod config;
mod credentials;
mod data_dir;
mod drain;
mod dynamo;
mod events;
mod examples;
mod files;
mod functions;
mod registry;
mod run;
mod s3;
mod secret;
mod serve;
mod stores;
mod tls;

pub use cli::main;
pub use config::Config;
pub use credentials::{Credentials, RANDOM_BYTES};
pub use data_dir::{DataDir, DataDirError, LocalConfig};
pub use dynamo::TablesError;
pub use events::{dispatch, s3_event, s3_event_json};
pub use functions::Functions;
pub use run::{Base, Running, start};
pub use s3::{Creation, ObjectCreated, OpenError, OpenReport, REGION};
pub use secret::Secret;
pub use serve::PortError;
pub use stores::{Ports, StartError, Stores, start_stores};
pub use tls::TlsError;
