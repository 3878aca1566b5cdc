//! Behaviour of the live shell, against real bash and real programs.

#[cfg(test)]
mod headless;
