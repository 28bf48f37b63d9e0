import type { ContractTest } from '../expect.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { erasingTests } from './personal-data/erasing.js';
import { keptWhenErasingTests } from './personal-data/kept-when-erasing.js';
import { prepare } from './personal-data/person.js';
import { readingTests } from './personal-data/reading.js';
import { sendingTests } from './personal-data/sending.js';

/** The promises of `PersonalData`. */
export function personalDataSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'PersonalData', prepare);
  return [...readingTests(test), ...erasingTests(test), ...keptWhenErasingTests(test), ...sendingTests(test)];
}
