//! The program as a whole, from outside.

#[cfg(test)]
mod acp;
#[cfg(test)]
mod bus;
#[cfg(test)]
mod canaries;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod clouds;
#[cfg(test)]
mod completes;
#[cfg(test)]
mod daily;
#[cfg(test)]
mod doors;
#[cfg(test)]
mod earlier;
#[cfg(test)]
mod edges;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod installed;
#[cfg(test)]
mod judged;
#[cfg(test)]
mod killed;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod line_keys;
#[cfg(test)]
mod live_shell;
#[cfg(test)]
mod login;
#[cfg(test)]
mod models_page;
#[cfg(test)]
mod norris;
#[cfg(test)]
mod official_clients;
#[cfg(test)]
mod page;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod parallel;
#[cfg(test)]
mod person;
#[cfg(test)]
mod place;
#[cfg(test)]
mod places;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod rc_setups;
#[cfg(test)]
mod request_size;
#[cfg(test)]
mod resumed;
#[cfg(test)]
mod sampling;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod served_shell;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod state;
#[cfg(test)]
mod stopped;
#[cfg(test)]
mod structured;
#[cfg(test)]
mod texts;
#[cfg(test)]
mod transactions;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod unheld;
#[cfg(test)]
mod unwritable;
#[cfg(test)]
mod web_page;
