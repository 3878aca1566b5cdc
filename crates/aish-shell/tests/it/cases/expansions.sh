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
### extended globs in patterns
shopt -s extglob
#-
touch a.txt b.log c.tmp ab.txt; echo !(*.tmp) @(a|ab).txt +([a-z]).log
#-
x=aaabbb; echo "${x##+(a)}" "${x/%+(b)/X}"
#-
case foo.tgz in *.@(tar.gz|tgz)) echo archive;; esac
### globs that match nothing
echo no*such
#-
shopt -s nullglob; echo no*such; a=(no*such); echo ${#a[@]}
#-
shopt -s failglob; echo no*such; echo not reached
#-
echo $?
#-
shopt -u nullglob failglob; echo no*such
### globstar and what it leaves out
mkdir -p a/b/.c a/d; touch a/1 a/b/2 a/b/.c/3; shopt -s globstar
#-
echo **
#-
echo a/**/ ; GLOBIGNORE='a/b*'; echo a/*
#-
unset GLOBIGNORE; shopt -u globstar; echo a/**
### process substitution both ways
while read -r a b; do echo "$b $a"; done < <(printf '%s\n' '1 x' '2 y')
#-
comm -12 <(printf '%s\n' a b c) <(printf '%s\n' b c d); echo $?
#-
exec 8< <(echo from eight); read -r x <&8; exec 8<&-; echo "$x"
### here-strings
read -r -a w <<< 'one two  three'; echo "${#w[@]}:${w[2]}"
#-
cat <<< $'two\nlines' | wc -l
#-
IFS=, read -r a b <<< "x,y,z"; echo "$a|$b"
