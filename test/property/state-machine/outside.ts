import { openapi } from '@rollcall/contracts';
import fc from 'fast-check';
import { Compared, difference } from './cell.js';
import { type Answer, type Step, send } from './command.js';

/** The operations that need no token and belong to no organization. Their paths also work below the base. */
const answers: Readonly<Record<string, readonly [path: string, answer: Answer]>> = {
  readHealth: ['/healthz', { status: 200, body: { status: 'ok' } }],
  readReadiness: [
    '/readyz',
    { status: 200, body: { status: 'ok', checks: { database: 'ok', migrations: 'ok' } } },
  ],
  readOpenapi: [
    '/openapi.json',
    {
      status: 200,
      body: new Compared('openapi.yaml', (seen, draft, path) => {
        // The addresses are those of the deployment.
        const { servers: _, paths: seenPaths, ...rest } = seen as Readonly<Record<string, unknown>>;
        const { servers: __, paths, ...expected } = openapi() as unknown as Readonly<Record<string, unknown>>;
        const found = difference(Object.keys(expected).sort(), Object.keys(rest).sort(), draft, path);
        const names = (from: unknown): readonly string[] => Object.keys(from as object);
        return found ?? difference(names(paths), names(seenPaths), draft, `${path}.paths`);
      }),
    },
  ],
};

export const outsideSteps: readonly fc.Arbitrary<Step>[] = Object.entries(answers).map(
  ([operation, [path, answer]]) =>
    fc.constant<Step>({
      check: () => true,
      run: (model, real) =>
        send(model, real, {
          operation,
          organization: null,
          token: null,
          call: { method: 'GET', path: [path] },
          answer,
        }),
      toString: () => operation,
    }),
);
