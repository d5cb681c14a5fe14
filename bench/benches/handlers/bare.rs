//! The SDK as anybody would use it, beside which our own use of it is held.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use skillhub_tests::proxy::{Call, Operation};

use crate::stage::Place;

/// A client of the table.
pub(crate) struct BareTable(aws_sdk_dynamodb::Client);

impl BareTable {
    pub(crate) async fn at(place: &Place) -> Self {
        Self(aws_sdk_dynamodb::Client::new(&config(place, &place.dynamodb).await))
    }

    /// Reads what this call has read, as freshly.
    pub(crate) async fn read(&self, call: &Call) {
        assert_eq!(call.operation, Operation::GetItem, "{call}");
        let (pk, sk) = call.targets[0].split_once(' ').unwrap();
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let request = self.0.get_item().table_name("skillhub").key("pk", text(pk)).key("sk", text(sk));
        let answer = request.consistent_read(call.strong).send().await.unwrap();
        assert!(answer.item.is_some(), "{call}");
    }
}

/// A client of the object store.
pub(crate) async fn objects(place: &Place) -> aws_sdk_s3::Client {
    let config = config(place, &place.public).await;
    aws_sdk_s3::Client::from_conf(aws_sdk_s3::config::Builder::from(&config).force_path_style(true).build())
}

async fn config(place: &Place, endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new(&place.access_key, &place.secret_key, None, None, "fixed");
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let config = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .region(Region::from_static("us-east-1"))
        .credentials_provider(credentials)
        .endpoint_url(endpoint);
    config.load().await
}
