//! Nothing but this machine is asked: clients on Node are kept from it by a script, the others by a proxy that refuses.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

/// Who is known to want out, and where to: it fails, and does no harm. The page tells of it.
const KNOWN: [(&str, &str); 1] = [
    // It asks whether the address is a private repository before it counts the installation.
    ("skills-1.5.18", "api.github.com"),
];

/// Notes whoever wants to go out.
pub(super) struct Outside {
    /// One line for each attempt.
    log: PathBuf,
    script: PathBuf,
    proxy: String,
}

impl Outside {
    /// Starts the proxy; it ends with the process.
    ///
    /// # Errors
    /// If the folder cannot be written to, or no port is free.
    pub(super) fn watch(folder: &Path) -> Result<Self, String> {
        let (log, script) = (folder.join("outside.log"), folder.join("loopback.cjs"));
        fs::write(&script, include_str!("loopback.cjs")).map_err(|e| format!("{}: {e}", script.display()))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let proxy = format!("http://{}", listener.local_addr().map_err(|e| e.to_string())?);
        let noted = log.clone();
        thread::spawn(move || listener.incoming().flatten().try_for_each(|stream| refuse(stream, &noted)));
        Ok(Self { log, script, proxy })
    }

    /// What every client is told.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("INTEROP_OUTSIDE", self.log.display().to_string()),
            ("NODE_OPTIONS", format!("--require \"{}\"", self.script.display())),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        ];
        variables.extend(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, self.proxy.clone())));
        variables
    }

    /// # Errors
    /// If anybody wanted to go out who is not known for it: who, and where to.
    pub(super) fn demand_none(&self) -> Result<(), String> {
        let noted = match fs::read_to_string(&self.log) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            noted => noted.map_err(|e| format!("{}: {e}", self.log.display()))?,
        };
        let is_known = |line: &str| KNOWN.iter().any(|(who, to)| line.contains(who) && line.ends_with(to));
        let unknown: Vec<_> = noted.lines().filter(|line| !is_known(line)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(format!("other machines than this one were asked:\n{}", unknown.join("\n")))
    }
}

fn refuse(mut stream: TcpStream, log: &Path) -> std::io::Result<()> {
    let mut line = String::new();
    // A client that hangs up has asked all the same.
    let _ = BufReader::new(&stream).read_line(&mut line);
    writeln!(OpenOptions::new().create(true).append(true).open(log)?, "{}", line.trim_end())?;
    let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    Ok(())
}
