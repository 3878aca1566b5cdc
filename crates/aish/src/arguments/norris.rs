//! The flags of `aish norris`.

use clap::Args;

/// `aish norris`.
#[derive(Debug, Clone, Default, Args)]
pub struct NorrisFlags {
    /// The goal; without one, standard input is it.
    pub goal: Vec<String>,
    /// Requests to the model at most; else `norris.max_steps`.
    #[arg(long, value_name = "COUNT")]
    pub max_steps: Option<u32>,
    /// Tool calls and commands at most; else `norris.max_tool_calls`.
    #[arg(long, value_name = "COUNT")]
    pub max_tool_calls: Option<u32>,
    /// Tokens at most; else `norris.max_tokens`.
    #[arg(long, value_name = "COUNT")]
    pub max_tokens: Option<u64>,
    /// Dollars at most; else `norris.max_dollars`.
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true, value_parser = crate::norris::order::amount)]
    pub max_dollars: Option<f64>,
    /// Minutes at most; else `norris.max_minutes`.
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, value_parser = crate::norris::order::amount)]
    pub max_minutes: Option<f64>,
    /// Run unasked what only reads; a person decides about everything else.
    #[arg(long)]
    pub yes_read_only: bool,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
    /// Print the model's words alone.
    #[arg(long, short)]
    pub quiet: bool,
}
