#!/usr/bin/env python3
"""A server of git-lfs objects for tests, on the loopback interface: lfs_server.py DIRECTORY

Prints the port that it listens on, and ends when its standard input does. Objects are files in DIRECTORY, named by
their ids. It speaks the batch API with the basic transfer, and asks nobody who they are.
"""
import http.server
import json
import os
import sys
import threading

MEDIA_TYPE = "application/vnd.git-lfs+json"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    directory = "."

    def answer(self, status, body=b"", media_type=MEDIA_TYPE):
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def object_file(self):
        return os.path.join(self.directory, os.path.basename(self.path))

    def do_POST(self):
        request = json.loads(self.body())
        if not self.path.endswith("/objects/batch"):
            self.answer(404, b"{}")
            return
        operation = request["operation"]
        answers = []
        for wanted in request["objects"]:
            oid = wanted["oid"]
            entry = {"oid": oid, "size": wanted["size"]}
            known = os.path.exists(os.path.join(self.directory, oid))
            href = f"http://{self.headers['Host']}/storage/{oid}"
            if operation == "download" and not known:
                entry["error"] = {"code": 404, "message": "no such object"}
            elif operation == "download" or not known:
                entry["actions"] = {operation: {"href": href}}
            answers.append(entry)
        self.answer(200, json.dumps({"transfer": "basic", "objects": answers}).encode())

    def do_PUT(self):
        with open(self.object_file(), "wb") as file:
            file.write(self.body())
        self.answer(200)

    def do_GET(self):
        try:
            with open(self.object_file(), "rb") as file:
                self.answer(200, file.read(), "application/octet-stream")
        except FileNotFoundError:
            self.answer(404, b"{}")

    def log_message(self, *_):
        pass


def main():
    Handler.directory = sys.argv[1]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
