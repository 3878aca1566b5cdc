# The live shell's hook. @NONCE@ and @FOLDER@ are filled in for each session.
#
# At each prompt: prompts and history are put in order, the state is reported into FOLDER/out, the end mark goes to the
# terminal, and the next command is read from FOLDER/in. Everything is written so that a user's own settings (set -eux,
# IFS, TMOUT, aliases, functions of any name) neither break it nor are changed by it.
#
# No FIFO is opened where that would wait for the other side: a hang-up that comes just before would be noticed by bash only
# behind it, which is never where the other side was killed. So each is opened both ways first, and one way through that.
__aish_status=$?
__aish_folder='@FOLDER@'
__aish_prompt=$'\e]133;B;aish=@NONCE@\a'
__aish_start=$'\e]133;C;aish=@NONCE@\a'
__aish_more=$'\e]133;P;aish=@NONCE@\a'
__aish_entry='{ __aish_hook "$?"; } >/dev/null 2>&1'

# A function of the user's by the name of `builtin`, and built-in commands that were disabled, are put back as they were at the
# end. Where that does not help nothing is done: the prompt comes without the end mark before it, which aish notices.
#
# With `set -b` a job's end would be told to nobody here.
function __aish_hook {
  if \declare -F builtin; then
    __aish_builtin=$(\declare -f builtin)
    \unset -f builtin
  fi
  if { \builtin enable -n || \enable -n; } >|"$__aish_folder/off" && [[ -s $__aish_folder/off ]]; then
    \enable . : builtin compgen complete declare eval exec export history jobs local mapfile printf read return set \
      shift shopt trap unalias unset
  fi
  __aish_works=
  if \builtin eval '__aish_works=1' && [[ $__aish_works ]]; then __aish_apart "$1"; fi
  if [[ -s $__aish_folder/off ]]; then \builtin . "$__aish_folder/off"; fi
  if [[ ${__aish_builtin-} ]]; then
    \builtin eval "$__aish_builtin"
    __aish_builtin=
  fi
}

# The user's options are put aside first; what is called after that inherits no DEBUG or ERR trap either. `exec` has to be
# called by its name: `builtin exec` takes back what it redirected.
function __aish_apart {
  \builtin local - __aish_function=
  \builtin set +befuxvCTE
  if \builtin declare -F exec; then
    __aish_function=$(\builtin declare -f exec)
    \builtin unset -f exec
  fi
  __aish_serve "$1"
  \builtin eval "$__aish_function"
}

function __aish_serve {
  \builtin local __aish_status="$1" __aish_kind= __aish_next= IFS=$' \t\n' TMOUT=0
  if [[ ${PS1-} != "$__aish_prompt" ]]; then __aish_ps1=${PS1-} PS1=$__aish_prompt; fi
  if [[ ${PS0-} != "$__aish_start"* ]]; then PS0=$__aish_start${PS0-}; fi
  if [[ ${PS2-} != "$__aish_more"* ]]; then PS2=$__aish_more${PS2-}; fi
  if [[ ${HISTIGNORE-} != *'*__aish_*'* ]]; then HISTIGNORE=${HISTIGNORE:+$HISTIGNORE:}'*__aish_*'; fi
  # An interactive shell inside this one must not print this one's marks.
  \builtin export -n PS0 PS1 PS2 PROMPT_COMMAND HISTIGNORE
  __aish_arm
  \builtin unalias __aish_go
  __aish_open out
  {
    \builtin printf '%s\0' "${__aish_id-}" "$__aish_status" "$PWD" "$BASH_VERSION" "$BASHOPTS:$SHELLOPTS" "${__aish_kept-}"
    \builtin jobs -rp
    \builtin jobs -sp
    \builtin printf '\0'
    \builtin compgen -A variable
    \builtin printf '\0'
    \builtin declare -px
    \builtin printf '\0%s\0' '@NONCE@'
  } >&"$__aish_end"
  __aish_close
  \builtin printf '%s' $'\e]133;D;aish=@NONCE@\a' >/dev/tty
  while \builtin :; do
    __aish_open in
    if ! {
      \builtin read -r -d '' __aish_kind && \builtin read -r -d '' __aish_next && IFS= \builtin read -r -d '' __aish_command
    } <&"$__aish_end"; then
      # The other end is gone.
      __aish_close
      if [[ $__aish_kind$__aish_command == '' || ! -p $__aish_folder/in ]]; then \builtin return 0; fi
      \builtin continue
    fi
    __aish_close
    case $__aish_kind in
      query)
        __aish_open out
        \builtin eval "$__aish_command" </dev/null >&"$__aish_end"
        \builtin printf '\0%s\0' '@NONCE@' >&"$__aish_end"
        __aish_close
        ;;
      alias | eval)
        __aish_id=$__aish_next
        if [[ $__aish_kind == alias ]]; then BASH_ALIASES[__aish_go]=$__aish_command; fi
        __aish_remember
        \builtin return 0
        ;;
    esac
  done
}

