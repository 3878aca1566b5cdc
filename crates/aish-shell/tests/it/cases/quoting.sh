### single and double
echo 'a $x `b` "c"' "d 'e'"
### escapes
echo a\ b \$x \\ \"
#-
echo "a\$b\\c\"d"
### ansi c
echo $'a\tb\nc\'d' | cat -A
### empty words
printf '<%s>' a '' "" b; echo
### a newline in quotes
echo "first
second"
### a newline in single quotes
echo 'first
second' end
### a continued line
echo a \
  b
#-
echo "a\
b"
### word splitting
x='a  b   c'; echo $x; echo "$x"
### globs
touch a1 a2 b1; echo a* *1 "a*" [ab]1 z*
#-
shopt -s nullglob; echo z*
#-
set -f; echo a*
### braces
echo {a,b}{1..3} {01..03} "{x,y}"
### tabs
printf '%s\n' "a	b"
### unicode
echo "héllo wörld ✓ 日本語"
#-
x="日本語"; echo ${#x} ${x:1:1}
### invalid bytes
printf '\xff\xfe\n' | od -c
### exclamation
echo 'hi!'
### quotes next to each other
echo a'b'"c"\d$'e'
### nested substitution
echo "$(echo "$(echo 'x y')")"
### backquotes
echo `echo \`echo in\``
### a dollar at the end
echo a$ "b$"
### percent and backslash
printf '%s %d%%\n' a\\b 5
### a syntax error
echo a )
#-
echo $?
### another syntax error
if then fi
#-
echo after
### an operator alone
;;
#-
echo $?
### a syntax error after a good command
echo good; )
### unset in braces
echo ${x:-d} ${y:=e} $y
#-
echo ${z:?no z}
#-
echo $?
### bad substitution
echo ${a b}
#-
echo still
### division by zero
echo $((1/0))
#-
echo $?
#-
echo still
### dashes
echo -e 'a\tb'
#-
echo -n x
#-
echo
#-
echo -- y
