# A line in a bash of its own. $1 is a file with the state of the shell that it is apart from, $2 a mark, $3 the line.
\builtin shopt -s expand_aliases
function __aish_state {
  # Only to the terminal of this run: a line may have sent its output elsewhere for good.
  if [[ ! -t 1 ]]; then \builtin return 0; fi
  \builtin set +eufxvCTE
  \builtin printf '\e]133;D;aish=%s\a' "$1"
@STATE@
  \builtin printf '\0%s\0' "$1"
}
if [[ $1 ]]; then . "$1"; fi 2>/dev/null
__aish_line=$3
\builtin trap "__aish_state $2" EXIT
\builtin set --
\builtin eval "$__aish_line"
