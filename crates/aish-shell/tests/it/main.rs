//! Behaviour of the live shell, against real bash and real programs.

#[cfg(test)]
mod apart;
#[cfg(test)]
mod at_terminal;
#[cfg(test)]
mod headless;
#[cfg(test)]
mod history;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod person;
#[cfg(test)]
mod sleepers;
#[cfg(test)]
mod start_up;
#[cfg(test)]
mod taken_away;
