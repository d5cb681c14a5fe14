//! What agents and their tools find: the discovery indexes and MCP, shape by shape.

mod calls;
mod discovery;
mod hard;
mod hidden;
mod mcp;
mod support;
