//! The seed of the MCP client, bullet by bullet: which test shows it, in whichever crate it lives.
//!
//! [`every_bullet_is_a_test`] looks that each of them is still there under its name.

use std::path::Path;

/// "Phase 2 is done when".
const DONE_WHEN: &[(&str, &str, &[&str])] = &[
    (
        "a server of the configuration and one connected at runtime",
        "crates/aish/tests/it/servers.rs",
        &["done_when_one_is_configured_and_one_connected_at_runtime"],
    ),
    (
        ":mcp list shows servers, :mcp tools their tools",
        "crates/aish-mcp/tests/it/client_seed.rs",
        &["done_when_mcp_list_shows_servers_and_mcp_tools_shows_tools"],
    ),
    (
        "a conversation invokes a tool: offered, confirmed, dispatched, its result goes back, the model goes on",
        "crates/aish/tests/it/servers.rs",
        &["done_when_a_conversation_invokes_a_tool"],
    ),
    ("CMD: works unchanged", "crates/aish/tests/it/servers.rs", &["done_when_commands_still_work_beside_tools"]),
    (
        "auto_approve runs without the question, others are asked",
        "crates/aish-mcp/tests/it/client_seed.rs",
        &["done_when_auto_approve_runs_without_the_prompt_and_others_still_prompt"],
    ),
];

/// "Test checkpoints", by the seed's number.
const CHECKPOINTS: &[(&str, &str, &[&str])] = &[
    (
        "1: the client connects and lists",
        "crates/aish-mcp/tests/it/client_seed.rs",
        &["checkpoint_1_the_handshake_is_as_lmcp_wants_it", "checkpoint_1_the_bearer_token_is_sent"],
    ),
    (
        "2: policy: exact, all of a server, a miss asks",
        "crates/aish-safety/tests/it/gate.rs",
        &["an_approved_tool_runs_at_once_and_is_pinned_then", "without_a_person_policy_alone_decides"],
    ),
    (
        "3: the transcript with tool turns as messages",
        "crates/aish-turn/src/transcript.rs",
        &["strict_templates_see_text_only_and_merged_neighbours", "an_exchange_goes_as_a_whole"],
    ),
    ("4: the frame of a tool's result", "crates/aish-term/src/frame.rs", &["a_call_is_a_line_at_either_end"]),
    (
        "5: the request's body",
        "crates/aish-llm/tests/it/openai.rs",
        &["the_first_request_is_small_and_has_no_tools", "tool_names_travel_both_ways"],
    ),
    (
        "6: the whole shell, from the question to the model's answer",
        "crates/aish/tests/it/servers.rs",
        &["done_when_a_conversation_invokes_a_tool"],
    ),
    (
        "7: servers in the configuration, none connected: no tools field",
        "crates/aish/tests/it/servers.rs",
        &["risk_an_empty_tools_array_is_left_out"],
    ),
];

/// "Risk / non-obvious".
const RISKS: &[(&str, &str, &[&str])] = &[
    ("an empty tools array is not sent", "crates/aish/tests/it/servers.rs", &["risk_an_empty_tools_array_is_left_out"]),
    ("connecting at startup blocks nothing", "crates/aish/tests/it/servers.rs", &["the_prompt_waits_for_no_server"]),
    (
        "content blocks beyond text are flattened",
        "crates/aish-mcp/src/client/call.rs",
        &["risk_content_blocks_beyond_text_are_flattened_and_kept"],
    ),
    ("and told in a line", "crates/aish/src/driver/status.rs", &["risk_content_blocks_beyond_text_are_told"]),
    (
        "isError: false on a failure passes through",
        "crates/aish-mcp/src/client/call.rs",
        &["risk_is_error_false_on_actual_failure_passes_the_text_unchanged"],
    ),
    (
        "a JSON-RPC error is a status line",
        "crates/aish/tests/it/servers.rs",
        &["risk_a_json_rpc_error_is_a_status_line"],
    ),
    (
        "and no tool turn; rounds are bounded; invalid arguments are not run; templates without the tool role",
        "crates/aish-turn/src/turn/tests.rs",
        &[
            "a_transport_error_is_a_status_and_leaves_the_recorded_turn",
            "the_depth_limit_stops_the_shell_and_leaves_no_call_unanswered",
            "the_model_is_told_of_malformed_calls_and_a_person_sees_them",
            "a_template_that_refuses_tools_is_asked_again_once_without",
        ],
    ),
];

#[test]
fn every_bullet_is_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (bullet, file, tests) in DONE_WHEN.iter().chain(CHECKPOINTS).chain(RISKS) {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        for test in *tests {
            let at =
                text.find(&format!("fn {test}()")).unwrap_or_else(|| panic!("{bullet}: {file} has no test {test}"));
            let attribute = text[..at].trim_end().trim_end_matches("async").trim_end();
            assert!(attribute.ends_with(']'), "{bullet}: {test} is no test");
        }
    }
}
