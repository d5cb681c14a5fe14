//! Which registry and which token a command uses, and what `login` keeps.

use std::fs;

use serde_json::json;

use crate::support::{Response, Sandbox, Server};

fn registry() -> Server {
    Server::plain(|request| match (request.path(), request.header("authorization")) {
        ("/api/whoami", Some("Bearer sk_good" | "Bearer sk_other")) => Response::json(
            200,
            &json!({"handle": "alice", "namespaces": [{"namespace": "@alice", "kind": "personal", "role": "owner"}]}),
        ),
        ("/api/skills", _) => Response::json(200, &json!({"schemaVersion": 1, "skills": [], "nextCursor": null})),
        _ => Response::problem(401, "unauthenticated", "the token is unknown"),
    })
}

fn last_token(server: &Server) -> Option<String> {
    server.requests().last().unwrap().header("authorization").map(str::to_owned)
}

#[test]
fn login_keeps_a_checked_token_for_its_owner_only() {
    let (sandbox, server) = (Sandbox::new(), registry());
    let url = server.url();
    let bad = sandbox.run(&["login", "--registry", &url, "--token", "sk_bad"]).ends(3);
    bad.says(&["the registry does not accept the token [unauthenticated]", "request id: req-7", "hint: "]);
    assert!(!sandbox.home().join(".config/skillhub").exists(), "a refused token is not kept");

    let ran = sandbox.run(&["login", "--registry", &url, "--token", "sk_good", "--namespace", "@alice"]).ends(0);
    assert_eq!(ran.stdout, format!("signed in to {url} as alice\n"));
    assert!(!ran.stdout.contains("sk_good") && !ran.stderr.contains("sk_good"));
    let file = sandbox.home().join(".config/skillhub/config.toml");
    let expected =
        format!("default = \"{url}\"\n\n[registries.\"{url}\"]\ntoken = \"sk_good\"\nnamespace = \"@alice\"\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&server).as_deref(), Some("Bearer sk_good"));
}

#[test]
fn what_login_does_not_know_stays_in_the_file() {
    let (mut sandbox, server) = (Sandbox::new(), registry());
    let dir = sandbox.project().join("conf");
    sandbox.set("SKILLHUB_CONFIG_DIR", dir.to_str().unwrap());
    sandbox
        .write("conf/config.toml", "future = 1\n\n[registries.\"https://a.example\"]\ntoken = \"sk_a\"\nnew = true\n");
    sandbox.run(&["login", "--registry", &server.url(), "--token", "sk_good"]).ends(0);
    let text = fs::read_to_string(dir.join("config.toml")).unwrap();
    for kept in ["future = 1", "token = \"sk_a\"", "new = true", "token = \"sk_good\""] {
        assert!(text.contains(kept), "{text}");
    }
    sandbox.write("conf/config.toml", "default = 7 # sk_a\n");
    let ran = sandbox.run(&["list", "--remote"]).ends(2).says(&["cannot understand", "config.toml"]);
    assert!(!ran.stderr.contains("sk_a"), "a broken file is not quoted: {}", ran.stderr);
}

#[test]
fn options_then_environment_then_the_users_file() {
    let (mut sandbox, in_file, in_env, in_option) = (Sandbox::new(), registry(), registry(), registry());
    sandbox.run(&["login", "--registry", &in_file.url(), "--token", "sk_good"]).ends(0);
    let count = |server: &Server| server.requests().len();

    let before = (count(&in_file), count(&in_env), count(&in_option));
    sandbox.run(&["list", "--remote"]).ends(0);
    sandbox.set("SKILLHUB_REGISTRY", &in_env.url());
    sandbox.set("SKILLHUB_TOKEN", "sk_other");
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&in_env).as_deref(), Some("Bearer sk_other"));
    sandbox.run(&["list", "--remote", "--registry", &in_option.url()]).ends(0);
    assert_eq!(last_token(&in_option), None, "the environment's token belongs to the environment's registry");
    assert_eq!((count(&in_file), count(&in_env), count(&in_option)), (before.0 + 1, before.1 + 1, before.2 + 1));

    sandbox.set("SKILLHUB_REGISTRY", "");
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&in_file).as_deref(), Some("Bearer sk_other"), "without a registry it is for the one in use");
}

