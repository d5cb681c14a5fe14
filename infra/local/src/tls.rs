//! HTTPS on the loopback interface: a private CA that can vouch for nothing else.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

use crate::data_dir::{DataDir, DataDirError, at};
use crate::files::{self, Access};

/// Names that the server's certificate carries.
const SERVER_NAMES: [&str; 2] = ["localhost", "127.0.0.1"];
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Clocks of clients may be behind.
const BACKDATED: Duration = DAY;
/// Life of the CA; nothing else trusts it, and it vouches for loopback only.
const CA_LIFE: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
/// Life of a server certificate, which is made anew at each start. Apple's limit is 825 days.
const SERVER_LIFE: Duration = Duration::from_secs(800 * 24 * 60 * 60);
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The CA's files can't be read or written.
    #[error(transparent)]
    Files(#[from] DataDirError),
    /// A certificate can't be made.
    #[error("a certificate can't be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The certificate can't be used.
    #[error("the TLS server can't be set up: {0}")]
    Server(#[from] rustls::Error),
}

/// The CA of a data directory.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate_pem: String,
}

impl Authority {
    /// The CA that the directory keeps, or a new one. `ca.pem` is there afterwards.
    pub(crate) fn load(data: &DataDir, now: SystemTime) -> Result<Self, TlsError> {
        let path = data.ca_key_path();
        let kept = match files::read_if_present(&path).map_err(at(&path))? {
            Some(kept) => kept,
            None => create(&path, now)?,
        };
        // One file holds both, so that a crash can't leave a key without its certificate.
        let parts = kept.find(CERTIFICATE).and_then(|middle| kept.split_at_checked(middle));
        let corrupt = |reason: String| DataDirError::Corrupt { path: path.clone(), reason };
        let (key, certificate) = parts.ok_or_else(|| corrupt("no certificate in it".to_owned()))?;
        let key = KeyPair::from_pem(key).map_err(|error| corrupt(error.to_string()))?;

        let public = data.ca_path();
        if files::read_if_present(&public).map_err(at(&public))?.as_deref() != Some(certificate) {
            files::write_atomically(&public, certificate.as_bytes(), Access::Shared).map_err(at(&public))?;
        }
        Ok(Self { issuer: Issuer::new(ca_params(), key), certificate_pem: certificate.to_owned() })
    }

    /// The CA's certificate, for clients to trust.
    pub(crate) fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// A server with a new certificate for `localhost` and `127.0.0.1`.
    pub(crate) fn server_config(&self, now: SystemTime) -> Result<Arc<ServerConfig>, TlsError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(SERVER_NAMES.map(str::to_owned))?;
        params.distinguished_name.push(DnType::CommonName, "skillhub local server");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        params.not_before = (now - BACKDATED).into();
        params.not_after = (now + SERVER_LIFE).into();
        let certificate = params.signed_by(&key, &self.issuer)?;

        // The provider is named, never installed for the process: two providers in one process end in a panic.
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn create(path: &Path, now: SystemTime) -> Result<String, TlsError> {
    let key = KeyPair::generate()?;
    let mut params = ca_params();
    params.not_before = (now - BACKDATED).into();
    params.not_after = (now + CA_LIFE).into();
    let text = key.serialize_pem() + &params.self_signed(&key)?.pem();
    files::write_atomically(path, text.as_bytes(), Access::Private).map_err(at(path))?;
    Ok(text)
}

/// All of the CA but its life. The issuer is built from this again at each start, so it must not change.
fn ca_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "skillhub local CA");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![
            GeneralSubtree::DnsName("localhost".to_owned()),
            GeneralSubtree::IpAddress(CidrSubnet::from_v4_prefix([127, 0, 0, 0], 8)),
        ],
        excluded_subtrees: Vec::new(),
    });
    params
}
