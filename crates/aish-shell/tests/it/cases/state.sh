### a variable
x=5
#-
echo $x
### an exported variable reaches children
export A=1
#-
sh -c 'echo $A'
#-
unset A
#-
sh -c 'echo ${A-none}'
### a variable for one command
B=2 sh -c 'echo $B'
#-
echo ${B-none}
### folders
mkdir -p a/b; cd a/b
#-
pwd
#-
cd -
#-
cd ..
#-
cd /nonexistent
#-
echo $?; pwd
### pushd and popd
mkdir one two; pushd one
#-
pushd ../two
#-
dirs
#-
popd
#-
popd
#-
popd
### a folder that is a link
mkdir real; ln -s real link; cd link
#-
pwd; pwd -P
#-
cd ..
### the last argument
mkdir some
#-
cd $_
#-
echo a b c
#-
echo $_
### status of the last command
false
#-
echo $?
#-
true; echo $?
#-
(exit 42)
#-
echo $?
#-
sh -c 'kill -9 $$'
#-
echo $?
### status of a pipe
false | true
#-
true | false
#-
false | true | (exit 3)
#-
set -o pipefail
#-
false | true
#-
true | (exit 3) | true; echo ${PIPESTATUS[@]}
### no such command
aish-no-such-command
#-
echo $?
#-
./missing
#-
/tmp
### a command that may not be run
echo hi > plain; ./plain
#-
chmod +x plain; ./plain
### aliases
alias ll='echo long'
#-
ll x
#-
alias
#-
alias ll
#-
unalias ll
#-
ll
#-
alias nope
### an alias that names itself
alias echo='echo A'
#-
echo b
#-
\echo c
#-
unalias echo; echo d
### an alias with a blank at its end
alias s='env ' t='true'
#-
alias e='echo '
#-
alias w='world'
#-
e w
### arrays
a=(one "two three" four)
#-
echo ${#a[@]} "${a[1]}"
#-
a+=(five); echo "${a[@]: -1}"
#-
unset 'a[0]'; echo "${!a[@]}"
#-
declare -A m=([x]=1 [y]=2); echo ${m[x]} ${m[y]}
### attributes
declare -i n=3; n+=4; echo $n
#-
readonly r=1
#-
r=2
#-
echo $r
#-
declare -u up=abc; echo $up
#-
declare -p n up
### positional parameters
set -- a "b c" d
#-
echo $# "$2"
#-
shift; echo $1
### umask
umask 077
#-
umask
#-
touch f; stat -c %a f
### hash and type
type cd; type -t if; type -t echo
#-
f() { :; }; type f
### the shell itself
echo $0
#-
echo $-
#-
echo $SHLVL; echo ${BASH_SUBSHELL}
#-
echo ${#BASH_SOURCE[@]} ${FUNCNAME-none}
#-
[[ $BASHPID == $$ ]] && echo same
#-
shopt -q login_shell; echo $?
### a temporary environment does not stay
LC_ALL=C printf '%s\n' ok; echo "[${LC_ALL-}]"
### several commands on a line
echo a; echo b && echo c || echo d
#-
false || echo or; true && false
### comments and empty lines
# only a comment
#-
echo a # b
#-
:
### tilde and home
HOME=/usr; cd; pwd
#-
echo ~
### read from a string
read a b <<< "one two three"; echo "$b"
#-
IFS=: read -r x y <<< "p:q:r"; echo $x-$y
#-
echo "$IFS" | od -c | head -1
### set and unset
x=1; unset x; echo "${x-unset}"
#-
unset nothing; echo $?
### a long line
x=$(printf 'y%.0s' {1..5000}); echo ${#x}
### history option
set -o | grep history
#-
echo one
#-
history | tail -2 | cut -c8-
### set options that last
set -o noglob; set -o nounset
#-
echo * "${-//[^fu]}"
#-
set +o | grep -c -- '-o no'
#-
[[ -o nounset ]] && echo on; set +fu
#-
echo "${-//[^fu]}."; [[ -o nounset ]] || echo off
### a stack of folders
mkdir -p p/q r; pushd p/q
#-
pushd -n ../../r; dirs -v
#-
pushd +1
#-
cd ~-; dirs -l -p
#-
popd +1; popd -n; dirs
#-
dirs -c; pushd; echo $?; popd +7
### symbolic umask
umask u=rwx,g=rx,o=; umask -S
#-
umask -p; mkdir d; stat -c %a d
#-
umask 999
#-
echo $?; umask
