//! Documents as they are: old, new, odd and hostile. What is made of them can always be read.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use climax::config::{self, ArgKind, Config};
use climax::import::openapi::{ApiDraft, ImportOptions};
use serde_json::{Value, json};

/// Makes the config of a document, which must be without fault.
fn config(text: &str) -> (Config, Vec<String>) {
    let imported = ApiDraft::read(text, &ImportOptions::default()).unwrap();
    let (config, faults) = config::read("x.yaml", &imported.yaml());
    assert_eq!(faults, [], "{}", imported.yaml());
    (config.unwrap(), imported.remarks)
}

fn error(text: &str) -> String {
    ApiDraft::read(text, &ImportOptions::default()).unwrap_err()
}

/// A document with one operation, `GET /x`.
fn one(operation: Value) -> Value {
    json!({"openapi": "3.1.0", "info": {"title": "One"}, "servers": [{"url": "https://a.example"}], "paths": {"/x": {"post": operation}}})
}

const OLD: &str = "
swagger: 2.0
info: {title: Old pets, version: 1}
host: pets.example:8443
basePath: /v1/
schemes: [http, https]
securityDefinitions: {key: {type: apiKey, in: header, name: X-Key}}
consumes: [application/json]
paths:
  /pets/{petId}/photos:
    parameters: [{name: petId, in: path, required: true, type: integer}]
    get:
      operationId: findPhotos
      description: |
        Finds photos.

        A second paragraph.
      parameters:
        - {name: sizes, in: query, type: array, items: {type: integer}, collectionFormat: pipes}
        - {name: Accept, in: header, type: string}
    put:
      parameters: [{name: body, in: body, required: true, schema: {$ref: '#/definitions/Photo'}}]
    post: {operationId: upload, parameters: [{name: file, in: formData, type: file}]}
  /form:
    post:
      consumes: [application/x-www-form-urlencoded]
      parameters: [{name: name, in: formData, type: string, required: true}]
definitions: {Photo: {properties: {url: {type: string}}, required: [url]}}
";

#[test]
fn version_two_is_read() {
    let (config, remarks) = config(OLD);
    let api = config.api.as_ref().unwrap();
    assert_eq!((config.name.as_str(), api.url.as_str()), ("old_pets", "https://pets.example:8443/v1/"));
    let names: Vec<String> = config.tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["old_pets_find_photos", "old_pets_put_pets_pet_id_photos", "old_pets_post_form"]);
    assert_eq!(config.tools.get(0).unwrap().description, "Finds photos.");
    assert_eq!(config.tools.get(0).unwrap().args.len(), 2, "the header is the request's own");
    assert_eq!(config.tools.get(1).unwrap().args[1].name, "url");
    assert!(config.tools.get(1).unwrap().args.iter().all(|arg| arg.required));
    assert_eq!(remarks, ["POST /pets/{petId}/photos is left out: its body is multipart/form-data, which is not sent"]);
}

#[test]
fn schemas_are_no_stricter_than_they_were() {
    let operation = json!({"operationId": "x", "requestBody": {"required": true, "content": {"application/merge-patch+json": {"schema": {
        "allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": ["string", "null"], "const": "k"}}},
                  {"properties": {"b": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "c": {"$ref": "other.json#/x"},
                                  "d": {"type": "string", "nullable": true, "enum": ["p", "q"]},
                                  "e": {"type": "string", "default": "sent by nobody"},
                                  "f": {"type": "array", "items": {"enum": (0..200).collect::<Vec<_>>()}}}}]}}}}});
    let (config, _) = config(&one(operation).to_string());
    let tool = &config.tools.get(0).unwrap();
    let schema = climax::schema::input_schema(tool, climax::schema::Flags::Hidden);
    let expected = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": ["string", "null"], "enum": ["k"]},
        "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "c": {},
        "d": {"type": ["string", "null"], "enum": ["p", "q", null]},
        "e": {"type": "string"},
        "f": {"type": "array", "items": {}}}});
    assert_eq!(schema, expected);
    assert_eq!(tool.args[2].kind, ArgKind::Any);
    assert!(tool.args.iter().all(|arg| arg.default.is_none()));
}

