//! The object store's back door, for tests that change what must not change.

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use skillhub_local::Secret;

use super::Registry;

/// Overwrites an object, as somebody with the store's own credentials could.
pub(crate) fn overwrite(registry: &Registry, key: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let client = client(registry);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let object = client.get_object().bucket("skillhub").key(key).send().await.unwrap();
        let mut bytes = object.body.collect().await.unwrap().to_vec();
        change(&mut bytes);
        client.put_object().bucket("skillhub").key(key).body(bytes.into()).send().await.unwrap();
    });
}

fn client(registry: &Registry) -> Client {
    let credentials = std::fs::read(registry.data().join("store-credentials.json")).unwrap();
    let credentials: skillhub_local::Credentials = serde_json::from_slice(&credentials).unwrap();
    let secret: &Secret = &credentials.secret_access_key;
    let trust = TrustStore::empty().with_pem_certificate(std::fs::read(registry.data().join("ca.pem")).unwrap());
    let tls = TlsContext::builder().with_trust_store(trust).build().unwrap();
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).tls_context(tls).build_https();
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new(&credentials.access_key_id, secret.expose(), None, None, "test"))
        .endpoint_url(registry.object_endpoint())
        .force_path_style(true)
        .http_client(http);
    Client::from_conf(config.build())
}
