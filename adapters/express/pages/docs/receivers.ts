/** A complete webhook receiver in one language, which needs only its standard library. */
export interface Receiver {
  readonly language: 'Node' | 'Python' | 'Ruby' | 'PHP' | 'Go';
  readonly file: string;
  /** Starts it. */
  readonly command: string;
  readonly code: string;
}

/** The environment variables of every receiver. Two secrets are separated by a comma. */
const WITH_SECRET = "WEBHOOK_SECRET='whsec_…'";
const MISSING = "WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included";

/**
 * Each reads the secret from `WEBHOOK_SECRET`, or two during a rotation. Without it a program ends with a message, and PHP, which runs for
 * each request, answers 500. Each answers 204 to signed requests and prints their body, and 401 to all others.
 * Node, Python and Go listen on 127.0.0.1 at `PORT`.
 */
export function receivers(serviceName: string): readonly Receiver[] {
  const header = `X-${serviceName.replaceAll(' ', '-')}-Signature`;
  return [node(header), python(header), ruby(header), php(header), go(header)];
}

const node = (header: string): Receiver => ({
  language: 'Node',
  file: 'receiver.mjs',
  command: `${WITH_SECRET} node receiver.mjs`,
  code: `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env, exit } from 'node:process';

const secrets = (env.WEBHOOK_SECRET ?? '').split(',').filter(Boolean); // during a rotation: old,new
if (secrets.length === 0) {
  console.error("${MISSING}");
  exit(1);
}

function isGenuine(rawBody, signature) {
  return secrets.some((secret) => isSigned(rawBody, signature, secret));
}

function isSigned(rawBody, signature, secret) {
  const digest = createHmac('sha256', secret).update(rawBody).digest('hex');
  const expected = Buffer.from(\`sha256=\${digest}\`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, reply) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks); // the bytes as they came; parse the JSON later
  const signature = request.headers['${header.toLowerCase()}'] ?? '';
  if (!isGenuine(rawBody, signature)) {
    reply.writeHead(401).end();
    return;
  }
  reply.writeHead(204).end(); // answer first, do the work afterwards
  console.log(rawBody.toString());
}).listen(env.PORT ?? 8080, '127.0.0.1');
`,
});

const python = (header: string): Receiver => ({
  language: 'Python',
  file: 'receiver.py',
  command: `${WITH_SECRET} python3 receiver.py`,
  code: `import hashlib
import hmac
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secrets = [one for one in os.environ.get("WEBHOOK_SECRET", "").split(",") if one]  # during a rotation: old,new
if not secrets:
    sys.exit("${MISSING}")


def is_genuine(raw_body: bytes, signature: str) -> bool:
    return any(is_signed(raw_body, signature, secret) for secret in secrets)


def is_signed(raw_body: bytes, signature: str, secret: str) -> bool:
    digest = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"sha256={digest}".encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # the bytes as they came; parse the JSON later
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signature = self.headers.get("${header}", "")
        genuine = is_genuine(raw_body, signature)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine:
            print(raw_body.decode(), flush=True)


address = ("127.0.0.1", int(os.environ.get("PORT", "8080")))
ThreadingHTTPServer(address, Receiver).serve_forever()
`,
});

const ruby = (header: string): Receiver => ({
  language: 'Ruby',
  file: 'config.ru',
  command: `${WITH_SECRET} rackup --host 127.0.0.1`,
  code: `require "openssl"

secrets = ENV["WEBHOOK_SECRET"].to_s.split(",") # during a rotation: old,new
abort "${MISSING}" if secrets.empty?

def signed?(raw_body, signature, secret)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  OpenSSL.secure_compare(expected, signature)
end

run lambda { |env|
  raw_body = env["rack.input"]&.read.to_s # the bytes as they came; parse the JSON later
  signature = env["${cgiName(header)}"].to_s
  next [401, {}, []] unless secrets.any? { |secret| signed?(raw_body, signature, secret) }

  puts raw_body # hand it to a job, and answer
  [204, {}, []]
}
`,
});

const php = (header: string): Receiver => ({
  language: 'PHP',
  file: 'receiver.php',
  command: `${WITH_SECRET} php -S 127.0.0.1:8080 receiver.php`,
  code: `<?php

$secrets = array_filter(explode(',', (string) getenv('WEBHOOK_SECRET'))); // during a rotation: old,new
if (!$secrets) {
    error_log("${MISSING}");
    http_response_code(500);
    exit;
}

function is_genuine(string $rawBody, string $signature, array $secrets): bool
{
    foreach ($secrets as $secret) {
        $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

$rawBody = file_get_contents('php://input'); // the bytes as they came; parse the JSON later
$signature = $_SERVER['${cgiName(header)}'] ?? '';
if (!is_genuine($rawBody, $signature, $secrets)) {
    http_response_code(401);
    exit;
}
http_response_code(204);
file_put_contents('php://stdout', $rawBody . "\\n"); // hand it to a job, and answer
`,
});

const go = (header: string): Receiver => ({
  language: 'Go',
  file: 'receiver.go',
  command: `${WITH_SECRET} go run receiver.go`,
  code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

var secrets = strings.Split(os.Getenv("WEBHOOK_SECRET"), ",") // during a rotation: old,new

func isGenuine(rawBody []byte, signature string) bool {
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(rawBody)
		expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if secret != "" && hmac.Equal([]byte(expected), []byte(signature)) {
			return true
		}
	}
	return false
}

func receive(reply http.ResponseWriter, request *http.Request) {
	// the bytes as they came; parse the JSON later
	rawBody, err := io.ReadAll(http.MaxBytesReader(reply, request.Body, 1<<20))
	signature := request.Header.Get("${header}")
	if err != nil || !isGenuine(rawBody, signature) {
		reply.WriteHeader(http.StatusUnauthorized)
		return
	}
	reply.WriteHeader(http.StatusNoContent)
	fmt.Println(string(rawBody)) // hand it to a job, and answer
}

func main() {
	if strings.Trim(os.Getenv("WEBHOOK_SECRET"), ",") == "" {
		log.Fatal("${MISSING}")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
`,
});

/** The name of a header in CGI, and therefore in PHP and Rack. */
function cgiName(header: string): string {
  return `HTTP_${header.toUpperCase().replaceAll('-', '_')}`;
}
