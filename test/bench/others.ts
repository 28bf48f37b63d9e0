import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type BenchRequest, requestText } from './measure.js';

const PAUSE_MS = 5;

interface Task {
  readonly port: number;
  readonly requests: readonly string[];
}

/** Another client that sends small requests all the time. It has its own thread, as the one that reads exports is busy. */
export interface Others {
  /** Ends the client. Returns how long each answer took, in milliseconds. */
  stop(): Promise<readonly number[]>;
}

export async function startOthers(port: number, requests: readonly BenchRequest[]): Promise<Others> {
  const task: Task = { port, requests: requests.map((one) => requestText(one)) };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

if (parentPort !== null && workerData !== null) await sendContinuously(workerData as Task, parentPort);

async function sendContinuously(
  { port, requests }: Task,
  parent: NonNullable<typeof parentPort>,
): Promise<void> {
  let isOver = false;
  parent.on('message', () => {
    isOver = true;
  });
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const latencies: number[] = [];
  for (const request of requests) await answered(socket, request);
  parent.postMessage('started');
  for (let turn = 0; !isOver; turn += 1) {
    const sentAt = performance.now();
    await answered(socket, requests[turn % requests.length] ?? '');
    latencies.push(performance.now() - sentAt);
    await pause(PAUSE_MS);
  }
  socket.destroy();
  parent.postMessage(latencies);
  parent.close();
}

/** Small answers arrive in one piece. */
function answered(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('data', (answer: Buffer) => {
      socket.off('error', reject);
      if (answer.toString('latin1', 0, 12) === 'HTTP/1.1 200') resolve();
      else reject(new Error(answer.toString('latin1', 0, 200)));
    });
    socket.write(request);
  });
}
