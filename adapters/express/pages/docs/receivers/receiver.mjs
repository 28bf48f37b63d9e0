import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env, exit } from 'node:process';

const secrets = (env.WEBHOOK_SECRET ?? '').split(',').filter(Boolean); // during a rotation: old,new
if (secrets.length === 0) {
  console.error("WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included");
  exit(1);
}

function isGenuine(rawBody, signature) {
  return secrets.some((secret) => isSigned(rawBody, signature, secret));
}

function isSigned(rawBody, signature, secret) {
  const digest = createHmac('sha256', secret).update(rawBody).digest('hex');
  const expected = Buffer.from(`sha256=${digest}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, reply) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks); // the bytes as they came; parse the JSON later
  const signature = request.headers['x-rollcall-signature'] ?? '';
  if (!isGenuine(rawBody, signature)) {
    reply.writeHead(401).end();
    return;
  }
  reply.writeHead(204).end(); // answer first, do the work afterwards
  console.log(rawBody.toString());
}).listen(env.PORT ?? 8080, '127.0.0.1');
