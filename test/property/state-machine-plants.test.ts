import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shell } from '../support/app-cli.js';
import type { HttpService } from '../support/http/service.js';
import { plantedFaults, plantIn } from './state-machine/planted-faults.js';
import { readReplay, runSequences, startForSequences } from './state-machine/run-sequences.js';
import { newModel } from './state-machine/setup.js';

const MAX_SEQUENCES = 400;

describe('The state machine finds that', () => {
  let service: HttpService;
  before(async () => {
    service = await startForSequences('memory');
  });
  after(() => service.stop());

  for (const planted of plantedFaults) {
    test(`${planted.fault} (seed ${planted.seed})`, async () => {
      const remove = plantIn(service, planted);
      try {
        const { failure } = await runSequences({
          ...{ service, database: 'memory', steps: 40, seed: planted.seed },
          ...{ sequences: MAX_SEQUENCES, isShrunk: false },
        });
        assert.ok(failure !== null, `${MAX_SEQUENCES} sequences do not show it`);
      } finally {
        remove();
      }
    });
  }
});

describe('A failure', () => {
  let service: HttpService;
  before(async () => {
    service = await startForSequences('memory');
  });
  after(() => service.stop());

  test('is shrunk, can be replayed, and is a script that gets the same answers', async () => {
    const planted = plantedFaults.find(({ fault }) => fault.startsWith('a renewed invitation'));
    assert.ok(planted);
    const remove = plantIn(service, planted);
    try {
      const given = { service, database: 'memory', steps: 40, sequences: MAX_SEQUENCES } as const;
      const { failure } = await runSequences({ ...given, seed: planted.seed });
      assert.ok(failure !== null);
      assert.ok(failure.calls <= 4, `${failure.calls} calls`);
      const replay = readReplay(failure.replay);
      const again = await runSequences({ ...given, seed: 0, replay, isShrunk: false });
      assert.deepEqual([again.sequences, again.failure?.calls], [1, failure.calls]);
      assert.equal(plain(again.failure?.why ?? ''), plain(failure.why));

      // The same calls, of two new organizations.
      const { model } = await newModel(service, new Map());
      const ids = [...failure.script.matchAll(/^ORGANIZATION_(\d+)=/gm)].map(([, id]) => Number(id));
      const variables = [
        `BASE_URL=http://127.0.0.1:${service.client.port}/api/v2`,
        ...ids.map((id) => `ORGANIZATION_${id}=${model.organizations[id % 10 === 0 ? 0 : 1].id}`),
        ...model.organizations.map(({ keys }, index) => `KEY_${index + 1}=${keys[0]?.cell.value}`),
      ];
      const { code, stdout, stderr } = await shell(
        `${variables.join('; ')}\n${failure.script}`,
        process.cwd(),
      );
      assert.deepEqual([code, stderr], [0, '']);
      const seen = [...failure.script.matchAll(/^# seen {5}(.*)$/gm)].map(([, text]) => plain(text ?? ''));
      assert.deepEqual(stdout.trim().split('\n').map(plain), seen);
    } finally {
      remove();
    }
  });
});

/** Without what the service chooses for each organization. */
function plain(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/eyJ[\w.-]+/g, 'TOKEN')
    .replaceAll(/\/invitations\/[\w.-]+/g, 'URL')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/-\d+(?=-sees|@)/g, '-RUN');
}
