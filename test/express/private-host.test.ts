import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { privateHost } from '#adapters/express/private-host.js';

describe('The Host header of a private port', () => {
  const problem = privateHost(['0.0.0.0', 'Metrics.example.com', 'other.example.com.']);

  test('may be an address, a name that no one on the internet can own, or a configured name', () => {
    for (const host of [
      ...[
        '127.0.0.1',
        '127.0.0.1:9464',
        '10.1.2.3:9464',
        '[::1]',
        '[::1]:9464',
        '[fd00::12]:9464',
        '[::ffff:10.0.0.1]',
      ],
      ...[
        'localhost',
        'LOCALHOST:3000',
        'a.localhost:3000',
        'localhost.',
        'rollcall:9464',
        'rollcall.default.svc:9464',
      ],
      ...[
        'rollcall.default.svc.cluster.local',
        '10-1-2-3.default.pod.cluster.local',
        'host.docker.internal:9464',
      ],
      ...[
        'metrics.example.com',
        'METRICS.example.com:9464',
        'metrics.example.com.:9464',
        'other.example.com',
      ],
    ])
      assert.equal(problem({ headers: { host } }), null, host);
    assert.equal(problem({ headers: {} }), null, 'HTTP/1.0');
  });

  test('is no other name, because a page can make it point here', () => {
    for (const host of [
      ...['evil.example', 'evil.example:9464', 'a.metrics.example.com', 'metrics.example.com.evil.example'],
      ...[
        '127.0.0.1.evil.example',
        '127.0.0.1.nip.io:9464',
        'localhost.evil.example',
        'localhostx.example',
        '',
      ],
      ...['svc.evil.example', 'cluster.local.evil.example', '1.2.3.4.5', '[::1].evil.example'],
    ])
      assert.match(problem({ headers: { host } }) ?? '', /^The Host header must name/, host);
  });
});
