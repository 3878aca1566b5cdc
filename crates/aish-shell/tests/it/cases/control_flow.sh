### if
if true; then echo yes; else echo no; fi
#-
if false
then
  echo yes
elif [ 1 = 1 ]
then
  echo elif
fi
### for
for i in 1 2 3; do echo $i; done
#-
for ((i=0; i<3; i++)); do echo -n "$i "; done; echo
#-
for x
do echo $x; done
### while
i=0; while (( i < 3 )); do (( i++ )); done; echo $i
#-
until [ $i -eq 0 ]; do i=$((i-1)); done; echo $i
### case
case abc in a*) echo a;; *) echo other;; esac
#-
case x in
  a|b) echo ab ;;
  [xy]) echo xy ;&
  z) echo fell ;;
esac
### break and continue
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done
### nested
for i in a b; do for j in 1 2; do echo $i$j; done; done
### groups
{ echo a; echo b; } | wc -l
#-
( x=1; echo $x ); echo ${x-none}
### conditions
[[ abc == a* && 2 -lt 10 ]] && echo yes
#-
[[ abc =~ ^a(b)c$ ]] && echo ${BASH_REMATCH[1]}
#-
[ -d /tmp ] && test -f /etc/passwd && echo both
#-
[ 1 -eq x ]
#-
! true
#-
! false
### arithmetic
echo $((2**10 % 7)) $((0x1f)) $((5 > 3 ? 1 : 0))
#-
(( 0 ))
#-
(( 5 ))
#-
let x=3*4; echo $x
### select from nothing
select x in a b; do echo $x; done < /dev/null
### a pipe into a loop
printf 'a\nb\n' | while read l; do echo "<$l>"; done
### time
time true 2>/dev/null; TIMEFORMAT=; time true
### several lines that are several commands
echo one
echo two
false
#-
echo $?
### over several lines with a failure in the middle
echo a
aish-no-such
echo b
### nothing but blanks
   
#-
echo x
### command, builtin, eval
command echo a; builtin echo b; eval 'echo c; echo d'
#-
eval 'false'
#-
echo $?
### an error in eval
eval 'echo "'; echo $?
#-
echo on
#-
echo and on
### source
echo 'x=sourced; echo in source $1' > f; . ./f arg
#-
echo $x
#-
. ./missing
#-
echo $?
### exec with redirections only
exec 3> out; echo to three >&3; exec 3>&-; cat out
### coproc
coproc cat; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x; kill $COPROC_PID; wait $COPROC_PID 2>/dev/null; true
### a subshell that exits
(exit 9); echo $?
### times and ulimit
ulimit -n 256; ulimit -n
### getopts
while getopts ab: o -a -b x; do echo $o ${OPTARG-}; done
### mapfile
mapfile -t l < <(printf 'x\ny\n'); echo ${#l[@]} ${l[1]}
### printf into a variable
printf -v v '%03d' 7; echo $v
### select with an answer
select x in red green; do echo "$REPLY $x"; break; done <<< 2
#-
PS3='which? '; select x in a b; do echo "<$x>"; [[ $x ]] && break; done <<< $'7\n1'
#-
echo $x $REPLY
### a coproc that lasts
coproc UPPER { while read -r l; do echo "${l^^}"; done; }
#-
echo abc >&"${UPPER[1]}"; read -r x <&"${UPPER[0]}"; echo "$x"
#-
echo again >&"${UPPER[1]}"; read -r x <&"${UPPER[0]}"; echo "$x"
#-
pid=$UPPER_PID; exec {UPPER[1]}>&-; wait "$pid"; echo $?
### mapfile from a file
printf '%s\n' a 'b c' d > f; mapfile l < f; echo "${#l[@]}" "${l[1]}"
#-
mapfile -t -s 1 -n 1 l < f; declare -p l
#-
show() { echo "$1:$2"; }; readarray -t -c 2 -C show l < f
#-
echo "${l[@]}"
### printf into elements
printf -v 'a[2]' '%s' two; declare -p a
#-
declare -A h; printf -v 'h[key one]' '%q' 'x y'; echo "${h[key one]}"
#-
printf '%s-%d\n' a 1 b 2 c
#-
printf '%d\n' 3x; echo $?
### what a match leaves
re='^([a-z]+)=([0-9]*)$'
#-
[[ key=42 =~ $re ]]; echo "${#BASH_REMATCH[@]} ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
#-
echo "${BASH_REMATCH[0]}"
#-
[[ nothing =~ $re ]]
#-
echo "$? ${#BASH_REMATCH[@]}"
### arithmetic loops
for ((i=0, j=10; i<j; i+=3, j-=2)); do echo "$i $j"; done; echo "$i $j"
#-
for ((;;)); do ((n++ > 2)) && break; done; echo $n
#-
((i = 08))
#-
while ((i--)); do ((i % 2)) || continue; echo $i; done; echo $i
### statuses of a pipe at the next prompt
true | false | (exit 4)
#-
echo "${PIPESTATUS[*]}"
#-
echo "${PIPESTATUS[*]}"
#-
false | true; echo "$? ${PIPESTATUS[*]}"
