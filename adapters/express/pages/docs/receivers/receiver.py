import hashlib
import hmac
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secrets = [one for one in os.environ.get("WEBHOOK_SECRET", "").split(",") if one]  # during a rotation: old,new
if not secrets:
    sys.exit("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included")


def is_genuine(raw_body: bytes, signature: str) -> bool:
    return any(is_signed(raw_body, signature, secret) for secret in secrets)


def is_signed(raw_body: bytes, signature: str, secret: str) -> bool:
    digest = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"sha256={digest}".encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # the bytes as they came; parse the JSON later
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signature = self.headers.get("X-Rollcall-Signature", "")
        genuine = is_genuine(raw_body, signature)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine:
            print(raw_body.decode(), flush=True)


address = ("127.0.0.1", int(os.environ.get("PORT", "8080")))
ThreadingHTTPServer(address, Receiver).serve_forever()
