### trace
set -x
#-
echo a
#-
x=1; echo $x
#-
f() { echo in f; }; f
#-
set +x
#-
echo b
### unset is an error
set -u
#-
echo $nothing
#-
echo $?
#-
echo still here
#-
set +u
### no clobber
echo a > f; set -C; echo b > f
#-
echo $?; cat f
### no globbing
set -f; echo *; set +f
### all exported
set -a; v=1; set +a; sh -c 'echo $v'
### verbose errors of builtins
cd a b c
#-
shift 5
#-
unset 1a
#-
export 1=2
#-
declare -Z
#-
echo $?
### errexit in a subshell
(set -e; false; echo no); echo $?
### extended globs
set +H; shopt -s extglob; touch a.c b.h
#-
echo !(*.c)
### shopt
shopt -s nocasematch; [[ A == a ]] && echo same
#-
shopt -p nocasematch
#-
shopt -s nosuchoption
### posix
set -o posix; echo $POSIXLY_CORRECT; set +o posix
### no alias expansion
shopt -u expand_aliases; alias q='echo q'
#-
q
#-
shopt -s expand_aliases
#-
q
### prompt variables
PROMPT_COMMAND='echo from prompt command'
#-
echo a
#-
unset PROMPT_COMMAND
#-
echo b
### more than one prompt command
PROMPT_COMMAND=('echo one' 'echo two')
#-
echo a
#-
echo b
### a field separator that breaks things
IFS=0123456789
#-
(exit 10)
#-
echo "$?"
#-
x='a1b2c'; echo $x
#-
echo on
### history is not for the trigger
HISTCONTROL=ignoreboth
#-
echo x
#-
history 2 | cut -c8-
### locale
LC_ALL=C; echo ok
#-
echo "é" | wc -c
### lastpipe and others
shopt -s lastpipe; set +m; echo v | read x; echo "[$x]"
### a readonly IFS
readonly IFS
#-
echo a
### functrace
set -T; trap 'echo d' DEBUG
#-
echo a
#-
trap - DEBUG; set +T
#-
echo b
