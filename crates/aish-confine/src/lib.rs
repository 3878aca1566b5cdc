//! A confined run of a command, and the layer that holds what it changed.
//!
//! Order: a caller makes a [`Layer`] over the folders that may be changed, writes a [`Plan`], and starts a launcher (a
//! process of its own with one thread, which calls [`launch`]) with the plan as its arguments. Inside, the command sees
//! those folders under the layer, everything else read-only, private temporary folders, no secrets, and no network. When
//! it has ended, [`Layer::changes`] says what it changed; the layer is [kept](Layer::keep), which moves the changes into
//! the folders by exchange, and can be [taken back](Layer::take_back) exactly, or [discarded](Layer::discard).
//!
//! This crate judges no command and knows nothing of models or tools. Linux only.

mod attributes;
mod beneath;
mod bpf;
mod cache;
mod changes;
mod compute;
mod conflict;
mod contents;
mod covers;
mod deep;
mod diff;
mod discard;
mod disk;
mod dotenv;
mod dotenv_folder;
mod environment;
mod extended;
mod filter;
mod folders;
mod git_index;
mod guard;
mod held;
mod hidden;
mod in_tree;
mod index_state;
mod inside;
mod journal;
mod keep;
mod key_files;
mod landlocked;
mod launcher;
mod layer;
mod linked;
mod links;
mod lock;
mod meter;
mod modes;
mod mounts;
mod mover;
mod moves;
mod moving;
mod named_by_git;
mod named_places;
mod noting;
mod of_git;
mod open_files;
mod outcome;
mod parents;
mod parts;
mod plan;
mod private;
mod privileges;
mod probe;
mod readable;
mod ready;
mod report;
mod resolver;
mod room;
mod secret_files;
mod secret_lines;
mod secret_settings;
mod set_up_error;
mod settings;
mod several;
mod shift;
mod sockets;
mod spelling;
mod staging;
mod start;
mod step;
mod surroundings;
mod sys;
mod texts;
mod tracked;
mod transfer;
mod tree;
mod unveil;
mod veil;
mod view;
mod walk;

pub use aish_diff::LineCounts;
pub use attributes::FileKind;
pub use changes::{Caches, Change, ChangeKind, Changes, Refused};
pub use compute::{Held, compute_only};
pub use deep::remove_tree;
pub use dotenv::is_dotenv;
pub use dotenv_folder::{is_in_dotenv, may_be_in_dotenv};
pub use environment::clean;
pub use guard::{Guarded, guarded};
pub use hidden::secrets;
pub use launcher::{launch, launch_when_told};
pub use layer::{About, Covered, Layer, LayerError, State};
pub use outcome::{Conflict, KeepError, OnConflict, Recovered, Why};
pub use plan::{Limits, Mechanism, Network, Plan, PlanError, Root};
pub use probe::{Available, Missing, available};
pub use ready::{Ready, Told};
pub use report::{Ended, Report};
pub use secret_files::{SecretFiles, has_names};
pub use secret_settings::tells_secret;
pub use set_up_error::SetUpError;
pub use settings::{Dotenv, Settings};
pub use start::{Streams, run_on_pipes, run_on_terminal};
pub use surroundings::{Caller, Surroundings};
pub use texts::Text;
pub use tree::{is_repository, tree};
