//! A plain HTTP client: what another program would send.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use skillhub_protocol::{ListResponse, PresignedPut, SkillSummary, UploadSession};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::Registry;

/// A client of one registry.
pub(crate) struct Http {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// An answer, read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// The headers, names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The stable code of a problem; panics unless the answer is one.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        problem["code"].as_str().unwrap().to_owned()
    }
}

impl Http {
    pub(crate) fn new(registry: &Registry, token: Option<String>) -> Self {
        let ca = std::fs::read(registry.data().join("ca.pem")).unwrap();
        let ca = RootCerts::new_with_certs(&[Certificate::from_pem(&ca).unwrap()]);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(60)))
            .tls_config(TlsConfig::builder().root_certs(ca).build())
            .build();
        let base = registry.local_json()["registry"].as_str().unwrap().to_owned();
        Self { agent: config.into(), base, token }
    }

    /// Sends a request to the registry.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.body(body.to_vec()).unwrap())
    }

    /// Reads from the registry.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], &[])
    }

    /// Reads any URL, without the token.
    pub(crate) fn fetch(&self, url: &str) -> Answer {
        self.answer(ureq::http::Request::get(url).body(Vec::new()).unwrap())
    }

    /// Opens an upload session; the answer may be a refusal.
    pub(crate) fn open(&self, request: &Value) -> Answer {
        self.send("POST", "/api/uploads", &[("content-type", "application/json")], request.to_string().as_bytes())
    }

    /// Uploads bytes as a session says.
    pub(crate) fn put(&self, upload: &PresignedPut, bytes: &[u8]) -> Answer {
        let mut request = ureq::http::Request::put(upload.url.expose());
        for (name, value) in upload.headers.iter().filter(|(name, _)| *name != "content-length") {
            request = request.header(name, value);
        }
        self.answer(request.body(bytes.to_vec()).unwrap())
    }

    /// A session, once it has ended.
    pub(crate) fn verdict(&self, session: &UploadSession) -> UploadSession {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.get(&format!("/api/uploads/{}", session.id));
            let session = UploadSession::from_json(answer.text()).unwrap();
            if session.state.is_terminal() {
                return session;
            }
            assert!(Instant::now() < deadline, "no verdict came: {session:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens, uploads and waits for the verdict.
    pub(crate) fn publish(&self, request: &Value, bytes: &[u8]) -> UploadSession {
        let answer = self.open(request);
        assert_eq!(answer.status, 201, "{}", answer.text());
        let session = UploadSession::from_json(answer.text()).unwrap();
        let put = self.put(session.upload.as_ref().unwrap(), bytes);
        assert_eq!(put.status, 200, "{put:?}");
        self.verdict(&session)
    }

    /// Every skill that a traversal in pages of `limit` gives, in its order.
    pub(crate) fn list(&self, limit: usize) -> Vec<SkillSummary> {
        let mut skills = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = self.get(&format!("/api/skills?limit={limit}{cursor}"));
            assert_eq!(answer.status, 200, "{}", answer.text());
            let page = ListResponse::from_json(answer.text()).unwrap();
            assert!(page.skills.len() <= limit);
            skills.extend(page.skills);
            match page.next_cursor {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return skills,
            }
        }
    }

    fn answer(&self, request: ureq::http::Request<Vec<u8>>) -> Answer {
        let mut answer = self.agent.run(request).unwrap();
        let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let body = answer.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        Answer { status: answer.status().as_u16(), headers, body }
    }
}
