#!/usr/bin/env bash
# scripts/agents.sh: real agents from npm, each with our hooks, against a scripted model. Each wants a harmless, an asked, a
# destructive and a wrapped command run; the last two must not run, though they do without the hooks, and nothing else is
# held back.
#
# Usage: scripts/agents.sh AISH [FOLDER]   AISH is the program; FOLDER holds node_modules (made where it is missing, 1.2 GB).
# Not part of ./test: what it fetches is large. It prints the versions that it saw. Exit code: 0 when all went as it must.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/say.sh"
[ $# -ge 1 ] || die "which aish?" "scripts/agents.sh target/debug/aish"
aish=$(realpath "$1") folder=${2:-$root/target/agents}
[ -x "$aish" ] || die "$aish is no program."
has npm || die "npm is missing."
mkdir -p "$folder"
for package in @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai; do
    [ -d "$folder/node_modules/$package" ] || (cd "$folder" && npm install --no-audit --no-fund "$package" >&2) || die "npm install $package"
done
bin=$folder/node_modules/.bin
work=$(mktemp -d)
model=
end() { [ -z "$model" ] || kill "$model"; rm -rf "$work"; }
trap end EXIT
mkdir -p "$work/home" "$work/project/.git"
python3 "$root/scripts/agents/model.py" "$work/PORT" & model=$!
until [ -s "$work/PORT" ]; do kill -0 "$model" || die "the model does not run."; done
url=http://127.0.0.1:$(cat "$work/PORT")
export bin url work
export HOME=$work/home CODEX_HOME=$work/home/.codex CLAUDE_CONFIG_DIR=$work/home/.claude
export DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GEMINI_CLI_TRUST_WORKSPACE=true
mkdir -p "$CODEX_HOME"
cat >"$CODEX_HOME/config.toml" <<TOML
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "$url/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[analytics]
enabled = false
TOML
export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1
mkdir -p "$HOME/.config/opencode"
cat >"$HOME/.config/opencode/opencode.json" <<JSON
{"autoupdate": false, "share": "disabled", "model": "anthropic/scripted", "small_model": "anthropic/scripted",
 "provider": {"anthropic": {"options": {"baseURL": "$url/v1", "apiKey": "dummy"},
                            "models": {"scripted": {"name": "scripted", "tool_call": true}}}}}
JSON

# Runs one command through an agent.
through() {
    case $1 in
    claude) ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=dummy "$bin/claude" -p x --allowedTools Bash ;;
    codex)
        SCRIPTED_KEY=dummy "$bin/codex" exec --skip-git-repo-check --dangerously-bypass-hook-trust -s danger-full-access x
        ;;
    gemini)
        python3 - "$work/COMMAND" >"$work/FAKE" <<'PY'
import json, sys
call = {"functionCall": {"name": "run_shell_command", "args": {"command": open(sys.argv[1]).read()}}}
for part, reason in ((call, "STOP"), ({"text": "done"}, "STOP"), ({"text": "done"}, "STOP")):
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": reason}]}
    print(json.dumps({"method": "generateContentStream", "response": [answer]}))
PY
        GEMINI_API_KEY=dummy "$bin/gemini" --fake-responses-non-strict "$work/FAKE" -p x --yolo
        ;;
    opencode) "$bin/opencode" run --auto x ;;
    esac
}

failed=0
for agent in claude codex gemini opencode; do
    say "$agent $("$bin/$agent" --version 2>/dev/null | head -1)"
    while IFS='|' read -r kind runs command; do
        # What is stopped with the hook runs without it: the agent would have let it through.
        [ "$kind" = unhooked ] || "$aish" hook install "$agent" --program "$aish" >/dev/null || die "aish hook install $agent"
        rm -f "$work/project/ran"
        printf '%s' "$command" >"$work/COMMAND"
        (cd "$work/project" && timeout 120 bash -c "$(declare -f through); through $agent" </dev/null) >"$work/OUT" 2>&1
        code=$?
        found=no
        [ -e "$work/project/ran" ] && found=yes
        if [ "$found" = "$runs" ]; then
            say "  ok      $kind: ran: $found"
        else
            say "  FAILED  $kind: ran: $found, and it should be: $runs (the agent ended with $code)"
            sed 's/^/          /' "$work/OUT" | tail -20 >&2
            failed=1
        fi
    done <<COMMANDS
unhooked|yes|touch ran; find /srv/aish-agents-test -delete
harmless|yes|touch ran
asked|yes|touch ran; make --version
destructive|no|touch ran; find /srv/aish-agents-test -delete
wrapped|no|touch ran; env A=1 bash -c 'nice find /srv/aish-agents-test -delete'
COMMANDS
    "$aish" hook uninstall "$agent" >/dev/null
done
exit "$failed"
