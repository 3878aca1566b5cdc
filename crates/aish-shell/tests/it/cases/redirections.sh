### out and in
echo a > f; cat < f; echo b >> f; cat f
### errors
ls /nonexistent 2> e; cat e
#-
ls /nonexistent 2>&1 | cat
#-
ls /nonexistent &> e; wc -l < e
### closed
echo a >&-
#-
echo $?
### to the terminal
echo a > /dev/tty
#-
echo err >&2
### a file that cannot be written
echo a > /nonexistent/f
#-
echo $?
### tee
echo a | tee f; cat f
### a descriptor of a variable
exec {fd}> f; echo x >&$fd; exec {fd}>&-; cat f
### reading and writing
exec 4<> f; echo abc >&4; exec 4>&-; cat f
### null
echo a > /dev/null; cat < /dev/null
### swap
(echo out; echo err >&2) 3>&1 1>&2 2>&3 | cat
### a pipe of errors
(echo err >&2) |& cat
### several
{ echo a; echo b >&2; } > o 2> e; cat o e
### the shells own output
exec 5>&1 > log; echo logged; exec >&5 5>&-; cat log
### the shells own errors
exec 6>&2 2> errors; aish-no-such; exec 2>&6 6>&-; cat errors
#-
echo back
### the shells own input
exec 7<&0 < /dev/null; exec <&7 7<&-; echo ok
