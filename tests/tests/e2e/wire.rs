//! Bytes on the socket that are no good HTTP: refused before any function sees them, and no harm to those who come after.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::Registry;

/// The status that raw bytes get.
fn status_of(address: &str, bytes: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(bytes);
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    let start = std::str::from_utf8(&start).unwrap();
    start.strip_prefix("HTTP/1.1 ").unwrap().parse().unwrap()
}

#[test]
fn what_is_no_good_http_is_refused_and_the_next_request_is_answered() {
    let registry = Registry::start();
    let config = registry.local_json();
    let address = config["registry"].as_str().unwrap().trim_start_matches("http://");
    let get = "GET /api/skills HTTP/1.1\r\nhost: x\r\n";
    let post = "POST /api/uploads HTTP/1.1\r\nhost: x\r\n";
    let cases = [
        (format!("{get}{}\r\n", "x-n: 1\r\n".repeat(200)), 431),
        (format!("{get}x-large: {}\r\n\r\n", "x".repeat(1 << 20)), 431),
        (format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(70_000)), 414),
        (format!("{get}no colon\r\n\r\n"), 400),
        (format!("{get}x: a\0b\r\n\r\n"), 400),
        (String::from("GET /a b HTTP/1.1\r\n\r\n"), 400),
        (String::from("NONSENSE\r\n\r\n"), 400),
        (String::from("GET http://[/ HTTP/1.1\r\n\r\n"), 400),
        (format!("{post}content-length: 1\r\ncontent-length: 2\r\n\r\nx"), 400),
        (format!("{post}content-length: -1\r\n\r\n"), 400),
        (format!("{post}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n"), 401),
        (format!("{post}transfer-encoding: gzip\r\n\r\n"), 400),
    ];
    for (bytes, status) in cases {
        assert_eq!(status_of(address, bytes.as_bytes()), status, "{:.100}", bytes);
        assert_eq!(registry.anonymous().get("/healthz").status, 200);
    }
}
