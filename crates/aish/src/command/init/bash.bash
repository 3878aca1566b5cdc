# aish init bash: a key turns what is on the line into a command, another explains what failed. Nothing runs by itself.
if [[ $- == *i* && ${BASH_VERSINFO[0]} -ge 4 && -z ${__aish_init-} && -z ${AISH_INIT_OFF-} ]]; then
  __aish_init=1

  __aish_ask() {
    local status=$? line=${READLINE_LINE-} again="" comments="" out
    [[ $line == *[![:space:]]* ]] || return 0
    [[ $line != "${__aish_told-}" ]] || again=--again
    shopt -q interactive_comments || comments=--no-comments
    if out=$(unset READLINE_LINE READLINE_POINT READLINE_MARK
        \builtin printf %s "$line" | @AISH@ line ask --shell bash --status "$status" ${again:+"$again"} ${comments:+"$comments"}); then
      [[ -o history ]] && \builtin history -s -- "$line"
      READLINE_LINE=$out READLINE_POINT=${#out} __aish_told=
    else
      __aish_told=$line
    fi
    return 0
  }

  __aish_explain() {
    local status=$? last out
    last=$(HISTTIMEFORMAT="" \builtin history 1)
    last=${last#"${last%%[0-9]*}"}
    last=${last#"${last%%[!0-9]*}"}
    last=${last#[*]}
    last=${last#"${last%%[! ]*}"}
    out=$(unset READLINE_LINE READLINE_POINT READLINE_MARK
      \builtin printf %s "$last" | @AISH@ line explain --shell bash --status "$status") || return 0
    [[ ${READLINE_LINE-} == *[![:space:]]* || -z $out ]] || { READLINE_LINE=$out READLINE_POINT=${#out}; }
    return 0
  }

  # Binds keys where nobody has bound them: as readline, as the first of them, and as ble.sh writes them; the function.
  __aish_bind() {
    local map
    __aish_state=taken
    if [[ -n ${BLE_VERSION-} ]]; then
      ble-bind -x "$3" "$4" && __aish_state=bound
      return 0
    fi
    case $__aish_bound in *$'\n'"\"$1\""* | *$'\n'"\"$2\""*"# functions"*) return 0 ;; esac
    for map in emacs-standard vi-insert vi-command; do
      # In vi's modes Esc is a key by itself.
      [[ $map == vi-* && $1 == '\e'* ]] || \builtin bind -m "$map" -x "\"$1\": $4"
    done
    __aish_state=bound
  }

  __aish_start() {
    local map=emacs-standard ask=none explain=none __aish_state __aish_bound
    [[ -o emacs || -o vi ]] || return 0
    [[ -o vi ]] && map=vi-insert
    # What the person bound to commands and texts, then what is bound to functions, by one process.
    __aish_bound=$'\n'$(for each in emacs-standard vi-insert vi-command; do
      \builtin bind -m "$each" -X; \builtin bind -m "$each" -s
    done; \builtin printf '# functions\n'; \builtin bind -m "$map" -p)
    @ASK@__aish_bind '@ASK_KEYS@' '@ASK_FIRST@' '@ASK_BLE@' __aish_ask; ask=$__aish_state
    @EXPLAIN@__aish_bind '@EXPLAIN_KEYS@' '@EXPLAIN_FIRST@' '@EXPLAIN_BLE@' __aish_explain; explain=$__aish_state
    export AISH_INIT="bash $$ @ASK_NAME@=$ask @EXPLAIN_NAME@=$explain"
  }

  # The completions of aish are read when they are needed first.
  __aish_complete() {
    unset -f __aish_complete
    \builtin eval "$(@AISH@ completions bash)"
    return 124
  }

  __aish_start
  unset -f __aish_start __aish_bind
  complete -p aish &>/dev/null || complete -F __aish_complete aish
fi
