//! Reading a body that may be too long.

use axum::extract::Request;
use http_body_util::BodyExt as _;

use super::super::text::Refused;

/// The largest body of a file or a form, in bytes. Lambda takes 6 MB, in which base64 makes four bytes of three. The same
/// everywhere, so that what works on one machine works on all.
pub(crate) const MAX_BODY_BYTES: usize = 4_500_000;
/// How much of a body that is too long is read and thrown away, in bytes: who is still sending does not hear the refusal.
const MAX_DRAINED: usize = 64 << 20;

/// The body, of at most `limit` bytes.
///
/// # Errors
/// 413 for a longer one, 400 for one that breaks off.
pub(crate) async fn read(request: Request, limit: usize) -> Result<Vec<u8>, Refused> {
    let mut body = request.into_body();
    let (mut bytes, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refused::bad_request("The request broke off."))?;
        let Ok(data) = frame.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length > MAX_DRAINED {
            break;
        }
        if length <= limit {
            bytes.extend_from_slice(&data);
        }
    }
    if length <= limit { Ok(bytes) } else { Err(too_large(limit)) }
}

fn too_large(limit: usize) -> Refused {
    Refused::too_large(format!(
        "The request has more than {limit} bytes, the most that this registry takes at once. Publish with `skillhub publish`, \
         or with clawhub 0.23.3 or newer, which sends each file by itself."
    ))
}