#[test]
fn names_are_told_apart() {
    let mut document = one(json!({"operationId": "doIT_Now!", "parameters": [
        {"name": "id", "in": "query", "schema": {"type": "string"}}, {"name": "id", "in": "header", "schema": {"type": "string"}},
        {"name": "filter[a:b]", "in": "query", "schema": {"type": "string"}}, {"name": "", "in": "cookie"}]}));
    document["paths"]["/y/{id}"] = json!({"get": {"operationId": "do-it-now"}});
    document["paths"]["/x"]["trace"] = json!({});
    document["paths"]["/z?a=b"] = json!({"get": {}});
    document["paths"]["/../z"] = json!({"get": {}});
    let (config, remarks) = config(&document.to_string());
    let names: Vec<String> = config.tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["one_do_it_now", "one_do_it_now_2"]);
    let first = config.tools.get(0).unwrap();
    let args: Vec<&str> = first.args.iter().map(|arg| arg.name.as_str()).collect();
    assert_eq!(args, ["id", "id_2", "filter_a_b"]);
    assert!(config.tools.get(1).unwrap().args[0].required, "a place that no parameter tells");
    assert_eq!(remarks.len(), 3, "{remarks:?}");
}

#[test]
fn what_is_no_document_is_told() {
    for (text, said) in [
        ("", "the file is empty"),
        ("{", "it is no JSON"),
        ("a: [", "line "),
        ("{}", "it is no OpenAPI document"),
        ("openapi: 3.0.0", "it has no `paths`"),
        (format!("[{}0]", "0,".repeat(4_000_000)).as_str(), "it has more than 4000000 values"),
        ("{\"openapi\":\"3.0.0\",\"paths\":{}}", "--server URL"),
        ("{\"openapi\":\"3.0.0\",\"paths\":{},\"servers\":[{\"url\":\"/v1\"}]}", "--server URL"),
        ("{\"openapi\":\"3.0.0\",\"paths\":{},\"servers\":[{\"url\":\"file:///etc\"}]}", "http:// or https://"),
        (
            "{\"openapi\":\"3.0.0\",\"paths\":{},\"servers\":[{\"url\":\"https://u:p@a.example\"}]}",
            "must not hold a user",
        ),
    ] {
        assert!(error(text).contains(said), "{text}: {}", error(text));
    }
}

#[test]
fn hostile_documents_are_bounded_in_time_and_size() {
    // Each schema names the next one twice; references go in circles; names, lists and texts are long.
    let mut schemas = String::new();
    for at in 0..200 {
        write!(
            schemas,
            r##""S{at}":{{"properties":{{"a":{{"$ref":"#/d/S{0}"}},"b":{{"$ref":"#/d/S{0}"}}}}}},"##,
            (at + 1) % 200
        )
        .unwrap();
    }
    let twice = format!(r##"{{{schemas}"Loop":{{"$ref":"#/d/Loop"}}}}"##);
    let mut document = one(
        json!({"parameters": [{"$ref": "#/d/Loop"}], "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/d/S0"}}}}}),
    );
    document["d"] = serde_json::from_str(&twice).unwrap();
    let wide: serde_json::Map<String, Value> =
        (0..50_000).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
    document["paths"]["/wide"] =
        json!({"post": {"requestBody": {"content": {"application/json": {"schema": {"properties": wide}}}}}});
    document["paths"]["/long"] =
        json!({"get": {"summary": "é".repeat(1_000_000), "operationId": "A".repeat(1_000_000)}});
    let all: Vec<Value> =
        (0..50_000).map(|at| json!({"name": format!("p{at}"), "in": "query", "schema": {"type": "string"}})).collect();
    document["paths"]["/many"] = json!({"get": {"parameters": all}});
    for at in 0..8_000 {
        document["paths"][format!("/op/{at}")] = json!({"get": {}});
    }
    let text = document.to_string();
    let started = Instant::now();
    let (config, remarks) = config(&text);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert_eq!(config.tools.len(), 5_000);
    assert!(remarks.iter().any(|remark| remark.contains("operations were left out")), "{remarks:?}");
    assert!(
        config
            .tools
            .iter()
            .all(|tool| tool.args.len() <= 101 && tool.name.len() <= 62 && tool.description.len() < 2_000)
    );
    let imported = ApiDraft::read(&text, &ImportOptions::default()).unwrap();
    assert!(imported.yaml().len() < 4 * 1024 * 1024, "{}", imported.yaml().len());
    let deep = format!(
        "{}{}",
        r#"{"openapi":"3.0.0","paths":"#.to_owned() + &r#"{"a":"#.repeat(500),
        "1".to_owned() + &"}".repeat(501)
    );
    assert!(error(&deep).contains("recursion"), "{}", error(&deep));
}

