//! What people like. A star is its giver's own: nobody else sees it, and none is counted.

use aws_sdk_dynamodb::types::ReturnValue;
use skillhub_protocol::{SkillId, UtcMillis};

use crate::codec::encode;
use crate::error::{StoreError, sdk_error};
use crate::ids::PrincipalId;
use crate::items::StarItem;
use crate::keys::Key;
use crate::table::Table;

impl Table {
    /// Gives a star; says whether it is new. One write.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn star(&self, by: &PrincipalId, skill: &SkillId, now: UtcMillis) -> Result<bool, StoreError> {
        let item = encode(&Key::star(by, skill), &StarItem { at: now })?;
        let request = self.client.put_item().table_name(&self.name).set_item(Some(item));
        let answer = request.return_values(ReturnValue::AllOld).send().await.map_err(|e| sdk_error("PutItem", e))?;
        Ok(answer.attributes.is_none_or(|old| old.is_empty()))
    }

    /// Takes a star back; says whether there was one. One write.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn unstar(&self, by: &PrincipalId, skill: &SkillId) -> Result<bool, StoreError> {
        let key = Key::star(by, skill).attributes();
        let request = self.client.delete_item().table_name(&self.name).set_key(Some(key));
        let answer = request.return_values(ReturnValue::AllOld).send().await;
        let answer = answer.map_err(|e| sdk_error("DeleteItem", e))?;
        Ok(answer.attributes.is_some_and(|old| !old.is_empty()))
    }
}
