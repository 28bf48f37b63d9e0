import { once } from 'node:events';
import { createServer } from 'node:tls';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Certificate, testAuthority } from './certificates.js';

interface Flood {
  readonly certificate: Certificate;
  readonly text: string;
}

/** Starts a receiver, on a separate thread, that responds to a request with an endless repetition of the text. */
export async function startFlooding(
  text: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }> {
  const { issue } = await testAuthority();
  const flood: Flood = { certificate: await issue(), text };
  const worker = new Worker(new URL(import.meta.url), { workerData: flood });
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `https://127.0.0.1:${port}`, stop: () => worker.terminate() };
}

if (!isMainThread && parentPort !== null && isFlood(workerData)) {
  const { certificate, text } = workerData;
  const chunk = Buffer.from(text.repeat(2500));
  const server = createServer(certificate, (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket
      .on('error', () => undefined)
      .on('drain', more)
      .once('data', more);
  }).listen(0, '127.0.0.1', () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === 'object' ? address?.port : 0);
  });
}

function isFlood(given: unknown): given is Flood {
  return typeof given === 'object' && given !== null && 'certificate' in given && 'text' in given;
}
