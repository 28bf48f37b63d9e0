// Makes the JSON of the OpenAPI documents: what is served, and what programs read.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

for (const name of ['openapi', 'operator']) {
  const document = parse(readFileSync(new URL(`${name}.yaml`, import.meta.url), 'utf8'));
  const target = new URL(`generated/${name}.json`, import.meta.url);
  writeFileSync(target, `${JSON.stringify(document, null, 1)}\n`);
}
