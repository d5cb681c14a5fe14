//! Table and bucket for stores that no template deploys: local mode and tests.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType, TimeToLiveSpecification,
};
use aws_sdk_s3::error::ProvideErrorMetadata;

use crate::error::{StoreError, sdk_error};
use crate::keys::DUE_INDEX;
use crate::objects::Objects;
use crate::table::Table;

impl Table {
    /// Creates the table with its index and its time to live, unless it exists.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn create_if_absent(&self) -> Result<(), StoreError> {
        let due = GlobalSecondaryIndex::builder()
            .index_name(DUE_INDEX)
            .key_schema(key("x", KeyType::Hash)?)
            .key_schema(key("xs", KeyType::Range)?)
            .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
            .build()
            .map_err(|e| StoreError::corrupt("table definition", e))?;
        let mut request = self.client.create_table().table_name(&self.name).billing_mode(BillingMode::PayPerRequest);
        for name in ["pk", "sk", "x", "xs"] {
            request = request.attribute_definitions(text(name)?);
        }
        let request = request.key_schema(key("pk", KeyType::Hash)?).key_schema(key("sk", KeyType::Range)?);
        match request.global_secondary_indexes(due).send().await {
            Ok(_) => self.enable_ttl().await,
            Err(e) if e.as_service_error().is_some_and(|e| e.is_resource_in_use_exception()) => Ok(()),
            Err(e) => Err(sdk_error("CreateTable", e)),
        }
    }

    async fn enable_ttl(&self) -> Result<(), StoreError> {
        let ttl = TimeToLiveSpecification::builder().attribute_name("ttl").enabled(true).build();
        let ttl = ttl.map_err(|e| StoreError::corrupt("table definition", e))?;
        let request = self.client.update_time_to_live().table_name(&self.name).time_to_live_specification(ttl);
        request.send().await.map_err(|e| sdk_error("UpdateTimeToLive", e))?;
        Ok(())
    }
}

impl Objects {
    /// Creates the bucket, unless it exists.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn create_if_absent(&self) -> Result<(), StoreError> {
        match self.client().create_bucket().bucket(self.bucket()).send().await {
            Ok(_) => Ok(()),
            Err(e) if matches!(e.code(), Some("BucketAlreadyOwnedByYou" | "BucketAlreadyExists")) => Ok(()),
            Err(e) => Err(sdk_error("CreateBucket", e)),
        }
    }
}

fn key(name: &str, kind: KeyType) -> Result<KeySchemaElement, StoreError> {
    let key = KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    key.map_err(|e| StoreError::corrupt("table definition", e))
}

fn text(name: &str) -> Result<AttributeDefinition, StoreError> {
    let definition = AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
    definition.map_err(|e| StoreError::corrupt("table definition", e))
}
