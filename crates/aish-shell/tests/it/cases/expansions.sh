### parameter operators
p=/a/b/c.tar.gz; echo ${p##*/} ${p%%.*} ${p%.gz} ${p#/a}
#-
echo ${p/b/X} ${p//a/Y} ${#p} ${p:2:3} ${p: -2}
#-
x=abc; echo ${x^} ${x^^} ${x@Q} ${x:-d}
### indirect
a=b; b=c; echo ${!a}
#-
x1=1 x2=2; echo ${!x*}
### command substitution
echo $(echo a; echo b) "$(echo a; echo b)"
#-
x=$(false); echo $?
#-
echo $(< /dev/null)x
### process substitution
cat <(echo a) <(echo b)
#-
echo x > >(cat); sleep 0.1
#-
diff <(echo a) <(echo b)
### arithmetic with variables
i=5; echo $((i++ + ++i)) $i
#-
echo $((16#ff)) $((2#101)) $((010))
### tilde
HOME=/usr; echo ~ ~/x ~root
### globs with classes
touch A1 b2 .hidden; echo [[:upper:]]* .h* *
#-
shopt -s dotglob; echo *
### recursive globs
mkdir -p d/e; touch d/e/f; shopt -s globstar; echo **/f
### word splitting by a separator
IFS=:; x=a:b::c; for w in $x; do echo "<$w>"; done
### all arguments
set -- a "b c"; printf '<%s>' "$@"; printf '<%s>' $*; printf '<%s>' "$*"; echo
### defaults
unset u; echo ${u-a} ${u:-b} ${u+c} "${u:+d}"
### a lot of output
seq 1 3000 | tail -1; seq 1 500
### a wide line
printf 'x%.0s' {1..300}; echo
### control characters
printf 'a\tb\x01c\n'
### colours
printf '\033[31mred\033[0m\n'
### no newline at the end
printf 'no newline'
#-
echo next
### carriage returns
printf 'one\rtwo\n'
### random and seconds exist
[[ $RANDOM && $SECONDS && $EPOCHSECONDS ]] && echo yes
### substring of all arguments
set -- a b c d; echo ${@:2:2}
### transformation
declare -A h=([k]=v); echo ${h[@]@K}
