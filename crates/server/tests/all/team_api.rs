//! The API of the team server, over HTTP.

mod connect;
mod document;
mod http;
mod laws;
mod limits;
mod matrix;
mod oauth;
mod world;
