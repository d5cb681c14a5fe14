//! Presigned URLs: what they allow, and that they allow nothing else.

use std::time::{Duration, SystemTime};

use aws_sdk_s3::presigning::{PresignedRequest, PresigningConfig};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::support::{BUCKET, Fixture, Response};

const BODY: &[u8] = b"the very bytes";

/// Valid for 60 s, from so long ago.
fn signed(ago: Duration) -> PresigningConfig {
    let start = SystemTime::now() - ago;
    PresigningConfig::builder().start_time(start).expires_in(Duration::from_secs(60)).build().unwrap()
}

async fn presigned_put(fixture: &Fixture, key: &str, ago: Duration) -> PresignedRequest {
    let put = fixture.s3.put_object().bucket(BUCKET).key(key).content_length(BODY.len() as i64);
    let put = put.content_type("application/zip").if_none_match("*");
    put.checksum_sha256(STANDARD.encode(Sha256::digest(BODY))).presigned(signed(ago)).await.unwrap()
}

/// The request on the wire, with changes to its target, its headers and its body.
struct Sent {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Sent {
    fn new(fixture: &Fixture, request: &PresignedRequest, body: &[u8]) -> Self {
        let origin = fixture.stores.object_endpoint();
        let mut headers = vec![("host".to_owned(), fixture.stores.object_address.to_string())];
        headers.extend(request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())));
        Self {
            method: request.method().to_owned(),
            target: request.uri().strip_prefix(&origin).unwrap().to_owned(),
            headers,
            body: body.to_vec(),
        }
    }

    fn target(mut self, from: &str, to: &str) -> Self {
        assert!(self.target.contains(from), "{} lacks {from}", self.target);
        self.target = self.target.replacen(from, to, 1);
        self
    }

    fn header(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    async fn send(self, fixture: &Fixture) -> Response {
        let mut request = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            request += &format!("{name}: {value}\r\n");
        }
        let bytes = [request.as_bytes(), b"\r\n", &self.body].concat();
        fixture.raw(&bytes).await
    }
}

#[tokio::test]
async fn a_presigned_put_takes_exactly_the_bytes_it_was_signed_for_once() {
    let fixture = Fixture::start().await;
    let put = presigned_put(&fixture, "staging/one", Duration::ZERO).await;
    let signed_headers =
        "X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost%3Bif-none-match%3Bx-amz-checksum-sha256";
    assert!(put.uri().contains(signed_headers), "{}", put.uri());
    let wrong = b"other bytes, 14"[..BODY.len()].to_vec();
    let longer = [BODY, b"!"].concat();
    let send = |body: &[u8]| Sent::new(&fixture, &put, body);

    for (what, sent, status) in [
        ("other bytes", send(&wrong), 400),
        ("a longer body", send(&longer).header("content-length", Some("15")), 403),
        ("a shorter body", send(&BODY[1..]).header("content-length", Some("13")), 403),
        ("another key", send(BODY).target("staging/one", "staging/two"), 403),
        ("another bucket", send(BODY).target("/skills/", "/others/"), 403),
        ("a climb to another key", send(BODY).target("staging/one", "staging/x/../one"), 403),
        ("a longer life", send(BODY).target("X-Amz-Expires=60", "X-Amz-Expires=600"), 403),
        ("another parameter", send(BODY).target("X-Amz-Expires", "versionId=1&X-Amz-Expires"), 403),
        ("no if-none-match", send(BODY).header("if-none-match", None), 403),
        ("another if-none-match", send(BODY).header("if-none-match", Some("\"x\"")), 403),
        ("no checksum", send(BODY).header("x-amz-checksum-sha256", None), 403),
        ("another type", send(BODY).header("content-type", Some("text/html")), 403),
        ("another host", send(BODY).header("host", Some("127.0.0.1:1")), 403),
        ("no signature", send(BODY).target("X-Amz-Signature", "X-Amz-Nothing"), 403),
    ] {
        let answer = sent.send(&fixture).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.head);
        assert_eq!(fixture.object_files().len(), 0, "{what} left a file");
    }

    let answer = send(BODY).send(&fixture).await;
    assert_eq!(answer.status, 200, "{}", answer.head);
    assert_eq!(fixture.get("staging/one").await.unwrap(), BODY);
    assert_eq!(send(BODY).send(&fixture).await.status, 412);
    assert_eq!(send(&wrong).send(&fixture).await.status, 412);
    assert_eq!(fixture.get("staging/one").await.unwrap(), BODY);
    fixture.stop().await;
}

#[tokio::test]
async fn a_presigned_put_ends_with_its_time() {
    let fixture = Fixture::start().await;
    for (ago, status) in [(58, 200), (62, 403)] {
        let put = presigned_put(&fixture, &format!("staging/{ago}"), Duration::from_secs(ago)).await;
        let answer = Sent::new(&fixture, &put, BODY).send(&fixture).await;
        assert_eq!(answer.status, status, "signed {ago} s ago: {}", answer.head);
    }
    fixture.stop().await;
}

