//! An OIDC issuer on this machine, and a token of it for one person, for registries that are tried out. Prints both as JSON in
//! one line, and answers until its standard input is closed: `issuer SUBJECT`.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::io::Read as _;

use serde_json::json;
use skillhub_tests::issuer::{AUDIENCE, IssuerServer, TestKey, claims};

fn main() -> std::io::Result<()> {
    let subject = std::env::args().nth(1).unwrap_or_else(|| "admin".to_owned());
    let key = TestKey::new("key", 1);
    let server = IssuerServer::start(&json!([key.jwk()]));
    let token = key.sign(&key.header(), &claims(&server.url(), &subject));
    println!("{}", json!({ "issuer": server.url(), "audience": AUDIENCE, "subject": subject, "token": token }));
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop)
}
