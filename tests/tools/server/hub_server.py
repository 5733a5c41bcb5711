#!/usr/bin/env python3
"""A stand-in of the Hugging Face Hub on the loopback interface: repositories in memory, its HTTP surface for
creating, uploading (small files in the commit, large ones by Git LFS, whole or in parts) and downloading.

    with Hub(parts_from=1000, chunk=400) as hub:
        ... HF_ENDPOINT=hub.base HF_TOKEN=hf_write ...
        hub.repositories["datasets/me/rows"].files

The storage has a port of its own, so it is another origin: a request that brings a token there is kept in
`hub.faults`. hub.trouble = [(method, regex of the path, status or "cut", times)] spoils requests to come.
"""
import base64
import hashlib
import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

WRITE, READ = "hf_write_0123456789", "hf_read_0123456789"


def blob_of(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Repository:
    def __init__(self, private):
        self.private = private
        self.files = {}  # path: (bytes, lfs)
        self.commits = ["0" * 40]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, value=b"", headers=(), kind="application/json"):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def spoiled(self, path):
        for i, (method, pattern, what, times) in enumerate(self.hub.trouble):
            if times and method == self.command and re.search(pattern, path):
                self.hub.trouble[i] = (method, pattern, what, times - 1)
                if what == "cut":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                elif what == "acted":  # it is done, and the reply is lost
                    return "acted"
                else:
                    self.answer(what, {"error": self.hub.words.get(what, "trouble")})
                return True
        return False

    def handle_all(self):
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = unquote(parts.path)
        if len(body) < length:  # the client has gone
            self.close_connection = True
            return
        with self.hub.lock:
            self.hub.log.append((self.command, path, dict(self.headers), body))
            state = self.spoiled(path)
            if state is True:
                return
            if state == "acted":
                self.answer = lambda *_, **__: (self.connection.shutdown(socket.SHUT_RDWR), setattr(self, "close_connection", True))
            self.route(path, parse_qs(parts.query), body)

    do_GET = do_POST = do_PUT = do_HEAD = handle_all


class Storage(Handler):
    """Presigned addresses: no token belongs here."""

    def route(self, path, query, body):
        hub = self.hub
        if self.headers.get("Authorization"):
            hub.faults.append("a token at the storage")
        kind, name = path.strip("/").split("/", 1)
        if kind == "whole" and self.command == "PUT":
            if hashlib.sha256(body).hexdigest() != name:
                return self.answer(400, {"error": "digest"})
            hub.objects[name] = body
            return self.answer(200)
        if kind == "part" and self.command == "PUT":
            oid, number = name.split("/")
            hub.parts.setdefault(oid, {})[int(number)] = body
            return self.answer(200, headers=[("ETag", '"%s"' % hashlib.md5(body).hexdigest())])
        if kind == "complete" and self.command == "POST":
            given = json.loads(body)
            have = hub.parts.get(name, {})
            numbers = [p["partNumber"] for p in given["parts"]]
            tags = [p["etag"] for p in given["parts"]]
            data = b"".join(have[n] for n in numbers if n in have)
            good = numbers == sorted(have) and tags == ['"%s"' % hashlib.md5(have[n]).hexdigest() for n in numbers]
            if not good or hashlib.sha256(data).hexdigest() != name or given["oid"] != name:
                return self.answer(400, {"error": "parts"})
            hub.objects[name] = data
            return self.answer(200, {})
        if kind == "get" and name in hub.objects:
            return self.ranged(hub.objects[name])
        return self.answer(404, {"error": "no such object"})

    def ranged(self, data):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if not wanted:
            return self.answer(200, data, kind="application/octet-stream")
        low, high = int(wanted[1]), min(int(wanted[2]), len(data) - 1)
        self.hub.ranges.append((low, high))
        return self.answer(206, data[low:high + 1], [("Content-Range", f"bytes {low}-{high}/{len(data)}")],
                           "application/octet-stream")


