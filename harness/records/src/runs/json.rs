//! Records, read from their files.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::BadInput;

/// The record in a file.
///
/// # Errors
///
/// There is no such file, or it is something else; the message names it.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, BadInput> {
    let failed = |error: String| BadInput::new(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}
