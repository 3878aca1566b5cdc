//! Calls in general code, by what they do.

/// Run a command.
pub(crate) const RUN: &[&str] = &[
    "system", "popen", "popen2", "popen3", "Popen", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "shell_exec", "passthru", "proc_open", "pcntl_exec",
    "check_call", "check_output", "getoutput", "getstatusoutput", "run", "call", "execute", "execl", "execlp", "execle", "execv", "execvp", "execve", "execvpe", "spawnl",
    "spawnlp", "spawnv", "posix_spawn", "cmd", "exec", "capture2", "capture2e", "capture3", "pipeline", "shell", "sh", "sh!", "bash", "system!", "open3", "shell!", "startfile",
    "create_subprocess_shell", "create_subprocess_exec", "run!", "execa", "execaSync", "command", "exec!", "system2", "ShellExecute", "Command", "backtick", "process", "os", "start-process", "subprocess",
    "launch", "shellOut", "exec_command", "async_exec", "make_async", "call-process", "shell-command", "shell-command-to-string",
];

/// Evaluate a text as code.
pub(crate) const EVALUATE: &[&str] = &["eval", "exec", "Function", "loadstring", "load", "instance_eval", "class_eval", "assert", "create_function", "compile", "eval!", "eval_string", "dofile", "runInNewContext", "runInThisContext", "execfile", "iex", "vm"];

/// The same, as words that stand before what they run without brackets.
pub(crate) const EVALUATE_TEXT: &[&str] = &["eval ", "iex ", "invoke-expression", "| sh", "|sh", "|bash", "| bash", ".constructor("];

/// Delete a tree.
pub(crate) const DELETE_TREE: &[&str] = &[
    "rmtree", "rm_rf", "rm_rf!", "rm_r", "remove_tree", "removeSync", "rimraf", "rimrafSync", "deleteRecursively", "remove_dir_all", "emptyDirSync", "emptyDir", "delete_tree", "remove_entry_secure",
    "remove_entry", "remove_dir", "delTree", "deltree", "removedirs", "rm_f", "removeAll", "RemoveAll", "delete_directory", "del_dir_r", "remove_recursive",
];

/// Delete a tree where told to.
pub(crate) const DELETE_TREE_IF: &[&str] = &["rm", "rmSync", "rmdir", "rmdirSync", "remove", "Delete", "unlink", "cp", "removeDirectory"];

/// Delete one file or folder.
pub(crate) const DELETE: &[&str] = &["unlink", "unlinkSync", "remove", "rmdir", "rmdirSync", "delete", "deleteSync", "rmSync", "rm", "delete_file", "File.delete", "remove_file", "safe_unlink", "rm!", "delete!"];

/// Write a file whose name comes first.
pub(crate) const WRITE: &[&str] = &["open", "writeFileSync", "writeFile", "file_put_contents", "appendFileSync", "appendFile", "fopen", "createWriteStream", "write!", "binwrite", "truncate", "truncateSync"];

/// Change a file's mode.
pub(crate) const CHANGE_MODE: &[&str] = &["chmod", "chmodSync", "lchmod", "chmod_R"];

/// Send SQL to a database.
pub(crate) const QUERY: &[&str] = &["execute", "executescript", "query", "raw", "exec", "executemany", "execute_sql", "mysqli_query", "pg_query", "do", "sql", "read_sql", "execute_batch", "querySync", "$executeRaw", "$executeRawUnsafe", "run"];

/// Fetch from another machine.
pub(crate) const FETCH: &[&str] = &[
    "urlopen", "urlretrieve", "requests.get", "urllib", "http.get", "https.get", "fetch(", "net::http", "open-uri", "uri.open", "lwp::", "file_get_contents('http", "file_get_contents(\"http", "curl_exec",
    "invoke-webrequest", "iwr ", "irm ", "downloadstring", "httpx.", "axios", "http::tiny", "require('http", "require(\"http", "aiohttp", "wget.download", "httpc:request", "open(\"http", "open('http", "socket.http", "httppotion", "webclient",
];

