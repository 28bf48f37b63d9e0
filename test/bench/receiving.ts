import { parentPort, Worker } from 'node:worker_threads';
import { startReceiver } from '../support/receiver.js';

/** A receiver of webhooks in its own thread. */
export interface Receiving {
  readonly url: string;
  /** The PEM certificate of the authority that issued its certificate. */
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
