import { parentPort, Worker } from 'node:worker_threads';
import { startReceiver } from '../support/receiver.js';

/** A receiver of webhooks in a thread of its own. */
export interface Receiving {
  readonly url: string;
  /** PEM of the authority that it is vouched for by. */
  readonly authority: string;
  stop(): Promise<void>;
}

export async function startReceiving(): Promise<Receiving> {
  const worker = new Worker(new URL(import.meta.url));
  const { url, authority } = await new Promise<Omit<Receiving, 'stop'>>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  return {
    url,
    authority,
    async stop() {
      await worker.terminate();
    },
  };
}

if (parentPort !== null) {
  const { url, authority } = await startReceiver();
  parentPort.postMessage({ url, authority });
}