#[tokio::test]
async fn a_refusal_reaches_a_client_that_is_still_sending() {
    let fixture = Fixture::start().await;
    let length = 8 << 20;
    fixture.put("taken", b"x").await;
    for (key, status) in [("taken", 412), ("free", 403)] {
        let put = fixture.s3.put_object().bucket(BUCKET).key(key).content_length(length).if_none_match("*");
        let put = put.presigned(signed(Duration::ZERO)).await.unwrap();
        let sent = Sent::new(&fixture, &put, &vec![0; usize::try_from(length).unwrap()]);
        let sent = if status == 403 { sent.target("X-Amz-Expires=60", "X-Amz-Expires=61") } else { sent };
        assert_eq!(sent.send(&fixture).await.status, status);
    }
    fixture.stop().await;
}

#[tokio::test]
async fn a_presigned_get_opens_one_object_for_its_time() {
    let fixture = Fixture::start().await;
    fixture.put("packages/ü b.zip", BODY).await;
    fixture.put("packages/other.zip", b"secret").await;
    let get = async |ago| {
        let get = fixture.s3.get_object().bucket(BUCKET).key("packages/ü b.zip");
        let get = get.response_content_disposition("attachment; filename*=UTF-8''%C3%BC%20b.zip");
        get.response_content_type("application/zip").presigned(signed(Duration::from_secs(ago))).await.unwrap()
    };
    let (fresh, late) = (get(0).await, get(62).await);
    assert!(fresh.headers().next().is_none(), "a browser sends no header but host");
    let send = |request| Sent::new(&fixture, request, b"");

    let answer = send(&fresh).send(&fixture).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, BODY), "{}", answer.head);
    assert!(
        answer.head.contains("content-disposition: attachment; filename*=UTF-8''%C3%BC%20b.zip"),
        "{}",
        answer.head
    );
    assert!(answer.head.contains("content-type: application/zip"), "{}", answer.head);

    let part = send(&fresh).header("range", Some("bytes=4-7")).send(&fixture).await;
    assert_eq!((part.status, part.body.as_slice()), (206, &b"very"[..]), "ranges need no signature");
    let put = Sent { method: "PUT".to_owned(), ..send(&fresh) }.header("content-length", Some("0"));
    for (what, sent) in [
        ("another key", send(&fresh).target("%C3%BC%20b.zip", "other.zip")),
        ("another disposition", send(&fresh).target("attachment", "inline")),
        ("no disposition", send(&fresh).target("response-content-disposition", "x-nothing")),
        ("a longer life", send(&fresh).target("X-Amz-Expires=60", "X-Amz-Expires=61")),
        ("a list", send(&fresh).target("packages/%C3%BC%20b.zip", "")),
        ("a write", put),
        ("a late request", send(&late)),
    ] {
        let answer = sent.send(&fixture).await;
        assert_eq!(answer.status, 403, "{what}: {}", answer.head);
        assert!(!answer.body.windows(6).any(|window| window == b"secret"), "{what}");
    }
    assert_eq!(send(&get(58).await).send(&fixture).await.status, 200);
    fixture.stop().await;
}

#[tokio::test]
async fn requests_without_the_key_are_refused() {
    let fixture = Fixture::start().await;
    fixture.put("a", b"secret").await;
    let endpoint = fixture.stores.object_endpoint();
    let id = fixture.stores.credentials.access_key_id.clone();
    for (id, secret, expected) in [(id.as_str(), "wrong", "SignatureDoesNotMatch"), ("LOCALWRONG", "x", "NotSignedUp")]
    {
        let stranger = crate::support::s3_client(&endpoint, fixture.stores.ca_pem.as_bytes(), id, secret);
        assert_eq!(crate::support::get(&stranger, "a").await, Err(expected.to_owned()));
    }
    let host = fixture.stores.object_address;
    for method in ["GET /skills/a", "GET /skills?list-type=2", "PUT /skills/b", "DELETE /skills/a", "GET /"] {
        let request = format!("{method} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(fixture.raw(request.as_bytes()).await.status, 403, "{method}");
    }
    assert_eq!(fixture.get("a").await.unwrap(), b"secret");
    fixture.stop().await;
}

#[tokio::test]
async fn a_body_that_breaks_off_leaves_nothing() {
    use tokio::io::AsyncWriteExt as _;
    let fixture = Fixture::start().await;
    let put = presigned_put(&fixture, "staging/cut", Duration::ZERO).await;
    let sent = Sent::new(&fixture, &put, b"");
    let mut request = format!("PUT {} HTTP/1.1\r\n", sent.target);
    for (name, value) in &sent.headers {
        request += &format!("{name}: {value}\r\n");
    }
    let ca = fixture.stores.ca_pem.clone();
    let mut stream = crate::support::connect(fixture.stores.object_address, ca.as_bytes()).await;
    stream.write_all(format!("{request}\r\nthe very").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    drop(stream);
    let whole = Sent::new(&fixture, &put, BODY).send(&fixture).await;
    assert_eq!(whole.status, 200);
    let fixture = fixture.reopen().await;
    assert_eq!((fixture.stores.report().objects, fixture.stores.report().leftovers), (1, 0));
    assert_eq!(fixture.get("staging/cut").await.unwrap(), BODY);
    fixture.stop().await;
}
