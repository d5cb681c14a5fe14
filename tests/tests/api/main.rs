//! The HTTP API against its description: routes, answers, codes, and requests that nobody should send.
#![expect(clippy::print_stdout, reason = "seeds and numbers, for who looks at the output")]

mod answers;
mod codes;
mod description;
mod hostile;
mod routes;
