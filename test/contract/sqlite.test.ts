import { describe, test } from 'node:test';
import { storageSuites } from '@rollcall/core/testing';
import { startStorage } from '../support/storage.js';

describe('The ports over SQLite keep the promises', () => {
  for (const { name, run } of storageSuites(() => startStorage('sqlite'))) test(name, run);
});
