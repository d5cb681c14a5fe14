//! The SDK as anybody would use it, beside which our own use of it is held.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;

use crate::stage::Place;

const TABLE: &str = "skillhub";

/// A client of the table.
pub(crate) struct BareTable(aws_sdk_dynamodb::Client);

impl BareTable {
    pub(crate) async fn at(place: &Place) -> Self {
        Self(aws_sdk_dynamodb::Client::new(&config(place, &place.dynamodb).await))
    }

    /// Reads a skill, eventually.
    pub(crate) async fn read(&self, skill: &str) {
        let (pk, sk) = key(skill);
        let request = self.0.get_item().table_name(TABLE).key("pk", pk).key("sk", sk);
        let answer = request.consistent_read(false).send().await.unwrap();
        assert!(answer.item.is_some(), "{skill}");
    }

    /// Reads a skill and the body of its newest version, eventually.
    pub(crate) async fn query(&self, skill: &str) {
        let (pk, sk) = key(skill);
        let request = self.0.query().table_name(TABLE).key_condition_expression("pk = :pk AND sk <= :sk");
        let request = request.expression_attribute_values(":pk", pk).expression_attribute_values(":sk", sk);
        let request = request.scan_index_forward(false).limit(2).consistent_read(false);
        assert_eq!(request.send().await.unwrap().count, 2, "{skill}");
    }
}

fn key(skill: &str) -> (AttributeValue, AttributeValue) {
    (AttributeValue::S(format!("S#{skill}")), AttributeValue::S("#META".to_owned()))
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
