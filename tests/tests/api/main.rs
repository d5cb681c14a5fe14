//! The HTTP API against its description: routes, answers, codes, and requests that nobody should send.

mod answers;
mod codes;
mod description;
mod hostile;
mod routes;
