#!/usr/bin/env bash
# Makes four small projects with a history below a folder, each a clone of a repository beside it: projects.sh FOLDER
set -euo pipefail
folder=$1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' GIT_CONFIG_GLOBAL=/dev/null
mkdir -p "$folder/origin"

put() {
    mkdir -p "$(dirname "$1")"
    cat > "$1"
}

begin() {
    mkdir "$folder/origin/$1"
    cd "$folder/origin/$1"
    git init -q -b main
}

finish() {
    git add -A
    git commit -q -m 'Begin'
    git tag v1
    git clone -q "$folder/origin/$1" "$folder/$1"
    git -C "$folder/$1" config user.name a
    git -C "$folder/$1" config user.email a@example.org
}

begin c
put src/main.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int sum(int count, char **list);
/* TODO: more than sums */
int main(int count, char **list) { printf("%d\n", sum(count - 1, list + 1)); return 0; }
EOF
put src/list.c <<'EOF'
#include <stdlib.h>
int sum(int count, char **list) { int all = 0; while (count-- > 0) all += atoi(*list++); return all; }
EOF
printf 'all: build/app\nbuild/app: src/main.c src/list.c\n\tmkdir -p build\n\tcc -o build/app src/main.c src/list.c\ntest: all\n\ttest "$$(./build/app 1 2)" = 3\n\t@echo passed\nclean:\n\trm -rf build\n' > Makefile
put fix.patch <<'EOF'
--- a/README
+++ b/README
@@ -1 +1 @@
-Adds numbers.
+Adds whole numbers.
EOF
echo 'Adds numbers.' > README
echo 'build/' > .gitignore
finish c

begin python
put pkg/__init__.py < /dev/null
put pkg/core.py <<'EOF'
"""Squares, in colour."""
import sys

def square(number):
    return number * number

if __name__ == "__main__":
    print(square(int(sys.argv[1])))
EOF
put tests/__init__.py < /dev/null
put tests/test_core.py <<'EOF'
import unittest
from pkg.core import square

class Core(unittest.TestCase):
    def test_square(self):
        self.assertEqual(square(3), 9)
EOF
echo '{"b": [1, 2], "a": null}' > data.json
printf 'zoe\nana\nana\nbo\n' > names.txt
printf 'name,count\na,3\nb,4\n' > table.csv
printf '#!/bin/sh\nexec python3 -m pkg.core 6\n' > run.sh
printf '__pycache__/\n.venv/\n*.db\n*.bak\n*.zip\n' > .gitignore
finish python

begin node
put package.json <<'EOF'
{
  "name": "small",
  "version": "1.0.0",
  "main": "index.js",
  "scripts": { "test": "node --test", "build": "node build.js" }
}
EOF
put index.js <<'EOF'
const twice = (number) => number * 2;
module.exports = { twice };
if (require.main === module) console.log(twice(Number(process.argv[2])));
EOF
put index.test.js <<'EOF'
const test = require('node:test');
const assert = require('node:assert');
const { twice } = require('./index.js');
test('twice', () => assert.strictEqual(twice(2), 4));
EOF
put build.js <<'EOF'
const fs = require('fs');
fs.mkdirSync('out', { recursive: true });
fs.copyFileSync('index.js', 'out/index.js');
EOF
finish node

begin rust
put Cargo.toml <<'EOF'
[package]
name = "small"
version = "0.1.0"
edition = "2021"
EOF
put src/lib.rs <<'EOF'
pub fn twice(number: u64) -> u64 { number * 2 }
EOF
put src/main.rs <<'EOF'
fn main() {
    let number = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    println!("{}", small::twice(number));
}
EOF
echo 'target/' > .gitignore
finish rust
