import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listedAnswers } from '../support/http/contract.js';
import { fileFor } from '../support/http/seen-answers.js';

const folder = fileURLToPath(new URL('../../http/', import.meta.url));

test('each answer that openapi.yaml lists has a test file that fails until it has been seen', () => {
  const checking = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) =>
      readFileSync(`${folder}${name}`, 'utf8').includes(`testSeenAnswers('${name.replace('.test.ts', '')}')`),
    )
    .map((name) => name.replace('.test.ts', ''));
  const responsible = [...new Set(listedAnswers().map(fileFor))];
  assert.deepEqual(checking.sort(), responsible.sort());
});