#[test]
fn what_a_document_says_is_data() {
    let operation = json!({"operationId": "x\n  - name: evil\n    command: rm", "summary": "A\u{202e}b\"\n    risk: read\u{7}",
        "parameters": [{"name": "a\", in: path}\n", "in": "query", "description": "}\n- x"}]});
    let mut document = one(operation);
    document["info"]["title"] = "T\ncommand: rm -rf /".into();
    let (config, _) = config(&document.to_string());
    assert_eq!((config.tools.len(), config.command.as_str()), (1, ""));
    assert_eq!(config.tools.get(0).unwrap().risk, aish_types::Risk::Write);
    assert!(!config.tools.get(0).unwrap().description.contains(['\u{202e}', '\n', '\u{7}']));
}

#[test]
fn a_config_of_an_api_is_validated() {
    let check = |text: &str| config::read("x", text).1.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for (text, said) in [
        ("http: {url: 'ftp://x'}\ntools: []", "must begin with http:// or https://"),
        ("http: {}\ntools: []", "'http' needs 'url'"),
        ("http: {url: 'https://x', auth_env: 'sk-1 2'}\ntools: []", "takes the name of a variable"),
        ("http: {url: 'https://x', auth_env: A, auth: cookie}\ntools: []", "'auth' must be bearer"),
        ("http: {url: 'https://x'}\ncommand: ls\ntools: []", "'command' is for programs"),
        ("http: {url: 'https://x'}\ntools: [{name: a, description: b}]", "needs 'request'"),
        (
            "http: {url: 'https://x'}\ntools: [{name: a, description: b, request: EAT /x}]",
            "must be a method and a path",
        ),
        ("http: {url: 'https://x'}\ntools: [{name: a, description: b, request: GET /../x}]", "parts of dots"),
        ("http: {url: 'https://x'}\ntools: [{name: a, description: b, request: 'GET /{i}'}]", "fills {i}"),
        (
            "http: {url: 'https://x'}\ntools: [{name: a, description: b, request: GET /, args: [{name: q}]}]",
            "needs 'in'",
        ),
        (
            "http: {url: 'https://x'}\ntools: [{name: a, description: b, request: GET /, args: [{name: host, in: header}]}]",
            "which no argument may set",
        ),
        (
            "http: {url: 'https://x'}\ntools: [{name: a, description: b, request: GET /, args: [{name: X-HTTP-Method-Override, in: header}]}]",
            "which no argument may set",
        ),
        (
            "command: ls\ntools: [{name: a, description: b, args: [{name: q, type: object}]}]",
            "'type' must be one of: string, integer, number, boolean",
        ),
        ("command: ls\ntools: [{name: a, description: b, args: [{name: q, in: query}]}]", "no key 'in'"),
    ] {
        assert!(check(text).contains(said), "{text}: {}", check(text));
    }
}