function __aish_open {
  \builtin local __aish_both=
  __aish_close
  \exec {__aish_both}<>"$__aish_folder/$1"
  if [[ $1 == in ]]; then \exec {__aish_end}<"$__aish_folder/in"; else \exec {__aish_end}>"$__aish_folder/out"; fi
  \exec {__aish_both}>&-
}

function __aish_close {
  if [[ ${__aish_end-} == '' ]]; then \builtin return 0; fi
  \exec {__aish_end}>&-
  __aish_end=
}

# Puts the command into the history as if it had been typed: HISTCONTROL and HISTIGNORE hold, and what begins with a blank
# is never kept. Whether it was kept is reported: it then stands at the history's end. The file is kept up to date.
function __aish_remember {
  __aish_kept=
  if [[ ! -o history || $__aish_command == [[:blank:]]* ]]; then \builtin return 0; fi
  \builtin history -s -- "$__aish_command"
  __aish_is_last && __aish_kept=1
  if [[ ${HISTFILE-} ]]; then \builtin history -a; fi
}

function __aish_is_last {
  \builtin local HISTTIMEFORMAT= __aish_last=
  \builtin history 1 >"$__aish_folder/last"
  \builtin read -r -d '' __aish_last <"$__aish_folder/last"
  [[ $__aish_last == [0-9]*[' *']' '"$__aish_command" ]]
}

# What the trigger is when the shell does not expand it: after some syntax errors bash leaves out the next line's aliases.
function __aish_go { \builtin eval "$__aish_command"; }

# Makes the hook the last thing that happens before a prompt.
function __aish_arm {
  \builtin local __aish_index __aish_last=
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    if [[ ${PROMPT_COMMAND-} != *"$__aish_entry" ]]; then
      PROMPT_COMMAND=${PROMPT_COMMAND:+${PROMPT_COMMAND//"$__aish_entry"/:}$'\n'}$__aish_entry
    fi
    \builtin return 0
  fi
  for __aish_index in "${!PROMPT_COMMAND[@]}"; do __aish_last=$__aish_index; done
  if [[ $__aish_last != '' && ${PROMPT_COMMAND[__aish_last]} == "$__aish_entry" ]]; then \builtin return 0; fi
  __aish_last=
  for __aish_index in "${!PROMPT_COMMAND[@]}"; do
    if [[ ${PROMPT_COMMAND[__aish_index]} == "$__aish_entry" ]]; then
      \builtin unset "PROMPT_COMMAND[$__aish_index]"
    else
      __aish_last=$__aish_index
    fi
  done
  # Slot 0 is what a plain assignment writes to.
  if [[ $__aish_last == '' ]]; then PROMPT_COMMAND[1]=$__aish_entry; else PROMPT_COMMAND+=("$__aish_entry"); fi
}

if [[ ${PS1-} != "$__aish_prompt" ]]; then __aish_ps1=${PS1-}; fi 2>/dev/null
{ __aish_arm; PS1=$__aish_prompt; } 2>/dev/null
return $__aish_status