/// Decode what is hidden.
pub(crate) const DECODE: &[&str] = &[
    "b64decode", "base64_decode", "'base64'", "\"base64\"", "decode64", "unpack('m", "unpack(\"m", "unpack(\"h", "unpack('h", "unpack1", "fromhex", "unhexlify", "codecs.decode", "marshal.loads", "zlib.decompress", "atob(", "str_rot13",
    "rot13", "pickle.loads", "frombase64string", "gzinflate", "b32decode", "a85decode", "b85decode", "'hex'", "\"hex\"", "mime::base64", "decode_base64", "base64.decode", "base64.url", "fromcharcode", "hex2bin", "convert_uudecode", "bytes.fromhex", "[::-1]", ".reverse", "strrev(", "join(map(chr",
];

/// Open a connection.
pub(crate) const SOCKET: &[&str] = &["socket", "tcpsocket", "net.connect", "net.socket", "fsockopen", "io::socket", "inet_aton", "tcpclient", "/dev/tcp", "gen_tcp"];

/// What makes a connection a shell.
pub(crate) const SOCKET_SHELL: &[&str] = &["dup2", "/bin/sh", "/bin/bash", "pty.spawn", "\"sh\"", "'sh'", "\"bash\"", "'bash'", "cmd.exe", "sh -i", "exec(", "subprocess"];

/// Talk to another machine.
pub(crate) const SEND: &[&str] = &[
    "requests.post", "requests.put", "urlopen", "http.request", "https.request", "fetch(", "sendall", "socket", "axios.post", "net::http", "http.client", "httpx.post", "smtplib", "curl_exec", "lwp::", "ftplib", "paramiko", "requests.get", "http.post", "https.get", "http.get", "http::tiny", "sendmail", "tcpsocket", "boto3", "requests.request",
];

/// The environment, whole.
pub(crate) const ENVIRONMENT: &[&str] = &["os.environ)", "dict(os.environ", "process.env)", "JSON.stringify(process.env", "ENV.to_h", "getenv()", "$_ENV", "%ENV", "ENV.inspect", "str(os.environ", "os.environ,", "os.environ}"];

/// Loops without end.
pub(crate) const ENDLESS: &[&str] = &["while 1", "while true", "while(1)", "while(true)", "while (1)", "while (true)", "loop {", "loop{", "loop do", "for(;;)", "for (;;)", "fork while", "while fork", "forkbomb", "until false", "fork{fork", "{fork}"];

/// Signals to every process.
pub(crate) const MASS_KILL: &[&str] = &["kill(-1", "kill(-9, -1", "kill 9, -1", "kill(9, -1", "kill('kill', -1", "kill(:kill, -1", "kill -9, -1", "kill(1,", "kill(1, ", "kill 'kill', -1", "kill(\"kill\", -1", "kill(-9,-1", "kill(9,-1"];

/// Delete all records through a library.
pub(crate) const DELETE_DATA: &[&str] = &[
    "delete_all", "destroy_all", "dropdatabase(", "drop_all(", ".all().delete()", "objects.all().delete", "deletemany({})", "delete_many({})", "drop_database", "drop_table", "flushall", "flushdb(", ".drop()", "remove({})", "deletemany()", "truncate_all", "drop_collection", "repo.delete_all", "drop_schema", "database.drop", "db:drop", "droptable", "dropcollection", "delete_bucket", "terminate_instances", "delete_db_instance", "delete_stack", "deleteindex", "indices.delete",
];

/// Go through files.
pub(crate) const WALK: &[&str] = &["walk(", "glob(", "glob ", "readdir", "iterdir", "rglob", "dir.glob", "dir[", "listdir", "find(", "<*>", "scandir", "path.wildcard", "glob.glob", "<*", "dir.entries", "dir.children", "dir.each"];