#[test]
fn what_need_not_be_given_and_is_not_sent_is_told() {
    let document = one(json!({
        "operationId": "mark",
        "parameters": [{"name": "seen", "in": "cookie", "schema": {"type": "string"}}, {"name": "q", "in": "query"}],
        "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object"}}}},
    }));
    let (config, remarks) = config(&document.to_string());
    let tools: Vec<_> = config.tools.iter().collect();
    assert_eq!((tools.len(), tools[0].args.len()), (1, 1));
    assert_eq!(
        remarks,
        [
            "POST /x has no 'seen': what is in a cookie is not sent",
            "POST /x has no body: multipart/form-data is not sent"
        ]
    );
}

#[test]
fn a_url_with_a_variable_that_nothing_fills_in_is_asked_for() {
    for variables in [json!({}), json!({"other": {"default": "x"}})] {
        let mut document = one(json!({}));
        document["servers"] = json!([{"url": "https://{h}.example.com/v1", "variables": variables}]);
        let why = error(&document.to_string());
        assert!(why.contains("'h'") && why.contains("--server URL"), "{why}");
        let options = ImportOptions { server: Some("https://a.example.com/v1"), ..ImportOptions::default() };
        assert!(ApiDraft::read(&document.to_string(), &options).is_ok());
    }
    let mut document = one(json!({}));
    document["servers"] = json!([{"url": "https://{h}.example.com", "variables": {"h": {"default": "a"}}}]);
    assert_eq!(config(&document.to_string()).0.api.unwrap().url.as_str(), "https://a.example.com/");
}

#[test]
fn what_the_document_says_of_the_token_is_no_argument() {
    for (scheme, place, name) in [("X-Api-Key", "header", "x-api-key"), ("api_key", "query", "api_key")] {
        let mut document = one(json!({"operationId": "mark", "parameters": [
            {"name": name, "in": place, "required": true, "schema": {"type": "string"}}, {"name": "q", "in": "query"}]}));
        document["components"]["securitySchemes"]["key"] = json!({"type": "apiKey", "in": place, "name": scheme});
        let config = config(&document.to_string()).0;
        let args: Vec<_> = config.tools.get(0).unwrap().args.iter().map(|arg| arg.name.clone()).collect();
        assert_eq!(args, ["q"], "{place}");
    }
}

#[test]
fn everything_that_leads_nowhere_is_told() {
    let mut document = one(json!({"operationId": "mark", "parameters": [
        {"$ref": "other.yaml#/p"}, {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}));
    document["paths"]["/far"] = json!({"$ref": "far.yaml"});
    document["paths"]["/x"]["options"] = json!({});
    document["paths"]["/l/{id}"] =
        json!({"get": {"parameters": [{"name": "id", "in": "path", "required": true, "style": "label"}]}});
    document["paths"]["x-note"] = json!("no path");
    let (config, remarks) = config(&document.to_string());
    assert_eq!((config.tools.len(), config.tools.get(0).unwrap().args.len()), (1, 0));
    let mut remarks: Vec<&str> = remarks.iter().map(String::as_str).collect();
    remarks.sort_unstable();
    assert_eq!(
        remarks,
        [
            "/far is left out: it leads nowhere in this file",
            "GET /l/{id} is left out: 'id' stands in its path in the style 'label', which is not written",
            "POST /x has no 'id': its path has no place of that name",
            "POST /x has no parameter 'other.yaml#/p': it leads nowhere in this file",
            "operations with other methods (OPTIONS, TRACE, QUERY) are left out: 1",
        ]
    );
}

#[test]
fn a_schema_of_very_many_alternatives_is_not_copied_for_each_place() {
    let many: Vec<Value> = (0..50_000).map(|_| json!({"type": "string"})).collect();
    let field = |at: usize| (format!("f{at}"), json!({"$ref": "#/components/schemas/Many"}));
    let fields: serde_json::Map<String, Value> = (0..50).map(field).collect();
    let body =
        json!({"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": fields}}}}});
    let mut document = one(body.clone());
    document["components"]["schemas"]["Many"] = json!({"oneOf": many});
    for at in 0..200 {
        document["paths"][format!("/p{at}")] = json!({"post": body});
    }
    let text = document.to_string();
    let started = Instant::now();
    assert_eq!(ApiDraft::read(&text, &ImportOptions::default()).unwrap().len(), 201);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
