### on a signal
trap 'echo got usr1' USR1
#-
kill -USR1 $$
#-
trap -p
#-
trap - USR1; trap -p
### on an error
trap 'echo error $?' ERR
#-
false
#-
true
#-
sh -c 'exit 3'
#-
trap - ERR; false
### before each command
trap 'echo "> $BASH_COMMAND"' DEBUG
#-
echo a
#-
x=1; echo $x
#-
trap - DEBUG
#-
echo b
### on return
f() { trap 'echo leaving' RETURN; echo in; }
#-
f
### in a subshell
(trap 'echo bye' EXIT; echo work)
#-
echo $?
### ignored
trap '' USR2; kill -USR2 $$; echo alive
### list of signals
trap 'echo x' INT TERM; trap -p INT
#-
trap - INT TERM
#-
trap
### status inside
f() { return 7; }; trap 'echo $?' ERR; f
### kill of a child
sleep 100 & kill $!; wait $!
#-
echo $?
### interrupt of itself
trap 'echo interrupted' INT; kill -INT $$; echo on
### on return from sourced files and functions
echo 'echo sourced' > f; set -T; trap 'echo "return ${FUNCNAME-top}"' RETURN; . ./f
#-
g() { echo in g; }; g
#-
trap - RETURN; set +T; g
### an error trap within functions
set -E; trap 'echo "failed in ${FUNCNAME-top}: $BASH_COMMAND"' ERR
#-
f() { false; true; }; f
#-
if false; then :; fi; false || true; ! true
#-
false | true; true | false
#-
set +E; f; trap - ERR; false
### a debug trap that skips
shopt -s extdebug; trap '[[ $BASH_COMMAND != skip* ]]' DEBUG
#-
skip_this; echo ran
#-
trap - DEBUG; shopt -u extdebug; skip_this
