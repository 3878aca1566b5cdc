\builtin local __aish_spec __aish_options= __aish_try __aish_status
\builtin local -a COMPREPLY __aish_args __aish_plain
COMPREPLY=()
for __aish_try in 1 2 3; do
  __aish_spec=$(\builtin complete -p -- "$__aish_cmd" 2>/dev/null) ||
    __aish_spec=$(\builtin complete -p -- "${__aish_cmd##*/}" 2>/dev/null) ||
    __aish_spec=$(\builtin complete -p -D 2>/dev/null) || \builtin break
  \builtin eval "__aish_args=(${__aish_spec#complete })"
  \builtin local __aish_function=
  __aish_plain=()
  \builtin set -- "${__aish_args[@]}"
  while (($#)); do
    case $1 in
      -o) __aish_options+=" $2"; __aish_plain+=(-o "$2"); \builtin shift 2 ;;
      -F) __aish_function=$2; \builtin shift 2 ;;
      -[ACGPSWX]) __aish_plain+=("$1" "$2"); \builtin shift 2 ;;
      -[DEI]) \builtin shift ;;
      -*) __aish_plain+=("$1"); \builtin shift ;;
      *) \builtin shift ;;
    esac
  done
  if [[ ${#__aish_plain[@]} -gt 0 && ! $__aish_function ]]; then
    \builtin mapfile -t COMPREPLY < <(\builtin compgen "${__aish_plain[@]}" -- "$__aish_cur" 2>/dev/null)
  fi
  if [[ $__aish_function ]]; then
    "$__aish_function" "$__aish_cmd" "$__aish_cur" "$__aish_prev"
    __aish_status=$?
    # 124: a loader defined the completion; ask again.
    if ((__aish_status == 124)); then \builtin continue; fi
  fi
  \builtin break
done
if ((${#COMPREPLY[@]} == 0)); then
  # What bash has lists of, where nobody said how the command is completed.
  __aish_plain=()
  case $__aish_cmd:$__aish_cur in
    kill:-*) \builtin mapfile -t COMPREPLY < <(\builtin compgen -A signal -P - -- "${__aish_cur#-}" 2>/dev/null) ;;
    kill:%* | fg:%* | bg:%* | jobs:%* | wait:%* | disown:%*)
      \builtin mapfile -t COMPREPLY < <(\builtin compgen -j -P % -- "${__aish_cur#%}" 2>/dev/null) ;;
    *:-*) ;;
    kill:*) __aish_plain=(-W "$(\builtin command ps -o pid= -u "$UID" 2>/dev/null)") ;;
    fg:* | bg:* | jobs:* | wait:* | disown:*) \builtin mapfile -t COMPREPLY < <(\builtin compgen -j -P % 2>/dev/null) ;;
    trap:*) ((${#COMP_WORDS[@]} > 2)) && __aish_plain=(-A signal) ;;
    type:* | which:* | hash:* | man:* | whatis:* | whereis:* | \
      command:* | exec:* | nohup:* | time:* | sudo:* | xargs:*) __aish_plain=(-c) ;;
    unset:* | readonly:* | local:* | typeset:* | declare:* | export:* | printenv:*) __aish_plain=(-v) ;;
    unalias:* | alias:*) __aish_plain=(-a) ;;
    builtin:* | enable:*) __aish_plain=(-b) ;;
    shopt:*) __aish_plain=(-A shopt) ;;
    help:*) __aish_plain=(-A helptopic) ;;
    su:* | id:* | groups:* | finger:* | chown:*) __aish_plain=(-u) ;;
  esac
  if ((${#__aish_plain[@]})); then
    \builtin mapfile -t COMPREPLY < <(\builtin compgen "${__aish_plain[@]}" -- "$__aish_cur" 2>/dev/null)
  fi
fi
if [[ ${#COMPREPLY[@]} -eq 0 && " $__aish_options " == *' default '* || " $__aish_options " == *' bashdefault '* && ${#COMPREPLY[@]} -eq 0 ]]; then
  __aish_options+=' filenames'
  \builtin mapfile -t COMPREPLY < <(\builtin compgen -f -- "$__aish_cur" 2>/dev/null)
fi
\builtin printf '%s\0' "$__aish_options"
if ((${#COMPREPLY[@]})); then \builtin printf '%s\0' "${COMPREPLY[@]}"; fi
