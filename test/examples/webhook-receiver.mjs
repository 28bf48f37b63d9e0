// A receiver of webhooks: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs <port>
import { verifyWebhook, WebhookError } from '@rollcall/contracts/webhooks';
import express from 'express';

const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',').filter(Boolean); // two while you rotate it
if (secrets.length === 0) {
  process.stderr.write('WEBHOOK_SECRET is missing: set it to the signing secret, whsec_ included\n');
  process.exit(1);
}

const app = express();
app.post('/hooks', express.raw({ type: 'application/json' }), async (request, response) => {
  try {
    const event = await verifyWebhook({
      body: request.body, // the bytes as received, not parsed
      headers: request.headers,
      secret: secrets,
      serviceName: 'Service', // the name in the header X-Service-Signature
    });
    response.send(event.event_id); // answer first; an event can arrive twice, so store its id
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.status(401).send(error.code);
  }
});
app.get('/', (_request, response) => response.send('a receiver'));
app.listen(Number(process.argv[2]), '127.0.0.1');
