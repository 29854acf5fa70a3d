"""A PostgreSQL server of its own in a temporary folder, with a Unix socket, which any user can start: root starts it as another."""

import glob, os, pwd, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path


def programs():
    """The folder with the newest server; it is installed first where there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not found:
        as_root = [] if os.getuid() == 0 else ["sudo"]
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        subprocess.run([*as_root, "apt-get", "update", "-qq"], stdout=subprocess.DEVNULL, check=True)
        install = [*as_root, "apt-get", "install", "-qq", "-y", "--no-install-recommends", "postgresql", "postgresql-client"]
        subprocess.run(install, env=environment, stdout=subprocess.DEVNULL, check=True)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return Path(found[-1]).parent


class Server:
    """A server that is started, killed and started again; the role `loader` owns it, and `guarded` needs the password `open`."""

    def __init__(self, folder=None):
        self.bin = programs()
        self.folder = Path(folder or tempfile.mkdtemp(prefix="postgresql-"))
        self.data, self.process = self.folder / "data", None
        self.user = None
        if os.getuid() == 0:
            self.user = next(name for name in ("postgres", "nobody") if name in {entry.pw_name for entry in pwd.getpwall()})
            shutil.chown(self.folder, self.user)
            self.folder.chmod(0o755)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "loader", "--encoding", "UTF8", "--locale", "C.UTF-8")
        with open(self.data / "pg_hba.conf", "r+") as file:
            rules = file.read()
            file.seek(0)
            file.write("local all guarded scram-sha-256\n" + rules)
        self.start()
        self.sql("CREATE ROLE guarded LOGIN PASSWORD 'open'; CREATE ROLE weak LOGIN;")

    @property
    def dsn(self):
        return f"host={self.folder} user=loader dbname=postgres"

    def as_user(self, command):
        if self.user is None:
            return command
        return ["setpriv", f"--reuid={self.user}", f"--regid={pwd.getpwnam(self.user).pw_gid}", "--clear-groups", *command]

    def run(self, program, *arguments):
        command = self.as_user([self.bin / program, *arguments])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/")

    def start(self):
        """Starts the server, and waits until it answers."""
        command = [self.bin / "postgres", "-D", self.data, "-k", self.folder, "-c", "listen_addresses="]
        log = open(self.folder / "log", "a")
        self.process = subprocess.Popen(
            self.as_user(command), stdout=log, stderr=log, cwd="/", start_new_session=True
        )
        limit = time.monotonic() + 60
        while subprocess.run(
            [self.bin / "pg_isready", "-q", "-h", self.folder], stdout=subprocess.DEVNULL
        ).returncode != 0:
            if time.monotonic() > limit or self.process.poll() is not None:
                sys.exit(f"the server does not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """Kills the server and all its processes with SIGKILL, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # What is left of its shared memory and of its sessions, which have process groups of their own.
        for line in subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True).stdout.splitlines():
            pid, _, text = line.strip().partition(" ")
            if text.startswith("postgres: ") and self.is_mine(int(pid)):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.1)

    def is_mine(self, pid):
        try:
            return os.path.realpath(f"/proc/{pid}/cwd") == str(self.data)
        except OSError:
            return False

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, *options):
        """What psql prints for statements."""
        command = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", *options, "-h", str(self.folder), "-U", "loader", "postgres"]
        answer = subprocess.run(command, input=text, capture_output=True, text=True)
        if answer.returncode != 0:
            raise RuntimeError(f"{text[:200]}: {answer.stderr}")
        return answer.stdout.rstrip("\n")
