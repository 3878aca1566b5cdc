//! The database: opened at first use, and in memory where it cannot be used.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_journal::WallClock;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::schema::migrate;

/// How long a statement waits for another process.
const BUSY: Duration = Duration::from_secs(5);
/// Pages of 4 KiB in the write-ahead log at which it is written back: it is read anew at each start.
const LOG_PAGES: u32 = 128;
/// Bytes of a log that is longer than that; a page has a header of 24 bytes there.
const LOG_BYTES: u64 = LOG_PAGES as u64 * (4096 + 24);

/// Why the database did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("the database cannot be used")]
pub struct StoreError(#[source] DatabaseError);

/// The cause, without the database library's types.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct DatabaseError(String);

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(DatabaseError(error.to_string()))
    }
}

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    #[error("it was written by a newer version of this program ({version}, known is {known})")]
    Newer { version: i64, known: i64 },
}

/// The store: one database, shared by all threads of the process and by other processes.
pub struct Store {
    path: Option<PathBuf>,
    clock: WallClock,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    connection: Option<Connection>,
    warning: Option<String>,
    /// Why everything is kept in memory and not in the database that was named.
    lost: Option<String>,
    /// Whether a part of it could not be read, which is said once.
    is_damaged: bool,
}

impl Store {
    /// Names the database; nothing is opened or made before the first use.
    pub fn new(path: impl Into<PathBuf>, clock: WallClock) -> Self {
        Self { path: Some(path.into()), clock, open: Mutex::default() }
    }

    /// Makes a store that forgets everything when it is dropped.
    pub fn in_memory(clock: WallClock) -> Self {
        Self { path: None, clock, open: Mutex::default() }
    }

    /// Makes a store where there is no place for a database: it forgets everything when it is dropped, and says why.
    pub fn without_place(why: impl Into<String>, clock: WallClock) -> Self {
        let open = Open { lost: Some(why.into()), ..Open::default() };
        Self { path: None, clock, open: Mutex::new(open) }
    }

    /// Returns the warning that a person should see once, if the database could not be used and everything is kept in
    /// memory instead; later calls return none.
    pub fn take_warning(&self) -> Option<String> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).warning.take()
    }

    /// Opens the database now, as the first use would.
    ///
    /// # Errors
    /// When not even a database in memory can be made.
    pub fn open(&self) -> Result<(), StoreError> {
        self.with(|_| Ok(()))
    }

    /// Returns whether what is kept outlives the process, as far as the store was named for that; opens it if it is not.
    ///
    /// # Errors
    /// When the database could not be used, or has no place, and everything is in memory: sums over it lack what was kept
    /// before.
    pub fn kept(&self) -> Result<(), StoreError> {
        self.open()?;
        match &self.open.lock().unwrap_or_else(PoisonError::into_inner).lost {
            Some(why) => Err(StoreError(DatabaseError(why.clone()))),
            None => Ok(()),
        }
    }

    /// Looks through the whole database for damage; 100 MB take about a second.
    ///
    /// # Errors
    /// As for [`Store::kept`], and with what is damaged.
    pub fn check(&self) -> Result<(), StoreError> {
        self.kept()?;
        let found: String =
            self.with(|connection| connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        match found.as_str() {
            "ok" => Ok(()),
            damage => Err(StoreError(DatabaseError(format!("the database is damaged: {}", damage.replace('\n', " "))))),
        }
    }

    /// Copies the whole database, as it is at one moment, into a new file.
    ///
    /// # Errors
    /// When it cannot be read, or the file cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        self.with(|connection| connection.execute("VACUUM INTO ?1", [path.to_string_lossy()]).map(drop))
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.millis()
    }

    /// Does something with the connection, opened if it is not.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.connection.is_none() {
            let (mut connection, lost) = self.connect()?;
            // A transaction that begins by reading, and writes after another process did, would fail at once as "locked": a
            // snapshot that is out of date cannot wait. All of ours write, so they wait for their turn at the beginning.
            connection.set_transaction_behavior(TransactionBehavior::Immediate);
            open.connection = Some(connection);
            if let Some(why) = lost {
                open.warning = Some(format!("{why}; history, memory and costs of this session are not kept"));
                open.lost = Some(why);
            }
        }
        let Some(connection) = &mut open.connection else { return Err(rusqlite::Error::InvalidQuery.into()) };
        let done = act(connection);
        if let Err(error) = &done
            && error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
            && !std::mem::replace(&mut open.is_damaged, true)
        {
            let path = self.path.as_deref().unwrap_or(Path::new("the database")).display();
            open.warning = Some(format!("{path} is damaged: some of history, memory and costs is lost ({error})"));
        }
        Ok(done?)
    }

    fn connect(&self) -> Result<(Connection, Option<String>), StoreError> {
        let Some(path) = &self.path else { return Ok((connect_memory()?, None)) };
        match connect_file(path) {
            Ok(connection) => Ok((connection, None)),
            Err(error) => {
                let lost = format!("{} cannot be used: {error}", path.display());
                tracing::warn!("{lost}");
                Ok((connect_memory()?, Some(lost)))
            }
        }
    }
}

impl Drop for Store {
    /// Empties a log that has grown. One who writes once never gets to do so: SQLite begins a log anew with the write that
    /// comes after the one that had it written back.
    fn drop(&mut self) {
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (Some(connection), Some(path)) = (&open.connection, &self.path) else { return };
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        if std::fs::metadata(log).is_ok_and(|log| log.len() > LOG_BYTES) {
            // Another process that has it open does it when it closes.
            let emptied = connection
                .busy_timeout(Duration::ZERO)
                .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
            if let Err(error) = emptied {
                tracing::debug!(%error, "the database's log stays as it is");
            }
        }
    }
}

fn connect_memory() -> Result<Connection, StoreError> {
    let mut connection = Connection::open_in_memory()?;
    migrate(&mut connection, None).map_err(|error| StoreError(DatabaseError(error.to_string())))?;
    Ok(connection)
}

/// Switches to the write-ahead log. Of several that do so to a new file at once, SQLite refuses some without waiting.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let since = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0)) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && since.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

fn connect_file(path: &Path) -> Result<Connection, OpenError> {
    if !path.exists() {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // SQLite gives its own mode to a new file; the files beside it get that of the database.
        OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    // The log stays when the last one leaves: to write it back then, and to make it anew next time, are four waits for
    // the disk, which a single question would pay for. What is committed is in the log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    if connection.is_readonly("main")? {
        return Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem).into());
    }
    migrate(&mut connection, Some(path))?;
    Ok(connection)
}
