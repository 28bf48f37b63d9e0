import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import {
  type DirectoryOrganization,
  type DirectoryService,
  startDirectoryService,
} from '../../support/http/directory-service.js';

const unknown = '00000000-0000-4000-8000-000000000000';

describe('What the directory refuses', () => {
  let service: DirectoryService;
  before(async () => {
    service = await startDirectoryService();
  });
  after(() => service.stop());

  /** The status and the kind of the error, and that it is one of SCIM. */
  const refusal = async (
    { send }: DirectoryOrganization,
    ...sent: Parameters<DirectoryOrganization['send']>
  ): Promise<readonly unknown[]> => {
    const { status, scim } = await send(...sent);
    assert.deepEqual(scim.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
    assert.equal(scim.status, String(status));
    assert.equal(typeof scim.detail, 'string');
    return [status, scim.scimType ?? null];
  };
  const patch = (...operations: readonly unknown[]) => ({ Operations: operations });

  test('a body that is not what was asked for', async () => {
    const directory = await service.directory();
    const person = { userName: `ada@d${directory.id}.test` };
    const id = await directory.add(person);
    const other = { userName: `BO@d${directory.id}.test`, externalId: 'bo' };
    await directory.add({ ...other, userName: other.userName.toLowerCase() });
    const path = `/Users/${id}`;
    const creating = (body: unknown) => ['POST', '/Users', body] as const;
    const changing = (body: unknown) => ['PATCH', path, body] as const;
    const nested = (depth: number): string =>
      `{"userName":"deep@d${directory.id}.test","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const long = { ...person, userName: 'b@x.test', externalId: 'x'.repeat(501) };
    const refused: Readonly<Record<string, readonly (readonly [string, string, unknown])[]>> = {
      invalidSyntax: [
        ...['{"userName":', '[]', '"text"', undefined, nested(32)].map((body) => creating(body)),
        ...[{}, { Operations: 'x' }, patch('x'), patch({ op: 'move', path: 'active' })].map(changing),
        changing(patch({ op: 'add', path: 1 })),
      ],
      noTarget: [changing(patch({ op: 'remove' }))],
      mutability: [
        changing(patch({ op: 'remove', path: 'userName' })),
        changing(patch({ op: 'Remove', path: 'Active' })),
      ],
      invalidValue: [
        changing(patch({ op: 'add', value: 'x' })),
        changing(patch({ op: 'add', path: 'x'.repeat(501) })),
        changing(patch(...Array(201).fill({ op: 'add', path: 'x' }))),
        changing(patch({ op: 'replace', path: 'active', value: 'maybe' })),
        changing(patch({ op: 'replace', path: 'userName', value: '' })),
        changing(patch({ op: 'replace', path: 'displayName', value: {} })),
        changing(patch({ op: 'add', path: 'displayName', value: 'x'.repeat(301) })),
        ['PUT', path, { active: true }],
        ...[{ userName: 'no address' }, { userName: 'x', emails: 'no' }, long].map(creating),
      ],
      uniqueness: [
        creating(person),
        ['PUT', path, other],
        changing(patch({ op: 'replace', path: 'userName', value: other.userName })),
        changing(patch({ op: 'add', path: 'externalId', value: other.externalId })),
      ],
    };
    for (const [kind, requests] of Object.entries(refused))
      for (const [method, at, body] of requests)
        assert.deepEqual(
          await refusal(directory, method, at, body),
          [kind === 'uniqueness' ? 409 : 400, kind],
          JSON.stringify(body)?.slice(0, 80),
        );
    assert.deepEqual(await refusal(directory, 'POST', '/Users', person, { 'Content-Type': 'text/plain' }), [
      415,
      null,
    ]);
    const large = JSON.stringify({ ...person, nickName: 'x'.repeat(102_400) });
    assert.deepEqual(await refusal(directory, 'POST', '/Users', large), [413, null]);
    const { scim } = await directory.send('GET', path);
    assert.deepEqual([scim.userName, scim.active, scim.emails], [person.userName, true, []]);
  });

  test('the last operation that is wrong changes nothing of those before', async () => {
    const directory = await service.directory();
    const id = await directory.add({ userName: `ada@d${directory.id}.test` });
    const operations = [
      { op: 'replace', path: 'displayName', value: 'B' },
      { op: 'replace', path: 'active', value: 'maybe' },
    ];
    assert.deepEqual(await refusal(directory, 'PATCH', `/Users/${id}`, patch(...operations)), [
      400,
      'invalidValue',
    ]);
    assert.equal((await directory.send('GET', `/Users/${id}`)).scim.displayName, undefined);
  });

  test('names of attributes that mean something to JavaScript change nothing', async () => {
    const directory = await service.directory();
    const body = `{"userName":"ada@d${directory.id}.test","__proto__":{"active":false},"constructor":{"x":1},
      "name":{"__proto__":{"givenName":"x"},"toString":"y"}}`;
    const { status, scim } = await directory.send('POST', '/Users', body);
    assert.deepEqual([status, scim.active, scim.name], [201, true, {}]);
    const operation = { op: 'add', path: '__proto__.polluted', value: true };
    await directory.send(
      'PATCH',
      `/Users/${scim.id}`,
      patch(operation, { op: 'add', path: 'constructor', value: {} }),
    );
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  test('a filter that is not one comparison', async () => {
    const directory = await service.directory();
    for (const filter of [
      'userName',
      'userName eq',
      'userName co "a"',
      'userName eq "a" or userName eq "b"',
      'not (userName eq "a")',
      '(userName eq "a")',
      'active eq true',
      'password eq "a"',
      'emails[value eq "a"',
      'userName[type eq "work"] eq "a"',
      'userName eq "a',
      'userName eq a b',
      '__proto__ eq "a"',
      `userName eq "${'x'.repeat(1000)}"`,
    ]) {
      const path = `/Users?filter=${encodeURIComponent(filter)}`;
      assert.deepEqual(await refusal(directory, 'GET', path), [400, 'invalidFilter'], filter.slice(0, 60));
    }
    for (const filter of [
      'ID EQ "x"',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"',
      'id eq "\\u0041"',
    ])
      assert.equal(
        (await directory.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)).status,
        200,
        filter,
      );
  });

  test('a missing, wrong or ended token, and that of another organization, in one way', async () => {
    const [directory, other] = [await service.directory(), await service.directory()];
    const answers = [];
    for (const headers of [
      { Authorization: undefined },
      { Authorization: 'Basic YTpi' },
      { Authorization: `Bearer ${directory.token}x` },
      { Authorization: `Bearer ${other.token}` },
    ]) {
      const { status, text, headers: answered } = await directory.send('GET', '/Users', undefined, headers);
      answers.push([status, text, answered['www-authenticate']]);
    }
    const [first] = answers;
    assert.deepEqual([first?.[0], first?.[2]], [401, 'Bearer realm="directory"']);
    assert.deepEqual(answers, Array(4).fill(first));
    await service.core.endDirectoryTokens({ organization: { id: directory.id }, which: 'all' });
    assert.equal((await directory.send('GET', '/Users')).status, 401);
    const { requests } = await service.core.readDirectory({ organization: { id: directory.id } });
    assert.deepEqual(
      requests.map(({ status, reason }) => [status, reason]),
      [[401, 'The token is missing, wrong or ended']],
    );
  });

  test('a request without a token is in no list', async () => {
    const directory = await service.directory();
    assert.equal(
      (await directory.send('GET', '/Users', undefined, { Authorization: undefined })).status,
      401,
    );
    const { requests } = await service.core.readDirectory({ organization: { id: directory.id } });
    assert.deepEqual(requests, []);
  });

  test('an unknown person alone is 404, and what is not a user 501', async () => {
    const [directory, other] = [await service.directory(), await service.directory()];
    for (const id of [unknown, 'x', other.owner.uuid, '%00', directory.owner.email])
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { userName: `n@d${directory.id}.test` }],
        ['PATCH', patch()],
        ['DELETE', undefined],
      ] as const)
        assert.deepEqual(
          await refusal(directory, method, `/Users/${id}`, body),
          [404, null],
          `${method} ${id}`,
        );
    for (const [method, path] of [
      ['POST', '/Bulk'],
      ['POST', '/.search'],
      ['POST', '/Users/.search'],
      ['GET', '/Me'],
      ['GET', ''],
      ['GET', '/Groups/g1'],
      ['DELETE', '/Groups/g1'],
      ['POST', '/Users/x/y'],
      ['PUT', '/Users'],
      ['DELETE', '/Users'],
    ] as const)
      assert.deepEqual(await refusal(directory, method, path), [501, null], `${method} ${path}`);
  });

  test('an admin or owner whom it has never written, and a last owner', async () => {
    const directory = await service.directory();
    const path = `/Users/${directory.owner.uuid}`;
    const off = patch({ op: 'replace', path: 'active', value: false });
    const never = await directory.send('PATCH', path, off);
    assert.deepEqual([never.status, never.scim.scimType], [409, undefined]);
    assert.match(never.scim.detail, /never written.*People page/);
    assert.equal((await directory.send('DELETE', path)).status, 409);
    for (const nothing of [patch(), patch({ op: 'add', path: 'title', value: 'Dr.' })])
      assert.equal((await directory.send('PATCH', path, nothing)).status, 200);
    assert.equal((await directory.send('PATCH', path, off)).status, 409);
    await directory.send('PATCH', path, patch({ op: 'add', path: 'displayName', value: 'O' }));
    const last = await directory.send('PUT', path, { userName: directory.owner.email, active: false });
    assert.deepEqual([last.status, /last owner/.test(last.scim.detail)], [409, true]);
  });

  test('an outage with 503 and Retry-After, and a bug with 500 and nothing about it', async () => {
    const directory = await service.directory();
    const outage = service.replace('directory', {
      list: () => Promise.reject(new Unavailable('the secret reason', { retryAfter: 7 })),
    });
    const away = await directory.send('GET', '/Users');
    outage();
    assert.deepEqual([away.status, away.headers['retry-after']], [503, '7']);
    assert.ok(!away.text.includes('secret'));
    assert.equal(service.lines.at(-1)?.reason, 'the secret reason');
    const broken = service.replace('directory', {
      list: () => Promise.reject(new Error('the secret reason')),
    });
    const { status, text } = await directory.send('GET', '/Users');
    broken();
    assert.deepEqual([status, text.includes('secret')], [500, false]);
    assert.match(String(service.reports.pop()?.error), /the secret reason/);
    assert.equal((await directory.send('GET', '/Users')).status, 200);
  });

  test('too many requests of one organization, and not of another', async () => {
    const [directory, other] = [await service.directory(), await service.directory()];
    const restore = service.replace('limits', {
      consume: async (_limit, subject) => (subject === String(directory.id) ? 4 : 0),
    });
    const refused = await directory.send('GET', '/Groups');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '4']);
    assert.equal((await other.send('GET', '/Groups')).status, 200);
    restore();
  });

  test('nothing that was sent is in a log or in the requests that owners see', async () => {
    const directory = await service.directory();
    const sent = {
      userName: `Canary@d${directory.id}.test`,
      externalId: 'canary-id',
      password: 'canary-word',
    };
    const id = await directory.add({ ...sent, displayName: 'canary-name' });
    await directory.send(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'add', path: 'active', value: 'canary-value' }),
    );
    for (const filter of ['canary eq "canary"', 'externalId eq "canary-id"', 'userName eq "canary"'])
      await directory.send('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    await directory.send('POST', '/Users', sent);
    await directory.send('GET', '/Users/canary@north.test');
    const { requests } = await service.core.readDirectory({ organization: { id: directory.id } });
    assert.equal(requests.length, 7);
    const seen = JSON.stringify([requests, service.lines, service.reports]);
    assert.ok(!/canary/i.test(seen), seen.slice(0, 3000));
    assert.ok(!seen.includes(directory.token));
  });
});
