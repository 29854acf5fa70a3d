"""A proxy on a Unix socket that closes the connection instead of handing on the N-th piece of what is sent or received."""

import shutil, socket, tempfile, threading


class CuttingProxy:
    """Hands on every connection to the server's socket; `direction` is sent or received."""

    def __init__(self, server, direction, number):
        self.server, self.direction, self.left = f"{server}/.s.PGSQL.5432", direction, number
        self.folder, self.lock = tempfile.mkdtemp(prefix="proxy-"), threading.Lock()
        self.dsn = f"host={self.folder} user=loader dbname=postgres"

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{self.folder}/.s.PGSQL.5432")
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            for ends in ((client, server, "sent"), (server, client, "received")):
                threading.Thread(target=self.hand_on, args=ends, daemon=True).start()

    def hand_on(self, source, target, direction):
        try:
            while piece := source.recv(65536):
                if direction == self.direction:
                    with self.lock:
                        self.left -= 1
                        is_cut = self.left == 0
                    if is_cut:
                        break
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
