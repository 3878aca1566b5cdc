//! Layers, faults and their places.

use std::path::Path;

use serde_json::{Value, json};

use super::key::Kind;
use super::layer::Setting;
use super::section::{HookAsk, HookHalt};
use super::*;

fn user(text: &str) -> Loaded {
    load(Some((Path::new("config.toml"), text)), &[], &[])
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn nothing_configured_is_no_fault() {
    let loaded = load(None, &[], &[]);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(loaded.config.context.max_turns, 40);
    assert_eq!(loaded.config.tools.builtin.len(), 13);
    assert!(!loaded.config.shell.confirm_cmd);
}

#[test]
fn a_fault_costs_its_key_alone_and_names_its_place() {
    let loaded = user(
        "[context]\nmax_turns = \"many\"\ntoken_budget = 900\n[models.m]\ntemperature = 3\nendpoint = \"http://x\"\n",
    );
    assert_eq!(
        messages(&loaded),
        [
            "config.toml:2:13: error: `context.max_turns` must be a whole number of at least 1; its default is used",
            "config.toml:5:15: error: `models.m.temperature` must be a number from 0 to 2; its default is used",
        ]
    );
    assert_eq!(loaded.config.context.max_turns, 40);
    assert_eq!(loaded.config.context.token_budget, Some(900));
    assert_eq!(loaded.config.models["m"].temperature, None);
}

#[test]
fn every_value_that_a_key_takes_can_be_used() {
    for key in keys::keys() {
        let values = match key.kind {
            Kind::Whole(least, most) => vec![json!(least), json!(most)],
            Kind::Number(least, most) => vec![json!(least), json!(most)],
            kind => vec![kind.example()],
        };
        let path: Vec<String> = key.name.split('.').map(|word| word.replace('*', "x")).collect();
        for value in values {
            let origin = Origin::User("config.toml".into());
            let setting = Setting { value: value.clone(), origin, position: None };
            let mut layer = Layer { settings: [(path.clone(), setting)].into() };
            let mut faults = Vec::new();
            Config::from_layer(&mut layer, &mut faults);
            assert_eq!(faults, [], "{} = {value}", key.name);
        }
    }
}

#[test]
fn a_project_does_not_shorten_the_history_of_all_projects() {
    let loaded = load(None, &[(Path::new(".aish.toml"), "[history]\nsize = 1\n")], &[]);
    assert_eq!(loaded.config.history.size, 100_000);
    let expected = ".aish.toml:2:1: warning: `history.size` is not used: only your own configuration may set it";
    assert_eq!(messages(&loaded), [expected]);
}

#[test]
fn a_value_that_turns_out_to_be_none_costs_its_key_alone() {
    let setting = |value: Value| Setting { value, origin: Origin::User("config.toml".into()), position: Some((2, 1)) };
    let path = |name: &str| name.split('.').map(str::to_owned).collect::<Vec<_>>();
    let settings = [(path("norris.max_steps"), setting(json!(u64::MAX))), (path("ui.theme"), setting(json!("dark")))];
    let mut layer = Layer { settings: settings.into() };
    let mut faults = Vec::new();
    let config = Config::from_layer(&mut layer, &mut faults);
    assert_eq!((config.norris.max_steps, config.ui.theme.as_deref()), (25, Some("dark")));
    assert_eq!(
        faults.iter().map(|fault| fault.about.clone()).collect::<Vec<_>>(),
        [diagnostic::About::Key("norris.max_steps".to_owned())]
    );
    assert!(
        faults[0].to_string().starts_with("config.toml:2:1: error: `norris.max_steps` cannot be used: "),
        "{faults:?}"
    );
    assert!(!layer.settings.contains_key(&path("norris.max_steps")), "it is not shown as if it held");
}

#[test]
fn unknown_keys_warn_with_a_near_name() {
    let loaded = user("[contxt]\nmax_turns = 3\n[shell]\nconfirm_cmds = true\n[models.big]\nendpiont = \"x\"\n");
    assert_eq!(
        messages(&loaded),
        [
            "config.toml:1:2: warning: unknown key `contxt`; did you mean `context`?",
            "config.toml:4:1: warning: unknown key `shell.confirm_cmds`; did you mean `shell.confirm_cmd`?",
            "config.toml:6:1: warning: unknown key `models.big.endpiont`; did you mean `models.big.endpoint`?",
        ]
    );
}

#[test]
fn of_very_many_unknown_keys_some_are_told_and_the_policy_misses_the_rest() {
    let unknown: String = (0..50_000).map(|at| format!("[other{at}]\nx = 1\n")).collect();
    let loaded = user(&format!("{unknown}[[polcy.rules]]\nmatch = \"ls\"\nverdict = \"halt\"\n"));
    let messages = messages(&loaded);
    assert_eq!(messages.len(), 22, "{messages:?}");
    assert_eq!(messages[20], "config.toml: warning: 49981 more unknown keys");
    assert!(messages[21].starts_with("policy: error: not used until this is mended"), "{}", messages[21]);
}

#[test]
fn names_that_other_programs_have_lead_to_ours() {
    let loaded = user("default_model = \"big\"\nmodel = \"big\"\n[models.big]\nbase_url = \"x\"\napi_key = \"y\"\n");
    assert_eq!(
        messages(&loaded),
        [
            "config.toml:1:1: warning: unknown key `default_model`; did you mean `model.default`?",
            "config.toml:2:1: error: `model` is a section, not a value; its keys: `model.default`, `model.fast`, `model.fallback`",
            "config.toml:4:1: warning: unknown key `models.big.base_url`; did you mean `models.big.endpoint`?",
            "config.toml:5:1: warning: unknown key `models.big.api_key`; did you mean `models.big.key_env`?",
        ]
    );
}

#[test]
fn what_is_no_toml_is_said_with_its_place() {
    let loaded = user("[context\nmax_turns = 3\n");
    assert_eq!(loaded.diagnostics.len(), 2, "the policy that may have stood in it is missed too");
    assert!(messages(&loaded)[0].starts_with("config.toml:1:"), "{:?}", messages(&loaded));
}

#[test]
fn the_environment_wins_over_files() {
    let variables =
        [("AISH_CONTEXT_MAX_TURNS".to_owned(), "7".to_owned()), ("AISH_UI_COLOR".to_owned(), "pink".to_owned())];
    let loaded = load(Some((Path::new("c"), "[context]\nmax_turns = 3")), &[], &variables);
    assert_eq!(loaded.config.context.max_turns, 7);
    assert_eq!(messages(&loaded), ["$AISH_UI_COLOR: error: must be one of: auto, always, never; it is not used"]);
}

#[test]
fn a_project_only_tightens() {
    let own = "[shell]\nconfirm_cmd = false\n[cost]\ncap_at_dollars = 1.0\n[mcp.auto_approve]\n\"a.read\" = true\n\"a.*\" = true\n";
    let project = "[shell]\nconfirm_cmd = true\n[cost]\ncap_at_dollars = 5.0\nwarn_at_dollars = 0.5\n\
                   [mcp.auto_approve]\n\"a.read\" = false\n\"b.*\" = true\n[mcp.servers.evil]\ncommand = \"sh\"\n[undo]\nenabled = false\n";
    let loaded = load(Some((Path::new("c"), own)), &[(Path::new("p"), project)], &[]);
    let config = &loaded.config;
    assert!(config.shell.confirm_cmd);
    assert_eq!((config.cost.cap_at_dollars, config.cost.warn_at_dollars), (Some(1.0), Some(0.5)));
    assert_eq!(config.mcp.auto_approve.get("a.read"), Some(&false));
    assert_eq!(config.mcp.auto_approve.get("a.*"), Some(&true));
    assert!(!config.mcp.auto_approve.contains_key("b.*"));
    assert!(config.mcp.servers.is_empty());
    assert!(config.undo.enabled);
    assert_eq!(loaded.diagnostics.len(), 4, "{:?}", messages(&loaded));
    let partly = "1 of `mcp.auto_approve` not used: a project may only say `false` there";
    assert!(messages(&loaded).iter().any(|message| message.contains(partly)), "{:?}", messages(&loaded));
}

#[test]
fn a_project_may_have_hooks_deny_and_nothing_looser() {
    let check = |own: &str, project: &str| load(Some((Path::new("c"), own)), &[(Path::new("p"), project)], &[]);
    let raised = check("[hooks]\nhalt = \"ask\"\n", "[hooks]\nask = \"deny\"\nhalt = \"deny\"\n");
    assert_eq!((raised.config.hooks.ask, raised.config.hooks.halt), (HookAsk::Deny, HookHalt::Deny));
    assert!(raised.diagnostics.is_empty(), "{:?}", messages(&raised));
    let loosened = check("[hooks]\nask = \"deny\"\n", "[hooks]\nask = \"abstain\"\nhalt = \"ask\"\nallow = true\n");
    assert_eq!((loosened.config.hooks.ask, loosened.config.hooks.halt), (HookAsk::Deny, HookHalt::Deny));
    assert!(!loosened.config.hooks.allow);
    assert_eq!(loosened.diagnostics.len(), 3, "{:?}", messages(&loosened));
}

#[test]
fn show_names_the_origin_and_hides_secrets() {
    let loaded = user("[mcp.servers.a]\nurl = \"http://a\"\nauth_token = \"canary\"\n");
    let shown = show::show(&loaded, None);
    assert!(shown.contains("mcp.servers.a.url = \"http://a\"  # config.toml:2:1"), "{shown}");
    assert!(!shown.contains("canary"));
}

#[test]
fn a_project_lowers_defaults_and_never_raises_them() {
    let check = |text: &str| load(None, &[(Path::new("p"), text)], &[]);
    let raised =
        check("[norris]\nmax_dollars = 100.0\nmax_steps = 26\n[mcp]\nmax_tool_depth = 9\n[undo]\nkeep_days = 0\n");
    assert_eq!((raised.config.norris.max_dollars, raised.config.norris.max_steps), (1.0, 25));
    assert_eq!((raised.config.mcp.max_tool_depth, raised.config.undo.keep_days), (8, 7));
    assert_eq!(raised.diagnostics.len(), 4, "{:?}", messages(&raised));
    let lowered = check("[norris]\nmax_dollars = 0.5\n[cost]\ncap_at_dollars = 2.0\n");
    assert_eq!((lowered.config.norris.max_dollars, lowered.config.cost.cap_at_dollars), (0.5, Some(2.0)));
    assert!(lowered.diagnostics.is_empty(), "{:?}", messages(&lowered));
}

#[test]
fn a_deeper_file_tightens_what_the_upper_one_left() {
    let files = [
        (Path::new("p"), "[norris]\nmax_steps = 5\n[[policy.rules]]\nmatch = \"a*\"\nverdict = \"ask\"\n"),
        (Path::new("p/q"), "[norris]\nmax_steps = 9\n[[policy.rules]]\nmatch = \"b*\"\nverdict = \"halt\"\n"),
    ];
    let loaded = load(None, &files, &[]);
    assert_eq!((loaded.config.norris.max_steps, loaded.config.policy.rules.len()), (5, 2));
}
