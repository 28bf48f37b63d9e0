import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openapi, operatorApi } from '@rollcall/contracts';
import { parse } from 'yaml';

const documents = { 'openapi.yaml': openapi, 'operator.yaml': operatorApi };

describe('The documents that programs read', () => {
  for (const [name, document] of Object.entries(documents))
    test(`say what ${name} says, in the same order`, () => {
      const written = readFileSync(new URL(`../../../contracts/${name}`, import.meta.url), 'utf8');
      assert.equal(JSON.stringify(document()), JSON.stringify(parse(written)));
    });
});
