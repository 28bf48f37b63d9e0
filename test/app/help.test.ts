import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { rollcall, run } from '../support/app-cli.js';
import { commands, groups } from '../support/command-names.js';
import { folderForAll } from '../support/folders.js';

const cwd = folderForAll();

describe('The command', () => {
  test('can be executed, as npx does, after every build', async () => {
    // Printed from a file, and as the program prints it.
    for (const option of ['--version', '-V', '--help', '-h']) {
      const { stdout } = await run([option], { cwd });
      assert.equal(execFileSync(rollcall, [option], { cwd }).toString(), stdout);
      const byName = [rollcall.replace('.cjs', '.js'), option];
      assert.equal(execFileSync(process.execPath, byName, { cwd }).toString(), stdout);
    }
  });
});

describe('Help', () => {
  test('is tested for every command', () => {
    assert.deepEqual(commands, [
      'serve',
      'demo',
      'migrate',
      'import',
      'copy',
      'keys',
      'prune',
      'sample',
      'deliveries list',
      'deliveries show',
      'deliveries redeliver',
      'deliveries release',
      'deliveries hold',
      'organization create',
      'organization list',
      'organization rename',
      'organization remove',
      'organization activity',
      'sign-on off',
      'access-key generate',
      'user create',
      'user set-password',
      'user end-sessions',
      'user second-factor remove',
      'user set-email',
      'user set-name',
      'user data',
      'user erase',
      'member add',
      'member list',
      'member set',
      'member change-role',
      'member remove',
      'configuration',
      'completion',
    ]);
    assert.deepEqual(groups, [
      ...['deliveries', 'organization', 'sign-on', 'access-key', 'user', 'user second-factor', 'member'],
    ]);
  });

  test('names every command', async () => {
    const { code, stdout, stderr } = await run(['--help'], { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    for (const command of commands) assert.match(stdout, new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'));
  });

  for (const command of commands) {
    test(`of ${command} has an example, and --json`, async () => {
      const { code, stdout, stderr } = await run([...command.split(' '), '--help'], { cwd });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /Examples?:\n {2}\$ /);
      assert.ok(stdout.includes(`rollcall ${command}`));
      assert.match(stdout, /^ {2}--json /m);
    });
  }

  test('prints the version', async () => {
    const { code, stdout } = await run(['--version'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
