import { test } from 'node:test';
import type { Dataset } from '@rollcall/core/testing';
import { type StartTestService, startTestService, type TestService } from '../test-service.js';

type Work = (service: TestService) => Promise<void>;

/** Tests of the core in memory, each with its own service over the dataset. */
export function serviceTest(dataset: Dataset, given: StartTestService & { readonly prepare?: Work } = {}) {
  const { prepare = async () => {}, ...options } = given;
  return (name: string, work: Work) =>
    test(name, async () => {
      const service = await startTestService(options);
      try {
        await service.load(dataset);
        await prepare(service);
        await work(service);
      } finally {
        await service.stop();
      }
    });
}
