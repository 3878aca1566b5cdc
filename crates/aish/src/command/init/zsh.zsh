# aish init zsh: a key turns what is on the line into a command, another explains what failed. Nothing runs by itself.
if [[ -o interactive && -o zle && -z ${__aish_init-} && -z ${AISH_INIT_OFF-} ]]; then
  typeset -g __aish_init=1

  __aish_ask() {
    local last=$? comments=
    [[ -o interactivecomments ]] || comments=--no-comments
    emulate -L zsh
    # What was typed before a continuation comes back into the line first.
    [[ -z $PREBUFFER ]] || { zle push-line-or-edit; return 0 }
    [[ $BUFFER == *[![:space:]]* ]] || return 0
    local line=$BUFFER again= out
    [[ $line != ${__aish_told-} ]] || again=--again
    zle -I
    if out=$(\builtin print -rn -- "$line" | @AISH@ line ask --shell zsh --status $last $again $comments); then
      \builtin print -sr -- "$line"
      BUFFER=$out CURSOR=$#out
      typeset -g __aish_told=
    else
      typeset -g __aish_told=$line
    fi
    return 0
  }

  __aish_explain() {
    local last=$?
    emulate -L zsh
    local out
    zle -I
    out=$(\builtin print -rn -- "${history[$((HISTCMD-1))]-}" | @AISH@ line explain --shell zsh --status $last) || return 0
    [[ $PREBUFFER$BUFFER == *[![:space:]]* || -z $out ]] || { BUFFER=$out CURSOR=$#out }
    return 0
  }

  # Binds keys where nobody has bound them: keys, the first of them, widget.
  __aish_bind() {
    emulate -L zsh
    local map found
    typeset -g __aish_state=taken
    found=$(for map in emacs viins vicmd; do
      [[ $map == vi* && $1 == '^['* ]] || { bindkey -M $map $1; bindkey -M $map $2 }
    done 2>/dev/null)
    [[ -z ${${(f)found}:#*(undefined-key|self-insert|$3)} ]] || return 0
    zle -N $3
    for map in emacs viins vicmd; do
      [[ $map == vi* && $1 == '^['* ]] || bindkey -M $map $1 $3
    done
    __aish_state=bound
  }

  __aish_start() {
    emulate -L zsh
    local ask=none explain=none
    @ASK@__aish_bind '@ASK_KEYS@' '@ASK_FIRST@' __aish_ask; ask=$__aish_state
    @EXPLAIN@__aish_bind '@EXPLAIN_KEYS@' '@EXPLAIN_FIRST@' __aish_explain; explain=$__aish_state
    if (( ${+functions[compdef]} )) && [[ -z ${_comps[aish]-} ]]; then compdef __aish_complete aish; fi
    typeset -gx AISH_INIT="zsh $$ @ASK_NAME@=$ask @EXPLAIN_NAME@=$explain"
  }

  # The completions of aish are read when they are needed first.
  __aish_complete() {
    unfunction __aish_complete
    \builtin eval "$(@AISH@ completions zsh)"
    _aish "$@"
  }

  __aish_start
  # zsh-vi-mode makes its keymaps anew at the first prompt.
  if (( ${+functions[zvm_init]} )); then zvm_after_init_commands+=(__aish_start); fi
fi
