//! What agents keep on this machine: their MCP servers, and the file whose
//! variables a session takes over.

pub mod env_file;
pub mod servers;
