//! The data directory: one owner, private secrets, a stable CA.

use std::time::SystemTime;

use skillhub_local::{Credentials, DataDir, DataDirError, LocalConfig, Ports, Secret, StartError, start_stores};
use tempfile::TempDir;

use crate::support::Fixture;

#[tokio::test]
async fn a_second_instance_on_the_same_data_is_refused_with_the_holder_named() {
    let fixture = Fixture::start().await;
    let error = DataDir::open(fixture.dir.path()).unwrap_err();
    assert!(matches!(error, DataDirError::InUse { pid: Some(pid), .. } if pid == std::process::id()), "{error:?}");
    let path = fixture.dir.path().canonicalize().unwrap();
    let expected = format!(
        "{} is in use by process {}; stop that one, or choose another directory with --data DIR",
        path.display(),
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    let dir = fixture.stop().await;
    DataDir::open(dir.path()).unwrap();
}

#[tokio::test]
async fn a_taken_port_is_named_and_the_data_is_free_again() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let objects = taken.local_addr().unwrap().port();
    let dir = TempDir::new().unwrap();
    let data = DataDir::open(dir.path()).unwrap();
    let ports = Ports { objects, ..Ports::default() };
    let error = start_stores(data, ports, [1; 40], SystemTime::now()).await.err().unwrap();
    assert!(matches!(error, StartError::Port(_)));
    let text = error.to_string();
    assert!(text.contains(&format!("port {objects} ")) && text.contains("--object-port"), "{text}");
    DataDir::open(dir.path()).unwrap();
}

#[tokio::test]
async fn ca_and_access_key_are_kept_and_private() {
    let fixture = Fixture::start().await;
    let (ca, credentials) = (fixture.stores.ca_pem.clone(), fixture.stores.credentials.clone());
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.stores.ca_pem, ca);
    assert_eq!(fixture.stores.credentials, credentials);
    assert_eq!(std::fs::read_to_string(&fixture.stores.ca_path).unwrap(), ca);
    // The bucket of the first start, seen through the certificate of the second.
    fixture.put("a", b"b").await;

    let shown = format!("{:?}", fixture.stores.credentials);
    assert!(!shown.contains(credentials.secret_access_key.expose()), "{shown}");
    assert_ne!(Credentials::from_random([1; 40]), Credentials::from_random([2; 40]));
    #[cfg(unix)]
    for name in ["ca-key.pem", "store-credentials.json"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(fixture.dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    fixture.stop().await;
}

#[test]
fn the_local_configuration_file_is_what_the_cli_reads() {
    let dir = TempDir::new().unwrap();
    let data = DataDir::open(dir.path()).unwrap();
    assert_eq!(data.read_local_config().unwrap(), None);
    let config = LocalConfig {
        registry: "http://127.0.0.1:8787".to_owned(),
        token: Secret::new("sk_x"),
        ca: data.ca_path(),
        namespace: "@global".to_owned(),
    };
    data.write_local_config(&config).unwrap();
    assert_eq!(data.read_local_config().unwrap(), Some(config));

    let text = std::fs::read_to_string(data.local_config_path()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ca = data.ca_path();
    let expected = serde_json::json!({
        "registry": "http://127.0.0.1:8787", "token": "sk_x", "ca": ca, "namespace": "@global"
    });
    assert!(ca.is_absolute());
    assert_eq!(json, expected);
    std::fs::write(data.local_config_path(), "{\"token\":\"sk_x\"").unwrap();
    let error = data.read_local_config().unwrap_err().to_string();
    assert!(error.contains("local.json") && !error.contains("sk_x"), "{error}");
}
