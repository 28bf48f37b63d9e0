import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Connection } from './connection.js';

/** One of the partner's servers. It knows section 6.3 of the specification, and nothing else about signatures. */
interface PlainServer {
  secrets: readonly string[];
}

/** An endpoint behind which several servers take turns. */
export interface PlainEndpoint {
  /** Verifies a request with the secrets that the next server knows. */
  verifies(signature: string | undefined, body: Uint8Array): boolean;
  /** Gives a secret to each server, one after the other. */
  add(secret: string, betweenServers: () => Promise<void>): Promise<void>;
  /** Takes a secret from every server. */
  drop(secret: string): void;
}

export function createPlainEndpoint(secret: string): PlainEndpoint {
  const servers: readonly PlainServer[] = Array.from({ length: 3 }, () => ({ secrets: [secret] }));
  let turn = 0;
  return {
    verifies(signature = '', body) {
      const { secrets = [] } = servers[turn++ % servers.length] ?? {};
      return secrets.some((known) => {
        const expected = `sha256=${createHmac('sha256', known).update(body).digest('hex')}`;
        return (
          signature.length === expected.length &&
          timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
        );
      });
    },
    async add(added, betweenServers) {
      for (const server of servers) {
        server.secrets = [...server.secrets, added];
        await betweenServers();
      }
    },
    drop(dropped) {
      for (const server of servers) server.secrets = server.secrets.filter((known) => known !== dropped);
    },
  };
}

/** The steps of the guide. The first one, servers that can hold two secrets, is done. */
export async function rotate(
  { api, ofWebhook: params }: Connection,
  { endpoint, old, wait }: { readonly endpoint: PlainEndpoint; readonly old: string; wait(): Promise<void> },
): Promise<string> {
  const { webhook } = await api.patch('/organizations/{organization_id}/webhook', {
    params: { ...params, header: { 'Idempotency-Key': 'the rotation of November' } },
    body: { webhook: { enabled: true }, regenerate_secret: '1', overlap_hours: 24 },
  });
  await wait();
  await endpoint.add(webhook.secret, wait);
  await wait();
  await api.post('/organizations/{organization_id}/webhook/finish_rotation', { params });
  // Requests that were under way still have the old signature.
  await wait();
  endpoint.drop(old);
  await wait();
  return webhook.secret;
}
