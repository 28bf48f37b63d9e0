import hashlib
import hmac
import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

secrets = [one for one in os.environ.get("WEBHOOK_SECRET", "").split(",") if one]  # during a rotation: old,new
if not secrets:
    sys.exit("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included")


def is_genuine(raw_body: bytes, signature: str) -> bool:
    return any(is_signed(raw_body, signature, secret) for secret in secrets)


def is_signed(raw_body: bytes, signature: str, secret: str) -> bool:
    digest = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"sha256={digest}".encode(), signature.encode())


# a WSGI application: gunicorn receiver:receive
def receive(environ, start_response):
    # the bytes as they came; parse the JSON later
    raw_body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    genuine = is_genuine(raw_body, environ.get("HTTP_X_ROLLCALL_SIGNATURE", ""))
    if genuine:
        print(raw_body.decode(), flush=True)
    start_response("204 No Content" if genuine else "401 Unauthorized", [])
    return []


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8080"))
    make_server("127.0.0.1", port, receive, server_class=Server).serve_forever()
