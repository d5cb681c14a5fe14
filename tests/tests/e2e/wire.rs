//! Bytes on the socket that are no good HTTP: refused before any function sees them, and no harm to those who come after.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
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

/// The status and the length of the next answer on a connection.
fn answer(stream: &mut BufReader<TcpStream>) -> (u16, usize) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.strip_prefix("HTTP/1.1 ").unwrap()[..3].parse().unwrap();
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    stream.read_exact(&mut vec![0; length]).unwrap();
    (status, length)
}

#[test]
fn a_body_that_nobody_wants_is_read_before_the_answer_and_the_connection_stays() {
    let registry = Registry::start();
    let config = registry.local_json();
    let address = config["registry"].as_str().unwrap().trim_start_matches("http://");
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut stream = BufReader::new(stream);
    // More than the buffers of both ends hold, so that an answer before the end would meet a client that still sends.
    let body = vec![b'x'; 24 << 20];
    for (request, status) in [("GET /healthz", 200), ("GET /api/nothing", 404), ("POST /api/uploads", 401)] {
        let head = format!("{request} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        stream.get_mut().write_all(&body).unwrap();
        let (answered, length) = answer(&mut stream);
        assert_eq!(answered, status, "{request}");
        assert!(length > 0, "{request}");
    }
}