class Api(Handler):
    def route(self, path, query, body):
        hub = self.hub
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token and token not in (WRITE, READ):
            return self.answer(401, {"error": "Invalid credentials in Authorization header"})
        writes = path == "/api/repos/create" or "/preupload/" in path or "/commit/" in path or path.endswith("/objects/batch")
        if writes and token != WRITE:
            return self.answer(403, {"error": "You don't have the rights"})
        if path == "/api/repos/create":
            return self.create(json.loads(body))
        if path == "/api/validate-yaml":
            bad = "BROKEN" in json.loads(body)["content"]
            return self.answer(200, {"errors": [{"message": "the head is no YAML"}] if bad else [], "warnings": []})
        if path == "/api/whoami-v2":
            return self.answer(200, {"name": "me", "type": "user", "auth": {"accessToken": {"role": "write"}}})
        lfs = re.fullmatch(r"/(?:(datasets)/)?([^/]+/[^/]+)\.git/info/lfs/objects/(batch|verify)", path)
        if lfs:
            return self.verify(json.loads(body)) if lfs[3] == "verify" else self.batch(json.loads(body))
        api = re.fullmatch(r"/api/(datasets|models)/([^/]+/[^/]+)(?:/(preupload|commit|revision|tree)/([^/]+))?", path)
        resolve = re.fullmatch(r"/(?:(datasets)/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        found = api or resolve
        if not found:
            return self.answer(404, {"error": "no such place"})
        repository = hub.repositories.get(f"{found[1] or 'models'}/{found[2]}")
        if repository is None or repository.private and not token:
            return self.answer(404 if token else 401, {"error": "Repository not found"})
        if resolve:
            return self.resolve(repository, resolve[4])
        verb = {None: self.info, "preupload": self.preupload, "commit": self.commit, "revision": self.revision, "tree": self.tree}[api[3]]
        return verb(repository, api, query, body)

    def create(self, given):
        kind = {"dataset": "datasets", "model": "models"}[given["type"]]
        name = f"{kind}/{given.get('organization') or 'me'}/{given['name']}"
        if name in self.hub.repositories:
            return self.answer(409, {"error": "You already created this repo"})
        private = given.get("visibility", "private" if given.get("private") else "public") == "private"
        self.hub.repositories[name] = Repository(private)
        return self.answer(200, {"url": f"{self.hub.base}/{name.removeprefix('models/')}", "name": name.split("/", 1)[1], "id": "1"})

    def info(self, repository, api, query, body):
        return self.answer(200, {"id": api[2], "private": repository.private, "sha": repository.commits[-1],
                                 "siblings": [{"rfilename": p} for p in sorted(repository.files)]})

    def preupload(self, repository, api, query, body):
        replies = []
        for given in json.loads(body)["files"]:
            sample = base64.b64decode(given["sample"])
            large = given["size"] > self.hub.lfs_from or b"\0" in sample
            there = repository.files.get(given["path"])
            oid = there and (hashlib.sha256(there[0]).hexdigest() if there[1] else blob_of(there[0]))
            replies.append({"path": given["path"], "uploadMode": "lfs" if large else "regular", "oid": oid,
                            "shouldIgnore": given["path"].endswith(".tmp")})
        return self.answer(200, {"files": replies[::-1]})

    def batch(self, given):
        objects = []
        for o in given["objects"]:
            entry = {"oid": o["oid"], "size": o["size"]}
            if o["oid"] not in self.hub.objects:
                storage, hub = self.hub.storage, self.hub
                if o["size"] > hub.parts_from:
                    n = -(-o["size"] // hub.chunk)
                    header = {f"{i:05d}": f"{storage}/part/{o['oid']}/{i}?X-Amz-Signature=a%2Fb" for i in range(n, 0, -1)}
                    upload = {"href": f"{storage}/complete/{o['oid']}", "header": dict(header, chunk_size=str(hub.chunk))}
                else:
                    upload = {"href": f"{storage}/whole/{o['oid']}?X-Amz-Signature=a%2Fb"}
                entry["actions"] = {"upload": upload, "verify": {"href": f"{hub.base}/datasets/me/any.git/info/lfs/objects/verify"}}
            objects.append(entry)
        return self.answer(200, {"transfer": "basic", "objects": objects}, kind="application/vnd.git-lfs+json")

    def verify(self, given):
        good = len(self.hub.objects.get(given["oid"], b"")) == given["size"]
        return self.answer(200 if good else 404, {})

    def commit(self, repository, api, query, body):
        for line in body.decode().splitlines():
            item = json.loads(line)
            value = item["value"]
            if item["key"] == "file":
                repository.files[value["path"]] = (base64.b64decode(value["content"]), False)
            elif item["key"] == "lfsFile":
                repository.files[value["path"]] = (self.hub.objects[value["oid"]], True)
        repository.commits.append(hashlib.sha1(body).hexdigest())
        return self.answer(200, {"success": True, "commitOid": repository.commits[-1],
                                 "commitUrl": f"{self.hub.base}/{'datasets/' if api[1] == 'datasets' else ''}{api[2]}/commit/{repository.commits[-1]}"})

    def revision(self, repository, api, query, body):
        if api[4] not in ("main", *repository.commits):
            return self.answer(404, {"error": "Invalid rev id"})
        return self.info(repository, api, query, body)

    def tree(self, repository, api, query, body):
        entries = []
        for path, (data, large) in sorted(repository.files.items()):
            entry = {"type": "file", "path": path, "size": len(data), "oid": blob_of(data)}
            if large:
                entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
            entries.append(entry)
        entries.append({"type": "directory", "path": "data", "size": 0, "oid": "1" * 40})
        entries += self.hub.more_entries
        start = int(query.get("cursor", ["0"])[0])
        end = start + self.hub.page
        link = [] if end >= len(entries) else [("Link", f'<{self.hub.base}{self.path.split("?")[0]}?recursive=true&cursor={end}>; rel="next"')]
        return self.answer(200, entries[start:end], link)

    def resolve(self, repository, path):
        if path not in repository.files:
            return self.answer(404, {"error": "Entry not found"})
        data, large = repository.files[path]
        oid = hashlib.sha256(data).hexdigest()
        if large:
            headers = [("Location", f"{self.hub.storage}/get/{oid}?X-Amz-Signature=a%2Fb"), ("X-Linked-Size", str(len(data))),
                       ("X-Linked-Etag", f'"{oid}"'), ("X-Repo-Commit", repository.commits[-1])]
            return self.answer(302, b"", headers)
        data = self.hub.spoil(data)
        return self.answer(200, data, [("ETag", f'"{blob_of(data)}"'), ("X-Repo-Commit", repository.commits[-1])], "text/plain")


class Hub:
    def __init__(self, lfs_from=2000, parts_from=10000, chunk=4000, page=3):
        self.lfs_from, self.parts_from, self.chunk, self.page = lfs_from, parts_from, chunk, page
        self.repositories, self.objects, self.parts = {}, {}, {}
        self.log, self.faults, self.trouble, self.ranges, self.more_entries = [], [], [], [], []
        self.words = {}
        self.spoil = lambda data: data
        self.lock = threading.RLock()
        self.servers = []
        for handler in (Api, Storage):
            server = ThreadingHTTPServer(("127.0.0.1", 0), type(handler.__name__, (handler,), {"hub": self}))
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(.02,), daemon=True).start()
            self.servers.append(server)
        self.base, self.storage = (f"http://127.0.0.1:{s.server_address[1]}" for s in self.servers)

    def asked(self, pattern, method=None):
        return [entry for entry in self.log if re.search(pattern, entry[1]) and method in (None, entry[0])]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.shutdown()
            server.server_close()
