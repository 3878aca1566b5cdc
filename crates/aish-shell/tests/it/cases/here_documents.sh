### plain
cat <<EOF
one
two
EOF
### with expansion
x=5
#-
cat <<EOF
$x $((x+1)) $(echo sub) \$x
EOF
### quoted
cat <<'EOF'
$x `y` \z
EOF
### with tabs
cat <<-EOF
	indented
		twice
	EOF
### two of them
cat <<A; cat <<B
a
A
b
B
### in a pipe
cat <<EOF | tr a-z A-Z
hello
EOF
### in a loop
while read -r l; do echo "<$l>"; done <<EOF
a b
c
EOF
### in a function
f() {
cat <<EOF
in $1
EOF
}
#-
f x
### commands after it
cat <<EOF
x
EOF
echo after
#-
echo $?
### status of its command
grep -q nothing <<EOF
something
EOF
#-
echo $?
### a string
cat <<< "a $((1+1))"
#-
tr a b <<< aaa
### in a substitution
x=$(cat <<EOF
inner
EOF
)
#-
echo "$x"
### into a file
cat > f <<EOF
line
EOF
#-
cat f; wc -c < f
### empty
cat <<EOF
EOF
### a shift is none
echo $((1<<3))
#-
x=2; (( x <<= 2 )); echo $x
### with the last argument after it
cat <<EOF
x
EOF
#-
echo kept
#-
echo $_
