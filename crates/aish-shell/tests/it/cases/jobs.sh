### in the background
sleep 1 & wait
#-
echo $?
### its status
(exit 5) & wait $!
#-
echo $?
### jobs
sleep 50 & jobs
#-
kill %1; sleep 0.2; wait; echo waited
#-
jobs
### two jobs
sleep 50 & sleep 60 &
#-
jobs
#-
disown -a; jobs
### the foreground
sleep 1.5 &
#-
fg
### no such job
fg
#-
bg
#-
kill %3
#-
wait 1
### disown
sleep 20 & disown
#-
jobs; kill $!
### a stopped job
sh -c 'kill -STOP $$; echo went on'
#-
echo $?
#-
jobs
#-
fg
#-
jobs
### a stopped job in the background
sh -c 'kill -STOP $$; sleep 0.3; exit 4'
#-
bg; wait
#-
echo $?
### a pipe in the background
echo a | cat > f & wait; cat f
### a subshell in the background
{ sleep 0.1; echo late > f; } & wait $!; cat f
### output of a job
(sleep 0.3; echo from the job) & wait
### wait for any
(exit 3) & wait -n; echo $?
### monitor
set +m; sleep 0.1 & wait; set -m; echo ok
### a killed child
sh -c 'kill -TERM $$'
#-
sh -c 'kill -SEGV $$' 2>/dev/null
#-
echo $?
### a group of its own
ps -o pgid= -p $BASHPID | tr -d ' ' | grep -c "^$$\$"
#-
sh -c 'ps -o pgid= -p $$ | tr -d " " | grep -c "^$$\$"'
### the terminal
tty | grep -c pts; test -t 0 && test -t 1 && test -t 2 && echo terminal
### wait for one of several
(sleep 0.2; exit 6) & (sleep 5; exit 7) &
#-
wait -n; echo $?; kill %2; wait -n -p which %2; echo "$? ${which:+known}"
#-
wait -n; echo $?
