//! Ports of the local stack.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context as _, anyhow};

/// Listens on 127.0.0.1 at a port; 0 picks a free one. The listener does not block.
///
/// `user` is the part of the stack that listens, and `flag` the option of the program that names another port.
///
/// # Errors
/// Returns an error that names the port, and the option if the port is in use.
pub(crate) fn listen(port: u16, user: &str, flag: &str) -> anyhow::Result<TcpListener> {
    let text = format!("cannot listen on 127.0.0.1:{port} for {user}");
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Err(anyhow!("{text}: another program uses the port; {flag} 0 picks a free one"))
        }
        bound => {
            let listener = bound.context(text)?;
            listener.set_nonblocking(true).context("cannot prepare a socket")?;
            Ok(listener)
        }
    }
}

/// Checks that a port is free, so that a start fails before it has done any work.
///
/// # Errors
/// Returns the error of [`listen`].
pub(crate) fn check(port: u16, user: &str, flag: &str) -> anyhow::Result<()> {
    if port == 0 { Ok(()) } else { listen(port, user, flag).map(drop) }
}
