import type { ContractTest } from '../expect.js';
import type { StartStorage } from '../start-storage.js';
import { erasingTests } from './personal-data/erasing.js';
import { keptWhenErasingTests } from './personal-data/kept-when-erasing.js';
import { readingTests } from './personal-data/reading.js';
import { sendingTests } from './personal-data/sending.js';

/** The promises of `PersonalData`. */
export function personalDataSuite(start: StartStorage): readonly ContractTest[] {
  return [
    ...readingTests(start),
    ...erasingTests(start),
    ...keptWhenErasingTests(start),
    ...sendingTests(start),
  ];
}
