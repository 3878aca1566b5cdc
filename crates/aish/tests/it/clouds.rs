//! Servers behind https, a proxy and an authority of one's own, at the addresses of clouds and vendors: what
//! `docs/models.md` says of each goes into a configuration, and its server is scripted.

use std::process::{Command, Output};

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, ResponsesStream, Script};
use aish_testkit::proxy::Proxy;
use aish_testkit::tls;

/// Asks a model that a configuration names, in front of a server; returns what the program said.
fn ask(config: &str, variables: &[(&str, &str)]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/aish");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    Command::new(env!("CARGO_BIN_EXE_aish"))
        .args(["ask", "--no-tools", "hi"])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// One cloud or vendor: its host, and the lines of its model's table that the page gives.
struct Cloud {
    host: &'static str,
    lines: &'static str,
    /// Where its server answers.
    path: &'static str,
    key: &'static str,
}

const CLOUDS: [Cloud; 6] = [
    Cloud {
        host: "resource.openai.azure.com",
        lines: "endpoint = \"https://resource.openai.azure.com/openai/v1\"\nmodel = \"deployment\"\napi = \"responses\"\nkey_env = \"KEY\"\n",
        path: "/openai/v1/responses",
        key: "Bearer from-env",
    },
    Cloud {
        host: "bedrock-runtime.us-west-2.amazonaws.com",
        lines: "endpoint = \"https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1\"\nmodel = \"openai.gpt-oss-120b-1:0\"\nkey_env = \"KEY\"\n",
        path: "/openai/v1/chat/completions",
        key: "Bearer from-env",
    },
    Cloud {
        host: "europe-west4-aiplatform.googleapis.com",
        lines: "endpoint = \"https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/endpoints/openapi\"\nmodel = \"google/gemini-3-flash\"\nkey_command = \"echo from-command\"\n",
        path: "/v1/projects/p/locations/europe-west4/endpoints/openapi/chat/completions",
        key: "Bearer from-command",
    },
    Cloud {
        host: "generativelanguage.googleapis.com",
        lines: "endpoint = \"https://generativelanguage.googleapis.com/v1beta/openai\"\nmodel = \"gemini-3-flash\"\nkey_env = \"KEY\"\n",
        path: "/v1beta/openai/chat/completions",
        key: "Bearer from-env",
    },
    Cloud {
        host: "api.z.ai",
        lines: "endpoint = \"https://api.z.ai/api/paas/v4\"\nmodel = \"glm-5\"\nkey_env = \"KEY\"\n",
        path: "/api/paas/v4/chat/completions",
        key: "Bearer from-env",
    },
    Cloud {
        host: "api.x.ai",
        lines: "endpoint = \"https://api.x.ai/v1\"\nmodel = \"grok-4.7\"\nkey_env = \"KEY\"\n",
        path: "/v1/responses",
        key: "Bearer from-env",
    },
];

#[test]
fn clouds_are_reached_at_their_addresses_through_a_proxy_and_an_own_authority() {
    for cloud in CLOUDS {
        let reply = if cloud.path.ends_with("/responses") {
            ResponsesStream::new().text("Hello.").completed().reply()
        } else {
            OpenAiStream::answer("Hello.").reply()
        };
        let expect = Expect::request("POST", cloud.path).header("authorization", cloud.key);
        let server = ModelServer::start(Script::new().step(expect, reply)).unwrap();
        let proxy = Proxy::start(server.url().trim_start_matches("http://")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, tls::AUTHORITY).unwrap();
        let config = format!("[models.cloud]\n{}ca_file = \"{}\"\n", cloud.lines, file.display());
        let said = ask(&config, &[("HTTPS_PROXY", proxy.url()), ("KEY", "from-env")]);
        let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        assert_eq!(out, "Hello.\n", "{}: {err}", cloud.host);
        assert_eq!(proxy.asked(), [format!("CONNECT {}:443", cloud.host)]);
        server.finish();
    }
}

#[test]
fn an_authority_that_nobody_named_is_not_trusted() {
    let cloud = &CLOUDS[0];
    let server = ModelServer::start(Script::new()).unwrap();
    let proxy = Proxy::start(server.url().trim_start_matches("http://")).unwrap();
    let config = format!("[models.cloud]\n{}", cloud.lines);
    let said = ask(&config, &[("HTTPS_PROXY", proxy.url()), ("KEY", "from-env")]);
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(!said.status.success() && err.contains("certificate"), "{err}");
    assert!(server.finish().is_empty(), "nothing was sent");
    // A file that is none is said.
    let config = format!("[models.cloud]\n{}ca_file = \"/nonexistent/ca.pem\"\n", cloud.lines);
    let said = ask(&config, &[("KEY", "from-env")]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("/nonexistent/ca.pem"), "{said:?}");
}

#[test]
fn a_proxy_holds_for_servers_elsewhere_alone() {
    let elsewhere = "[models.m]\nendpoint = \"http://model.invalid\"\nmodel = \"m\"\n";
    let script = || Script::new().step(Expect::chat(), OpenAiStream::answer("Hello.").reply());
    let server = ModelServer::start(script()).unwrap();
    let proxy = Proxy::start(server.url().trim_start_matches("http://")).unwrap();
    let said = ask(elsewhere, &[("HTTP_PROXY", proxy.url()), ("http_proxy", proxy.url())]);
    assert_eq!(String::from_utf8_lossy(&said.stdout), "Hello.\n", "{said:?}");
    assert_eq!(proxy.asked(), ["POST http://model.invalid/v1/chat/completions"]);
    server.finish();
    // A host that needs none is asked itself, and is not there.
    let said = ask(elsewhere, &[("http_proxy", proxy.url()), ("NO_PROXY", "model.invalid")]);
    assert!(!said.status.success(), "{said:?}");
    // This machine needs none either.
    let server = ModelServer::start(script()).unwrap();
    let here = format!("[models.m]\nendpoint = \"{}\"\nmodel = \"m\"\n", server.url());
    let said = ask(&here, &[("http_proxy", proxy.url())]);
    assert_eq!(String::from_utf8_lossy(&said.stdout), "Hello.\n", "{said:?}");
    server.finish();
    assert_eq!(proxy.asked().len(), 1);
}
