// A receiver of webhooks: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs <port>
import { verifyWebhook, WebhookError } from '@rollcall/contracts/webhooks';
import express from 'express';

const app = express();
app.post('/hooks', express.raw({ type: 'application/json' }), async (request, response) => {
  try {
    const event = await verifyWebhook({
      body: request.body, // the bytes as received, not parsed
      headers: request.headers,
      secret: process.env.WEBHOOK_SECRET.split(','), // two while you rotate it
      serviceName: 'Rollcall',
    });
    response.send(event.event_id); // answer first; an event can arrive twice, so store its id
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.status(401).send(error.code);
  }
});
app.get('/', (_request, response) => response.send('a receiver'));
app.listen(Number(process.argv[2]), '127.0.0.1');