#[test]
fn the_project_names_its_registry_but_does_not_get_the_token_by_that() {
    let (mut sandbox, of_user, of_project) = (Sandbox::new(), registry(), registry());
    sandbox.run(&["login", "--registry", &of_user.url(), "--token", "sk_good"]).ends(0);
    sandbox.write("skillhub.toml", format!("registry = \"{}\"\n", of_project.url()));
    sandbox.set("SKILLHUB_TOKEN", "sk_other");
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&of_project), None, "a project may come from anybody");
    sandbox.set("SKILLHUB_REGISTRY", &of_project.url());
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&of_project).as_deref(), Some("Bearer sk_other"));
    sandbox.set("SKILLHUB_REGISTRY", &of_user.url());
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&of_user).as_deref(), Some("Bearer sk_other"), "the environment comes before the project");

    sandbox.set("SKILLHUB_REGISTRY", "");
    sandbox.set("SKILLHUB_TOKEN", "");
    sandbox.run(&["login", "--registry", &of_project.url(), "--token", "sk_good"]).ends(0);
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&of_project).as_deref(), Some("Bearer sk_good"), "the user signed in to it");
    for (text, said) in [
        ("token = \"sk_x\"\n", "unknown field `token`"),
        ("ca = \"ca.pem\"\n", "unknown field `ca`"),
        ("registry = \"http://skills.example.com\"\n", "must be https"),
    ] {
        sandbox.write("skillhub.toml", text);
        sandbox.run(&["list", "--remote"]).ends(2).says(&["skillhub.toml", said]);
    }
}

#[test]
fn signing_out_forgets_one_token_or_all() {
    let (sandbox, one, other) = (Sandbox::new(), registry(), registry());
    for server in [&one, &other] {
        sandbox.run(&["login", "--registry", &server.url(), "--token", "sk_good"]).ends(0);
    }
    sandbox.run(&["logout"]).ends(0);
    sandbox.run(&["list", "--remote"]).ends(0);
    assert_eq!(last_token(&other), None, "the last one is the default");
    sandbox.run(&["whoami", "--registry", &one.url()]).ends(0);
    sandbox.run(&["logout", "--all"]).ends(0);
    sandbox.run(&["whoami", "--registry", &one.url()]).ends(3);
    let text = fs::read_to_string(sandbox.home().join(".config/skillhub/config.toml")).unwrap();
    assert!(!text.contains("sk_good"), "{text}");
}

#[test]
fn local_mode_reads_what_the_local_registry_wrote() {
    let (mut sandbox, server) = (Sandbox::new(), registry());
    sandbox.set("SKILLHUB_REGISTRY", "https://unused.example");
    sandbox.set("SKILLHUB_TOKEN", "sk_unused");
    sandbox.run(&["list", "--remote", "--local"]).ends(2).says(&[
        "no local registry",
        "local.json",
        "hint: start it with `cargo run`",
    ]);
    let local = json!({"registry": server.url(), "token": "sk_local", "namespace": "@alice"}).to_string();
    sandbox.write(".skillhub/local.json", &local);
    sandbox.write("deep/er/x", "");
    let mut command = sandbox.command(&["--local", "list", "--remote"]);
    let output = command.current_dir(sandbox.project().join("deep/er")).output().unwrap();
    assert!(output.status.success(), "the nearest .skillhub upwards is found: {output:?}");
    assert_eq!(last_token(&server).as_deref(), Some("Bearer sk_local"));
    sandbox.write("elsewhere/local.json", &local);
    sandbox.run(&["list", "--remote", "--local=elsewhere"]).ends(0);
}

#[test]
fn a_token_never_travels_in_the_clear_or_past_a_redirect() {
    let (sandbox, elsewhere) = (Sandbox::new(), registry());
    sandbox.run(&["list", "--remote", "--registry", "http://skills.example.com"]).ends(2).says(&["must be https"]);
    let target = format!("{}/api/whoami", elsewhere.url());
    let redirecting = Server::plain(move |_| Response::new(307, "text/html", "").with("location", &target));
    sandbox.run(&["login", "--registry", &redirecting.url(), "--token", "sk_good"]).ends(4).says(&["redirect"]);
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_registry_that_is_not_there_is_a_network_error() {
    let sandbox = Sandbox::new();
    let gone = registry().url();
    sandbox.run(&["list", "--remote", "--registry", &gone]).ends(4).says(&["cannot reach", &gone, "hint: "]);
    sandbox.run(&["list", "--remote"]).ends(2).says(&["no registry is named", "skillhub login"]);
}

#[test]
fn a_busy_registry_is_asked_again() {
    let sandbox = Sandbox::new();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::plain(move |_| match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Response::problem(503, "unavailable", "busy").with("retry-after", "0"),
        _ => Response::json(200, &json!({"schemaVersion": 1, "skills": [], "nextCursor": null})),
    });
    sandbox.run(&["list", "--remote", "--registry", &server.url()]).ends(0);
    assert_eq!(server.requests().len(), 2);
}
