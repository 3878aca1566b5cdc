//! One registered tool with what is computed once for it.

use std::sync::{Arc, OnceLock};

use aish_safety::definition_hash;
use aish_safety::pin::Digest;
use aish_types::ToolDefinition;

use crate::schema::{Schema, SchemaError};
use crate::source::ToolSource;

/// A registered tool: its source, its definition, and, made at first use, the definition's hash and compiled schemas.
pub struct Tool {
    /// Where it runs.
    pub source: Arc<dyn ToolSource>,
    /// What is known of it.
    pub definition: Arc<ToolDefinition>,
    hash: OnceLock<Digest>,
    // In boxes: few of many tools are ever called, and a compiled schema is large.
    input: OnceLock<Box<Result<Schema, SchemaError>>>,
    output: OnceLock<Option<Box<Result<Schema, SchemaError>>>>,
}

impl Tool {
    pub(crate) fn new(source: Arc<dyn ToolSource>, definition: Arc<ToolDefinition>) -> Self {
        Self { source, definition, hash: OnceLock::new(), input: OnceLock::new(), output: OnceLock::new() }
    }

    /// Returns the definition's hash.
    pub fn hash(&self) -> &Digest {
        self.hash.get_or_init(|| definition_hash(&self.definition))
    }

    /// Returns the compiled schema of the arguments.
    ///
    /// # Errors
    /// When the schema is no JSON Schema, refers elsewhere or is over the bounds.
    pub fn input(&self) -> Result<&Schema, &SchemaError> {
        Result::as_ref(self.input.get_or_init(|| Box::new(Schema::compile(&self.definition.input_schema.value()))))
    }

    /// Returns the compiled schema of the structured result, where there is one.
    ///
    /// # Errors
    /// As [`Tool::input`].
    pub fn output(&self) -> Option<Result<&Schema, &SchemaError>> {
        let compile =
            || self.definition.output_schema.as_ref().map(|schema| Box::new(Schema::compile(&schema.value())));
        self.output.get_or_init(compile).as_ref().map(|compiled| Result::as_ref(compiled))
    }
}
