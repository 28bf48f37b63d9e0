#!/usr/bin/env bash
# Clients of orval and swagger-typescript-api delete the member `ada` when they are told to delete the member `ada#2`.
#
# Tool       orval 8.38.0 and swagger-typescript-api 13.13.0
# Behaviour  Identifiers that come from a directory or a customer can have any character. A parameter of a path is one segment, so one
#            expects a generated client to encode it, as both do with the parameters of a query. They put it into the address as it
#            is: the `#` begins a fragment, which is not sent, and a `?` a query. `DELETE /members/ada#2` becomes `DELETE
#            /members/ada`, which exists and is gone; `50%25` arrives as `50%`. Types and tests with simple ids pass. orval has
#            `urlEncodeParameters` for it, which is off; with swagger-typescript-api the caller has to encode. oazapfts 7.5.0 encodes.
# Source     RFC 6570 section 3.2.2 (simple expansion), to which OpenAPI 3.1 refers for the style `simple`, orval.dev
#            (urlEncodeParameters), and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false orval@8.38.0 swagger-typescript-api@13.13.0 typescript@6.0.3
cat >openapi.json <<'JSON'
{ "openapi": "3.1.0", "info": { "title": "Members", "version": "1" }, "paths": { "/members/{id}": {
  "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
  "delete": { "operationId": "deleteMember", "responses": { "204": { "description": "Gone" } } }
} } }
JSON
cat >orval.config.mjs <<'JS'
export default { members: { input: 'openapi.json', output: { target: 'orval.ts', client: 'fetch', baseUrl: 'https://example.test' } } };
JS
cat >try.mjs <<'JS'
import { readFileSync } from 'node:fs';
import ts from 'typescript';

function load(name) {
  const { outputText } = ts.transpileModule(readFileSync(`${name}.ts`, 'utf8'), { compilerOptions: { module: 'esnext', target: 'es2022' } });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
const orval = await load('orval');
const { members } = new (await load('swagger-typescript-api')).Api({ baseUrl: 'https://example.test' });
for (const [name, client] of Object.entries({ orval, 'swagger-typescript-api': members })) {
  globalThis.fetch = async (address, { method }) => {
    const { pathname, search } = new URL(address);
    console.log(name, 'asks for', method, pathname + search);
    return new Response(null, { status: 204 });
  };
  for (const id of ['ada#2', 'ada?2', '50%25']) await client.deleteMember(id);
}
JS
node node_modules/orval/dist/bin/orval.mjs --config orval.config.mjs >/dev/null
node node_modules/swagger-typescript-api/dist/cli.mjs generate --path openapi.json --output . --name swagger-typescript-api.ts --silent >/dev/null
diff - <(node try.mjs) <<'SEEN'
orval asks for DELETE /members/ada
orval asks for DELETE /members/ada?2
orval asks for DELETE /members/50%25
swagger-typescript-api asks for DELETE /members/ada
swagger-typescript-api asks for DELETE /members/ada?2
swagger-typescript-api asks for DELETE /members/50%25
SEEN
echo 'as described'
