import assert from 'node:assert/strict';
import { join } from 'node:path';
import { freePort } from '../support/app-cli.js';
import type { Context, Group } from './peer.js';
import type { Product } from './product.js';
import { makeCalls } from './proxies.js';

async function writeDocument(context: Context, { origin }: Product): Promise<string> {
  return context.file('openapi.json', await (await fetch(`${origin}/openapi.json`)).text());
}

const program = ({ cwd }: Context, path: string): string => join(cwd, '../node_modules', path);

/** As a proxy that answers 500 where a request or an answer is not as in the document. */
async function tryPrism(context: Context): Promise<void> {
  const product = await context.product();
  const document = await writeDocument(context, product);
  const port = await freePort();
  const prism = program(context, '@stoplight/prism-cli/dist/index.js');
  const options = ['--errors', '--port', String(port), '--host', '127.0.0.1'];
  await context.serve(port, context.node, [prism, 'proxy', document, product.api, ...options]);
  const at = `http://127.0.0.1:${port}`;
  await makeCalls(product, at);
  const unknown = await product.call('members/nobody/upcoming_meetings', {}, at);
  assert.deepEqual([unknown.status, unknown.headers.get('x-error-code')], [404, 'member-not-found']);
}

/** The operations that read, by the name of the organization in their path. */
const READING = {
  id: [
    'listInvitations',
    'listUsers',
    'exportMeetings',
    'listExportColumns',
    'readMeetingChanges',
    'readEvents',
  ],
  organization_id: ['readWebhook', 'listDeliveries', 'listUpcomingMeetings'],
};

async function tryPortman(context: Context): Promise<void> {
  const product = await context.product();
  const document = await writeDocument(context, product);
  const [enabled, overwrite] = [{ enabled: true }, true];
  const checks = {
    statusSuccess: enabled,
    contentType: enabled,
    jsonBody: enabled,
    schemaValidation: enabled,
  };
  const config = {
    version: 1.0,
    globals: { securityOverwrites: { bearer: { token: product.token } } },
    tests: { contractTests: [{ openApiOperation: '*::/*', ...checks }] },
    overwrites: [
      ...Object.entries(READING).map(([key, openApiOperationIds]) => ({
        openApiOperationIds,
        overwriteRequestPathVariables: [{ key, value: '1', overwrite }],
      })),
      {
        openApiOperationIds: ['listUpcomingMeetings'],
        overwriteRequestPathVariables: [{ key: 'id', value: 'idp-0', overwrite }],
      },
      {
        openApiOperationIds: ['exportMeetings'],
        overwriteRequestQueryParams: [{ key: 'column[]', value: 'name', disable: false, overwrite }],
      },
    ],
  };
  const printed = await context.exec(context.node, [
    ...[program(context, '@apideck/portman/bin/portman'), '--local', document, '--baseUrl', product.api],
    ...['--portmanConfigFile', context.file('config.json', JSON.stringify(config))],
    ...[
      '--filterFile',
      context.file('filter.json', JSON.stringify({ inverseOperationIds: Object.values(READING).flat() })),
    ],
    ...['--output', join(context.cwd, 'collection.json'), '--runNewman'],
  ]);
  assert.match(printed, /requests │\s+9 │\s+0 │/);
  assert.match(printed, /assertions │\s+36 │\s+0 │/);
}

export const contractGroup: Group = {
  title: 'Testers of the contract',
  tried:
    'Prism as a proxy that refuses what is not as in the document: the five calls of the README, and a refusal. Portman: status, type and schema of nine operations that read.',
  peers: [
    { name: 'Prism', npm: ['@stoplight/prism-cli@5.16.0'], run: tryPrism },
    {
      name: 'Portman',
      npm: ['@apideck/portman@1.33.0', 'tslib@2.8.1'],
      needs: '`tslib` installed beside it, and path parameters overwritten by `openApiOperationIds`',
      run: tryPortman,
    },
  ],
};
