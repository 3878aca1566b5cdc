//! Interpreters of general languages, database shells, filters with a language of their own.

use crate::rules::wrapper::{Form, Language, Wrapper, asked, plain};

const GENERAL: Language = Language::General;
const SQL: Language = Language::Sql;

/// The table.
pub const WRAPPERS: &[Wrapper] = &[
    asked(
        "python",
        "python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython ipython3 micropython",
        "-c -m -W -X",
        &[
            Form::Code { options: "-c", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "python3 -c 'import os; os.system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "python-module",
        "python python2 python3 pypy pypy3",
        "-m",
        &[Form::Named { option: "-m", known: false }],
        "python3 -m timeit -s 'import os' 'os.system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "timeit",
        "timeit",
        "-n -r -s -u --number --repeat --setup --unit",
        &[Form::Code { options: "-s --setup", prefix: "", language: GENERAL }, Form::Operands { language: GENERAL }],
        "timeit 'import os; os.system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "debuggers-of-languages",
        "pdb ipdb pudb rdbg byebug perldb",
        "-c -m -e",
        &[Form::Code { options: "-c -e", prefix: "", language: GENERAL }],
        "pdb -c '!import os; os.system(\"rm -rf /srv/data\")' x.py",
    ),
    asked(
        "perl",
        "perl perl5 raku",
        "-e -E -M -m -I",
        &[
            Form::Code { options: "-e -E", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "perl -e 'system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "ruby",
        "ruby jruby irb truffleruby",
        "-e -r -I -C",
        &[
            Form::Code { options: "-e", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "ruby -e 'system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "node",
        "node nodejs bun tsx ts-node deno/eval deno/run deno",
        "-e --eval -p --print -pe -r --require --import",
        &[
            Form::Code { options: "-e --eval -p --print -pe", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "node -e 'require(\"child_process\").execSync(\"rm -rf /srv/data\")'",
    ),
    asked(
        "deno-eval",
        "deno/eval",
        "",
        &[Form::Operand { at: 0, language: GENERAL }],
        "deno eval 'new Deno.Command(\"rm -rf /srv/data\")'",
    ),
    asked(
        "php",
        "php php7 php8 php-cli",
        "-r -B -R -E -d -c -f",
        &[
            Form::Code { options: "-r -B -R -E", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "php -r 'system(\"rm -rf /srv/data\");'",
    ),
    asked(
        "lua",
        "lua lua5.1 lua5.3 lua5.4 luajit texlua",
        "-e -l",
        &[
            Form::Code { options: "-e", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "lua -e 'os.execute(\"rm -rf /srv/data\")'",
    ),
    asked(
        "beam",
        "elixir iex erl escript",
        "-e --eval -eval -r",
        &[
            Form::Code { options: "-e --eval -eval", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "elixir -e 'File.rm_rf!(\"/srv/data\")'",
    ),
    asked(
        "lisp",
        "emacs-run sbcl clisp guile racket scheme csi gosh clojure clj bb janet fennel",
        "-e --eval -c -x -l",
        &[
            Form::Code { options: "-e --eval -c -x", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "guile -c '(system \"rm -rf /srv/data\")'",
    ),
    asked(
        "statistics",
        "R Rscript octave julia gnuplot maxima scilab sage",
        "-e --eval -E",
        &[
            Form::Code { options: "-e", prefix: "!", language: Language::Shell },
            Form::Code { options: "-e --eval -E", prefix: "", language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "julia -e 'run(`rm -rf /srv/data`)'",
    ),
    asked(
        "functional",
        "ghc runghc ghci ocaml swift groovy scala kotlin jshell crystal nim dart go/run rust-script v",
        "-e --eval",
        &[
            Form::Code { options: "-e --eval", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "groovy -e '\"rm -rf /srv/data\".execute(); system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "tcl",
        "tclsh wish jimsh",
        "-c",
        &[
            Form::Code { options: "-c", prefix: "", language: GENERAL },
            Form::Script { at: 0, language: GENERAL },
            Form::Stdin { language: Language::Tcl },
        ],
        "echo 'exec rm -rf /srv/data' | tclsh",
    ),
    asked(
        "expect",
        "expect autoexpect",
        "-c",
        &[Form::Code { options: "-c", prefix: "", language: Language::Tcl }, Form::Stdin { language: Language::Tcl }],
        "expect -c 'spawn rm -rf /srv/data'",
    ),
    plain(
        "awk",
        "awk gawk mawk nawk original-awk goawk",
        "-F --field-separator -v --assign -f --file -e --source",
        &[Form::Operand { at: 0, language: GENERAL }, Form::ScriptOption { options: "-f --file", language: GENERAL }],
        "awk 'BEGIN{system(\"rm -rf /srv/data\")}'",
    ),
    plain(
        "sed",
        "sed gsed",
        "-e --expression -f --file -l -i",
        &[
            Form::Code { options: "-e --expression", prefix: "", language: Language::Editor },
            Form::ScriptOption { options: "-f --file", language: Language::Editor },
            Form::Operand { at: 0, language: Language::Editor },
        ],
        "sed '1e rm -rf /srv/data' x",
    ),
    asked(
        "osascript",
        "osascript",
        "-e -l",
        &[Form::Code { options: "-e", prefix: "", language: GENERAL }, Form::Stdin { language: GENERAL }],
        "osascript -e 'do shell script \"rm -rf /srv/data\"'",
    ),
    asked(
        "bc",
        "bc dc",
        "-e --expression -f",
        &[
            Form::Code { options: "-e --expression", prefix: "!", language: Language::Shell },
            Form::Stdin { language: Language::Editor },
        ],
        "dc -e '!rm -rf /srv/data'",
    ),
    plain(
        "psql",
        "psql pgcli cockroach/sql crdb usql",
        "-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set -o -F -P -R -T -e --execute",
        &[
            Form::Code { options: "-c --command -e --execute", prefix: "", language: SQL },
            Form::ScriptOption { options: "-f --file", language: SQL },
            Form::Stdin { language: SQL },
        ],
        "psql -c 'DROP TABLE users'",
    ),
    plain(
        "mysql",
        "mysql mariadb mycli tidb",
        "-e --execute -h --host -u --user -P --port -D --database -S --socket --init-command --defaults-file",
        &[
            Form::Code { options: "-e --execute --init-command", prefix: "", language: SQL },
            Form::Stdin { language: SQL },
        ],
        "mysql -e 'DROP TABLE users'",
    ),
    plain(
        "sqlite3",
        "sqlite3 sqlite litecli duckdb",
        "-cmd -init -separator -c -s",
        &[
            Form::Code { options: "-cmd -c -s", prefix: "", language: SQL },
            Form::Operand { at: 1, language: SQL },
            Form::Stdin { language: SQL },
        ],
        "sqlite3 app.db 'DROP TABLE users'",
    ),
    asked(
        "sql-clients",
        "clickhouse-client clickhouse snowsql snow bq sqlcmd sqlplus isql tsql cqlsh beeline hive trino presto impala-shell db2 dremio-sql spark-sql vsql nzsql ksql ksqlDB flink-sql bcp osql questdb exasol turso libsql influx influxql athena usql rqlite monetdb-client mclient surreal psql-run mysqlsh cypher-shell clickhouse-local rqlite3 sqlite-utils cbq couchbase-shell arangosh",
        "-q --query -e --execute -Q -n -u --user --password -h --host -p --port -d --database --sql -c --command -f -k -S -U -P -i --dbname -execute -w --multiquery -a --address --encryption --format --server.password",
        &[
            Form::Code { options: "-q --query -e --execute -Q --sql -c --command -execute", prefix: "", language: SQL },
            Form::Stdin { language: SQL },
        ],
        "cqlsh -e 'DROP KEYSPACE app'",
    ),
    asked(
        "sql-operand",
        "cypher-shell wp/db/query drush/sqlq drush/sql-query drush/sql:query console/doctrine:query:sql console/dbal:run-sql typeorm/query pscale/shell bq/query turso/db/shell wrangler/d1/execute hdbsql db2 redshift-query supabase/db/query",
        "--format --location --project_id --command -c --max_rows -u -p -a -d -f --username --password --address --database --encryption",
        &[Form::Operands { language: SQL }, Form::Code { options: "--command -c", prefix: "", language: SQL }],
        "bq query 'DROP TABLE app.users'",
    ),
    asked(
        "mongo",
        "mongo mongosh",
        "--eval --host --port -u -p --authenticationDatabase",
        &[Form::Code { options: "--eval", prefix: "", language: GENERAL }, Form::Stdin { language: GENERAL }],
        "mongosh --eval 'db.dropDatabase()'",
    ),
    asked(
        "rails-runner",
        "rails/runner rails/r bin/rails/runner mix/run artisan/tinker php/artisan/tinker manage.py/shell django-admin/shell",
        "-e --environment --execute -c --command --eval",
        &[
            Form::Operand { at: 0, language: GENERAL },
            Form::Code { options: "-e -c --command --execute --eval", prefix: "", language: GENERAL },
        ],
        "rails runner 'User.delete_all'",
    ),
    asked(
        "web-shells",
        "flask/shell manage.py/shell manage.py/shell_plus django-admin/shell rails/console rails/c bin/rails/console",
        "-c --command",
        &[Form::StdinAlways { language: GENERAL }],
        "flask shell <<< 'import os; os.system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "macro",
        "m4 cpp latexmk nim pdflatex xelatex lualatex latex tex",
        "-e -D -I",
        &[
            Form::Code { options: "-e --eval --execute", prefix: "", language: GENERAL },
            Form::Operands { language: GENERAL },
            Form::Stdin { language: GENERAL },
        ],
        "m4 <<< 'syscmd(`rm -rf /srv/data`)'",
    ),
    asked(
        "rake-code",
        "rake",
        "-e --execute -p --execute-print -E --execute-continue -f",
        &[Form::Code {
            options: "-e --execute -p --execute-print -E --execute-continue",
            prefix: "",
            language: GENERAL,
        }],
        "rake -e 'system(\"rm -rf /srv/data\")'",
    ),
    asked(
        "cloud-statements",
        "aws/athena/start-query-execution aws/rds-data/execute-statement aws/redshift-data/execute-statement aws/dynamodb/execute-statement gcloud/spanner/databases/execute-sql",
        "--query-string --sql --statement --database --resource-arn --secret-arn",
        &[Form::Code { options: "--query-string --sql --statement", prefix: "", language: SQL }],
        "aws rds-data execute-statement --sql 'DROP TABLE users'",
    ),
    asked(
        "framework-database-shells",
        "manage.py/dbshell django-admin/dbshell rails/dbconsole rails/db bin/rails/dbconsole artisan/db prisma/db/execute fly/postgres/connect pg:psql heroku/pg:psql",
        "-c --command -p -a --app --schema --file",
        &[Form::Code { options: "-c --command", prefix: "", language: SQL }, Form::StdinAlways { language: SQL }],
        "rails dbconsole -p <<< 'DROP TABLE users;'",
    ),
    asked(
        "browser-code",
        "osqueryi wp/eval drush/php-eval drush/ev drush/php:eval crystal/eval",
        "",
        &[Form::Operand { at: 0, language: GENERAL }],
        "wp eval 'system(\"rm -rf /srv/data\");'",
    ),
];
