import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { withCodes } from '#core/testing/new-second-factor.js';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { linesOf, rollcall, run, shell, startOnTerminal } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';

const cwd = folderForAll();

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await run([...args, '--json'], { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(linesOf(stdout).length, 1);
  return JSON.parse(stdout);
}

describe('The commands', () => {
  test('create an organization, its access key, a user and a member, and print one JSON document each', async () => {
    const organization = await json('organization', 'create', '--name', 'Øresund "Harbour" 希望', '--eap');
    assert.deepEqual(organization, {
      id: organization.id,
      name: 'Øresund "Harbour" 希望',
      eap: true,
      access_key: false,
    });

    const inOrganization = ['--organization', String(organization.id)];
    const key = await json('access-key', 'generate', ...inOrganization);
    assert.deepEqual(Object.keys(key), ['organization_id', 'access_key']);
    assert.match(key.access_key, /^\d{24}$/);

    const { organizations } = await json('organization', 'list');
    assert.deepEqual(organizations.at(-1), { ...organization, access_key: true });

    const named = ['--first-name', 'Dana', '--last-name', 'Kim'];
    const user = await json('user', 'create', '--email', 'Dana@Example.test', ...named);
    assert.deepEqual(user, {
      id: user.id,
      uuid: user.uuid,
      email: 'dana@example.test',
      first_name: 'Dana',
      last_name: 'Kim',
    });

    const add = ['member', 'add', ...inOrganization, '--email', 'dana@example.test', '--role'];
    const member = await json(...add, 'owner', '--idp-id', 'x-1');
    assert.deepEqual(member, {
      organization_id: organization.id,
      uuid: user.uuid,
      email: 'dana@example.test',
      role: 'owner',
      idp_id: 'x-1',
    });

    const again = await run([...add, 'member'], { cwd });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is a member of .* already/);
  });

  test('rename and remove an organization', async () => {
    const { id } = await json('organization', 'create', '--name', 'Befor');
    const named = ['--organization', String(id)];
    const renamed = await json('organization', 'rename', ...named, '--name', 'After');
    assert.deepEqual(renamed, { id, name: 'After', eap: false, access_key: false });
    const told = await run(['organization', 'rename', ...named, '--name', 'Later'], { cwd });
    const same = await run(['organization', 'create', '--name', 'Later'], { cwd });
    assert.match(same.stderr, new RegExp(`^Note: another organization has this name: ${id}\\.$`, 'm'));
    assert.deepEqual([told.code, told.stderr], [0, `Organization ${id} is now called Later.\n`]);
    const { activity } = await json('organization', 'activity', ...named);
    const first = [activity[0].who, activity[0].action, activity[0].subject];
    assert.deepEqual(first, ['command-line', 'organization-renamed', 'After → Later']);

    const person = ['--email', 'only@here.test'];
    await json('user', 'create', ...person, '--first-name', 'O', '--last-name', 'H');
    await json('member', 'add', ...named, ...person, '--role', 'owner');
    await json('access-key', 'generate', ...named);
    const meeting = { kind: 'meeting', id: 4711, organization_id: id, name: 'M', meeting_type: 'Group' };
    const times = { start_time: '2026-11-20T18:00:00Z', duration: 60, status: 'scheduled', location: 'zoom' };
    writeFileSync(join(cwd, 'meeting.ndjson'), `${JSON.stringify({ ...meeting, ...times })}\n`);
    await json('import', 'meeting.ndjson');

    const dry = await json('organization', 'remove', ...named, '--dry-run');
    const { members, meetings, access_keys, audit_entries, ...others } = dry.counts;
    assert.deepEqual([members, meetings, access_keys, audit_entries], [1, 1, 1, 5]);
    assert.deepEqual(new Set(Object.values(others)), new Set([0]));
    assert.deepEqual(
      { ...dry, counts: 0 },
      { dry_run: true, id, name: 'Later', counts: 0, members_without_another: 1 },
    );
    const removed = await run(['organization', 'remove', ...named, '--yes'], { cwd });
    assert.equal(removed.code, 0, removed.stderr);
    assert.match(
      removed.stderr,
      new RegExp(
        `^Removes organization ${id}, Later:\n1 member without another organization\\. Their accounts stay\\.\nRemoved\\.\n$`,
      ),
    );
    assert.match(removed.stdout, /^meetings +1$/m);
    const again = await run(['organization', 'remove', ...named, '--yes'], { cwd });
    assert.deepEqual([again.code, again.stderr], [1, `There is no organization ${id}\n`]);
    assert.match(
      (await run(['user', 'data', ...person], { cwd })).stdout,
      /"account": \{\n.*"email": "only@here\.test"/s,
    );
    assert.notEqual((await json('organization', 'create', '--name', 'Next')).id, id);
  });

  test('change members, and record each change in the audit trail', async () => {
    const { id } = await json('organization', 'create', '--name', 'People');
    const inOrganization = ['--organization', String(id)];
    for (const [name, role] of [
      ['olga', 'owner'],
      ['adam', 'member'],
    ] as const) {
      const email = `${name}@people.test`;
      await json('user', 'create', '--email', email, '--first-name', name, '--last-name', 'P');
      await json('member', 'add', ...inOrganization, '--email', email, '--role', role);
    }
    await json('access-key', 'generate', ...inOrganization);
    const last = await run(['member', 'remove', ...inOrganization, '--email', 'olga@people.test'], { cwd });
    assert.deepEqual([last.code, last.stdout], [1, '']);
    assert.match(last.stderr, /^This is the last owner/);
    const unknown = await run(['member', 'remove', ...inOrganization, '--email', 'eve@people.test'], { cwd });
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'email: there is no user eve@people.test\n']);

    const adam = ['--email', 'Adam@People.test'];
    const changed = await json('member', 'change-role', ...inOrganization, ...adam, '--role', 'admin');
    assert.deepEqual(changed, { email: 'adam@people.test', role: 'admin' });
    const set = await json('member', 'set', ...inOrganization, ...adam, '--idp-id', 'nw 1');
    assert.deepEqual(set, { email: 'adam@people.test', uuid: set.uuid, idp_id: 'nw 1' });
    const named = await json('user', 'set-name', ...adam, '--first-name', 'Adam', '--last-name', 'Park');
    assert.deepEqual([named.first_name, named.last_name, named.email], ['Adam', 'Park', 'adam@people.test']);
    const listed = await json('member', 'list', ...inOrganization);
    const [, second] = listed.members;
    assert.deepEqual(second, {
      ...{ id: second.id, email: 'adam@people.test', first_name: 'Adam', last_name: 'Park' },
      ...{ role: 'admin', uuid: set.uuid, idp_id: 'nw 1' },
      has_password: false,
    });
    assert.equal(typeof second.id, 'number');
    const olga = ['--email', 'olga@people.test'];
    const taken = await run(['member', 'set', ...inOrganization, ...olga, '--idp-id', 'nw 1'], { cwd });
    assert.deepEqual([taken.code, taken.stderr], [1, 'idp-id belongs to another member: adam@people.test\n']);
    const table = await run(['member', 'list', ...inOrganization], { cwd });
    assert.match(table.stdout, /^Email +Name +Role +Password +UUID +IdP ID +User ID\n/);
    assert.ok(table.stdout.includes(`${set.uuid}  nw 1    ${second.id}\n`), table.stdout);
    const none = await run(['member', 'set', ...inOrganization, ...adam, '--no-idp-id'], { cwd });
    assert.deepEqual([none.code, none.stderr], [0, 'adam@people.test has no idp_id in People now.\n']);
    assert.deepEqual(
      (await run(['member', 'set', ...inOrganization, '--email', 'eve@people.test', '--no-idp-id'], { cwd }))
        .stderr,
      'email: there is no user eve@people.test\n',
    );
    assert.deepEqual(
      listed.members.map((member: Readonly<Record<string, unknown>>) => [member.email, member.role]),
      [
        ['olga@people.test', 'owner'],
        ['adam@people.test', 'admin'],
      ],
    );
    const removed = await run(['member', 'remove', ...inOrganization, ...adam], { cwd });
    assert.deepEqual([removed.code, removed.stdout], [0, '']);
    assert.equal(removed.stderr, 'adam@people.test is no longer a member of People.\n');

    const { activity } = await json('organization', 'activity', ...inOrganization);
    assert.deepEqual(
      activity.map(({ who, action, subject }: Readonly<Record<string, unknown>>) => [who, action, subject]),
      [
        ['command-line', 'member-removed', 'adam@people.test'],
        ['command-line', 'idp-id-set', 'adam@people.test: nw 1 → none'],
        ['command-line', 'name-changed', 'adam@people.test: adam P → Adam Park'],
        ['command-line', 'idp-id-set', 'adam@people.test: none → nw 1'],
        ['command-line', 'role-changed', 'adam@people.test: member → admin'],
        ['command-line', 'access-key-generated', null],
        ['command-line', 'member-added', 'adam@people.test: member'],
        ['command-line', 'member-added', 'olga@people.test: owner'],
        ['command-line', 'organization-created', 'People'],
      ],
    );
    const shown = await run(['organization', 'activity', ...inOrganization], { cwd });
    assert.match(shown.stdout, /^Time +Who +From +Action +Subject\n.*command-line .*member-removed/s);
    const people = await run(['member', 'list', ...inOrganization], { cwd });
    assert.match(people.stdout, /^Email +Name +Role .*\nolga@people.test +olga P +owner +no +\S+ +– +\d+\n$/);
  });

  test('remove the second factor of a user, with the sessions of their password', async () => {
    const { id } = await json('organization', 'create', '--name', 'Second factor');
    const [email, organization] = ['lost@people.test', ['--organization', String(id)]];
    await json('user', 'create', '--email', email, '--first-name', 'Lo', '--last-name', 'St');
    await json('member', 'add', ...organization, '--email', email, '--role', 'admin');
    const remove = ['user', 'second-factor', 'remove', '--email', email];
    const without = await run(remove, { cwd });
    assert.deepEqual(
      [without.code, without.stderr],
      [1, 'There is no such second factor; nothing was changed\n'],
    );
    const database = await openDatabase(join(cwd, 'data', 'rollcall.db'));
    const storage = sqlPorts(database);
    const user = (await storage.users.byEmail(email)) ?? assert.fail();
    const session = { userId: user.id, boundTo: null, createdAt: new Date(), passwordHash: null };
    await storage.sessions.create({ ...session, hash: 'session' });
    await withCodes(storage, user.id, 'session');
    assert.deepEqual(await json(...remove), { email });
    assert.equal(await storage.sessions.find('session'), null);
    assert.equal((await storage.secondFactors.of(user.id)).code, null);
    await withCodes(storage, user.id);
    const again = await run(remove, { cwd });
    assert.deepEqual(
      [again.code, again.stderr],
      [0, `Removed the second factor of ${email} and ended the sessions of their password.\n`],
    );
    await database.close();
    const { activity } = await json('organization', 'activity', ...organization);
    assert.deepEqual(
      activity
        .slice(0, 2)
        .map(({ who, action, subject }: Readonly<Record<string, unknown>>) => [who, action, subject]),
      Array(2).fill(['command-line', 'second-factor-removed', `${email}: everything`]),
    );
  });

  test('turn the sign-on of an organization off, whose settings stay', async () => {
    const { id } = await json('organization', 'create', '--name', 'Signed on');
    const off = ['sign-on', 'off', '--organization', String(id)];
    const without = await run(off, { cwd });
    assert.deepEqual([without.code, without.stderr], [1, 'This organization has no sign-on\n']);
    const database = await openDatabase(join(cwd, 'data', 'rollcall.db'));
    const { signOns } = sqlPorts(database);
    await signOns.save(id, () => aSignOn({ isRequired: true }));
    assert.deepEqual(await json(...off), {
      organization_id: id,
      issuer: 'https://idp.example',
      is_on: false,
    });
    const again = await run(off, { cwd });
    assert.deepEqual(
      [again.code, again.stderr],
      [0, 'Sign-on of Signed on at https://idp.example is off.\n'],
    );
    const { isOn, isRequired, encryptedSecret } = (await signOns.of(id)) ?? assert.fail();
    assert.deepEqual([isOn, isRequired, encryptedSecret], [false, false, 'sealed']);
    await database.close();
    const { activity } = await json('organization', 'activity', '--organization', String(id));
    assert.deepEqual(
      activity.map(({ who, action, subject }: Readonly<Record<string, unknown>>) => [who, action, subject]),
      [
        ['command-line', 'sign-on-configured', 'turned off'],
        ['command-line', 'organization-created', 'Signed on'],
      ],
    );
  });

  test('print data to standard output and messages to standard error', async () => {
    const created = await run(['organization', 'create', '--name', 'Quiet'], { cwd });
    assert.match(created.stdout, /^\d+\n$/);
    assert.match(created.stderr, /Created organization Quiet/);
    const key = await run(['access-key', 'generate', '--organization', created.stdout.trim()], { cwd });
    assert.match(key.stdout, /^\d{24}\n$/);
    assert.match(key.stderr, /shown only once; the old key and its tokens no longer work\.$/m);
    const next = ['access-key', 'generate', '--organization', created.stdout.trim(), '--keep-old-hours'];
    assert.match(
      (await run([...next, '1'], { cwd })).stderr,
      /the old key and its tokens work until 20\d\d-[^ ]*Z\.\n$/,
    );
    assert.match(
      (await run([...next, '2'], { cwd })).stderr,
      /work until .*Z\.\nThe key before the old one was kept until 20\d\d-.*Z\. It and its tokens no longer work\.$/m,
    );
    assert.match(
      (await run([...next.slice(0, 2), '--help'], { cwd })).stdout,
      /kept earlier stops\s+working at once/,
    );
    const { old_key_ends_at: endsAt } = JSON.parse((await run([...next, '168', '--json'], { cwd })).stdout);
    assert.ok(Math.abs(Date.parse(endsAt) - Date.now() - 168 * 3_600_000) < 60_000);
    const listed = await run(['organization', 'list'], { cwd });
    assert.match(listed.stdout, /^ID +Name +EAP +Access key\n/);
    assert.equal(listed.stderr, '');
  });

  test('print coloured tables with FORCE_COLOR and plain ones with NO_COLOR', async () => {
    const plain = await run(['organization', 'list'], { cwd, env: { NO_COLOR: '1' } });
    const coloured = await run(['organization', 'list'], { cwd, env: { FORCE_COLOR: '1' } });
    assert.ok(!plain.stdout.includes('\u001b['));
    assert.ok(coloured.stdout.includes('\u001b['));
  });

  test('read a password from standard input, and report the result', async () => {
    await run(['user', 'create', '--email', 'pass@example.test', '--first-name', 'P', '--last-name', 'W'], {
      cwd,
    });
    const set = (input: string | Uint8Array) =>
      run(['user', 'set-password', '--email', 'pass@example.test', '--json'], { cwd, input });
    const good = await set('correct horse battery\n');
    assert.deepEqual([good.code, JSON.parse(good.stdout)], [0, { email: 'pass@example.test' }]);
    assert.ok(!good.stderr.includes('horse'));
    const short = await set('short\n');
    assert.deepEqual([short.code, short.stderr], [1, 'password must have at least 8 characters\n']);
    // Also as Windows writes it: with a byte order mark, or in UTF-16.
    for (const input of ['Sunshine\n', '\ufeffSunshine\r\n', Buffer.from('\ufeffSunshine\r\n', 'utf16le')]) {
      const common = await set(input);
      assert.deepEqual([common.code, common.stderr], [1, 'password is too common: choose another\n']);
    }
    const twoLines = await set('first line\nsecond line\n');
    assert.deepEqual([twoLines.code, twoLines.stderr], [1, 'password: standard input must be one line.\n']);
    const unknown = await run(['user', 'set-password', '--email', 'nobody@example.test'], {
      cwd,
      input: 'long enough\n',
    });
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'email: there is no user nobody@example.test\n']);
  });

  test('end the sessions of a user, or of all users', async () => {
    const person = ['--email', 'ended@example.test', '--first-name', 'E', '--last-name', 'D'];
    await run(['user', 'create', ...person], { cwd });
    const end = (...options: string[]) => run(['user', 'end-sessions', ...options], { cwd });
    const one = await end('--email', 'Ended@example.test', '--json');
    assert.deepEqual([one.code, JSON.parse(one.stdout)], [0, { email: 'ended@example.test', ended: 0 }]);
    const all = await end('--all', '--json');
    assert.deepEqual([all.code, JSON.parse(all.stdout)], [0, { email: null, ended: 0 }]);
    const told = await end('--email', 'ended@example.test');
    assert.deepEqual(
      [told.code, told.stderr],
      [0, 'Ended 0 sessions of ended@example.test. They can sign in again.\n'],
    );
  });

  test('list the applied migrations, then report that the database is up to date', async () => {
    const env = { DATABASE_URL: 'sqlite:fresh.db' };
    const first = await run(['migrate', '--json'], { cwd, env });
    const second = await run(['migrate', '--json'], { cwd, env });
    assert.match(JSON.parse(first.stdout).applied[0], /^0001-/);
    assert.deepEqual(JSON.parse(second.stdout), { database: 'sqlite:fresh.db', applied: [] });
    const third = await run(['migrate'], { cwd, env });
    assert.deepEqual([third.stdout, third.stderr], ['', 'sqlite:fresh.db is up to date.\n']);
  });

  test('create the schema of a new database, whichever command comes first', async () => {
    const env = { DATABASE_URL: 'sqlite:first.db' };
    const { code, stdout } = await run(['organization', 'create', '--name', 'First', '--json'], { cwd, env });
    assert.deepEqual([code, JSON.parse(stdout).id], [0, 1_000_000_000_001]);
  });

  test('exit with 0 if the reader of their output stops reading', async () => {
    writeFileSync(
      join(cwd, 'many.ndjson'),
      Array.from(
        { length: 3000 },
        (_, index) =>
          `{"kind":"organization","id":${index + 100},"name":"Organization ${index} ${'x'.repeat(200)}"}\n`,
      ).join(''),
    );
    assert.equal((await run(['import', 'many.ndjson'], { cwd })).code, 0);
    const piped = (args: string, reader: string) =>
      shell(`("${process.execPath}" "${rollcall}" ${args}; echo "exit $?" >&2) | ${reader}`, cwd);
    const listed = await piped('organization list', 'head -n 1');
    assert.equal(listed.stderr, 'exit 0\n');
    assert.match(listed.stdout, /^ID +Name/);
    for (const args of ['sample --meetings 20000', '--help']) {
      const unread = await piped(args, 'head -c 0');
      assert.deepEqual([unread.stdout, unread.stderr], ['', 'exit 0\n'], args);
    }
  });

  test('finish and exit with their own code if the reader of their output stops reading', async () => {
    const unread = (args: string, redirection = '') =>
      shell(
        `("${process.execPath}" "${rollcall}" ${args} ${redirection}; echo "exit $?" >&3) 3>&2 2>&1 | head -c 0`,
        cwd,
      );
    writeFileSync(join(cwd, 'bad.ndjson'), '{"kind":"organization"}\n');
    assert.equal((await unread('import bad.ndjson')).stderr, 'exit 1\n');
    writeFileSync(join(cwd, 'good.ndjson'), '{"kind":"organization","id":90001,"name":"Unread"}\n');
    assert.equal((await unread('import good.ndjson')).stderr, 'exit 0\n');
    const { stdout } = await run(['organization', 'list', '--json'], { cwd });
    assert.match(stdout, /"Unread"/);
    if (existsSync('/dev/full'))
      assert.equal(
        (await shell(`"${process.execPath}" "${rollcall}" organization list > /dev/full`, cwd)).code,
        1,
      );
  });

  describe('on a terminal', () => {
    test('a password is prompted for twice and never shown', { timeout: 240_000 }, async (context) => {
      await run(['user', 'create', '--email', 'tty@example.test', '--first-name', 'T', '--last-name', 'Y'], {
        cwd,
      });
      const answer = async (first: string, second: string) => {
        const prompt = startOnTerminal(['user', 'set-password', '--email', 'tty@example.test'], cwd);
        context.after(() => prompt.stop('SIGKILL'));
        await prompt.see(/New password: /);
        prompt.child.stdin?.write(`${first}\r`);
        await prompt.see(/Repeat password: /);
        prompt.child.stdin?.write(`${second}\r`);
        return prompt.ended;
      };
      const set = await answer('correct horse', 'correct horse');
      assert.equal(set.code, 0, set.stdout);
      assert.match(set.stdout, /Changed the password of tty@example\.test/);
      assert.ok(!set.stdout.includes('horse'));
      const differs = await answer('correct horse', 'correct house');
      assert.equal(differs.code, 1);
      assert.match(differs.stdout, /The passwords do not match\. Nothing was changed\./);
    });

    test('an import shows a progress bar', async () => {
      writeFileSync(join(cwd, 'one.ndjson'), '{"kind":"organization","id":50,"name":"Fifty"}\n');
      const { code, stdout } = await startOnTerminal(['import', 'one.ndjson'], cwd).ended;
      assert.equal(code, 0, stdout);
      assert.match(stdout, /░ 0%/);
      assert.match(stdout, /organization +1 stored/);
    });
  });
});
