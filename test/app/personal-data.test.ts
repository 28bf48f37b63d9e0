import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run, startOnTerminal, terminal } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';

const cwd = folderForAll();

const email = 'dana-to-erase@example.test';

async function succeed(...args: readonly string[]) {
  const { code, stdout, stderr } = await run(args, { cwd });
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

async function json(...args: readonly string[]) {
  return JSON.parse((await succeed(...args, '--json')).stdout);
}

/** An organization whose only owner is the person. Returns its number. */
async function createOwner(): Promise<number> {
  const { id } = await json('organization', 'create', '--name', 'Northwind');
  await json('user', 'create', '--email', email, '--first-name', 'Dana', '--last-name', 'Quixote');
  await json('member', 'add', '--organization', String(id), '--email', email, '--role', 'owner');
  return id;
}

describe('user data and user erase', () => {
  test('hand out everything and remove it, also from the file', async () => {
    const id = await createOwner();
    const data = await json('user', 'data', '--email', email.toUpperCase());
    assert.deepEqual([data.account.email, data.account.has_password, data.emails], [email, false, [email]]);
    const [membership] = data.memberships;
    assert.deepEqual([membership.organization, membership.role], [{ id, name: 'Northwind' }, 'owner']);
    assert.equal(data.audit_entries[0].subject, `${email}: owner`);
    assert.ok(!JSON.stringify(data).includes('hash'));

    await succeed('user', 'data', '--uuid', data.account.uuid, '-o', 'dana.json');
    const file = join(cwd, 'dana.json');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), data);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const again = await run(['user', 'data', '--email', email, '-o', 'dana.json'], { cwd });
    assert.deepEqual([again.code, /^dana\.json already exists: /.test(again.stderr)], [1, true]);

    const dry = await json('user', 'erase', '--email', email, '--dry-run');
    assert.deepEqual([dry.dry_run, dry.organizations, dry.without_owner], [true, [id], [id]]);
    assert.deepEqual([dry.counts.accounts, dry.counts.memberships, dry.counts.sessions], [1, 1, 0]);
    const refused = await run(['user', 'erase', '--email', email, '--yes'], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`This is the last owner of organization ${id}\\.`));

    const erased = await succeed('user', 'erase', '--email', email, '--yes', '--force');
    assert.match(erased.stderr, new RegExp(`Organization ${id} has no owner any more\\.`));
    assert.match(erased.stdout, /^memberships +1$/m);
    assert.equal((await run(['user', 'data', '--email', email], { cwd })).code, 1);
    const bytes = readFileSync(join(cwd, 'data', 'rollcall.db'));
    for (const text of [email, 'Quixote', data.account.uuid]) assert.ok(!bytes.includes(text), text);
    const { activity } = await json('organization', 'activity', '--organization', String(id));
    assert.ok(!JSON.stringify(activity).includes(email));
    await succeed('prune', '--compact');
  });

  test(`asks on a terminal (${terminal})`, async (context) => {
    const person = `${terminal}-${email}`;
    await json('user', 'create', '--email', person, '--first-name', 'Dana', '--last-name', 'Kim');
    // Ctrl+C and Ctrl+D. Pipes that imitate a terminal stay open after them.
    const noes = terminal === 'script' ? ['\u0003', '\u0004'] : ['no\r'];
    for (const [text, code, result] of [
      ...noes.map((no) => [no, 1, /Nothing was erased\./] as const),
      ['yes\r', 0, /Erased\./],
    ] as const) {
      const prompt = startOnTerminal(['user', 'erase', '--email', person], cwd);
      context.after(() => prompt.stop('SIGKILL'));
      await prompt.see(/Type yes to erase: /);
      prompt.child.stdin?.write(text);
      const ended = await prompt.ended;
      assert.equal(ended.code, code, ended.stdout);
      assert.match(ended.stdout, result);
      assert.doesNotMatch(ended.stdout, /Unexpected error/);
    }
    assert.equal((await run(['user', 'data', '--email', person], { cwd })).code, 1);

    const { id } = await json('organization', 'create', '--name', 'Kept');
    const named = ['--organization', String(id)];
    const prompt = startOnTerminal(['organization', 'remove', ...named], cwd);
    context.after(() => prompt.stop('SIGKILL'));
    await prompt.see(/Type yes to remove: /);
    prompt.child.stdin?.write('no\r');
    const ended = await prompt.ended;
    assert.equal(ended.code, 1, ended.stdout);
    assert.match(ended.stdout, /Nothing was removed\./);
    await succeed('organization', 'activity', ...named);
  });
});
