### arguments
f() { echo "$# $1 $*"; }
#-
f a "b c"
### locals
x=out; f() { local x=in; echo $x; }; f; echo $x
### return
f() { return 3; }
#-
f
#-
echo $?
### recursion
fact() { (( $1 <= 1 )) && echo 1 || echo $(( $1 * $(fact $(( $1 - 1 ))) )); }
#-
fact 6
### over several lines
greet() {
  # a comment
  local who=$1

  if [[ $who ]]; then
    echo "hello $who"
  else
    echo "hello nobody"
  fi
}
#-
greet you; greet
#-
declare -f greet
### a subshell as its body
f() ( cd /; x=1; pwd )
#-
f; pwd; echo ${x-none}
### unset
f() { echo f; }; unset -f f; f
### changes of the caller
f() { cd /usr; y=set; }
#-
f; echo $y
#-
pwd
### overrides
cd() { builtin cd "$@" && echo "now in $PWD"; }
#-
cd /usr
#-
unset -f cd
### exported
f() { echo exported; }; export -f f; bash --norc -c f
### local outside
local x=1
#-
echo $?
### return outside
return 1
#-
echo $?
### names of the callers
a() { b; }; b() { echo "${FUNCNAME[*]}"; }; a
### declare in a function
f() { declare v=1; declare -g w=2; }; f; echo "${v-none} $w"
### nameref
f() { local -n r=$1; r=changed; }; v=old; f v; echo $v
### names that others might use
printf() { builtin echo "my printf"; }; read() { builtin echo "my read"; }; history() { builtin echo mine; }
#-
printf x
#-
echo still works
#-
unset -f printf read history
#-
printf '%s\n' ok
### local options
f() { local -; set -fu; echo *; }; touch one; f; echo *; echo "${-//[^fu]}"
#-
g() { local -; set -o pipefail; false | true; }; g
#-
echo $?; false | true
### namerefs that last
declare -n ref=target
#-
ref=5; echo "$target"
#-
target=(a b); ref[1]=z; echo "${target[@]}" "${!ref}"
#-
unset -n ref; echo "${ref-none} ${target[0]}"
#-
f() { local -n out=$1; out+=("$2"); }; f list x; f list 'y z'; declare -p list
#-
declare -n loop=loop; loop=1
