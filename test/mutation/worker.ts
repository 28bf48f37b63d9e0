import { parentPort, workerData } from 'node:worker_threads';
import type { Job } from './pool.js';
import { createTrials, watchRejections } from './trial.js';

const { bundle } = workerData as { readonly bundle: string };
const trials = createTrials(bundle);
watchRejections();

parentPort?.on('message', (job: Job) => {
  void answer(job).then(
    (result) => parentPort?.postMessage({ result }),
    (error: unknown) => parentPort?.postMessage({ error }),
  );
});

function answer(job: Job): Promise<unknown> {
  return job.kind === 'measure' ? trials.measure(job.file) : trials.verdictOn(job.mutant, job.tests);
}
