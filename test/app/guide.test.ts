import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openapi } from '@rollcall/contracts';
import { readApiFacts } from '#adapters/express/pages/docs/api-facts.js';
import { guideAnswers } from '#adapters/express/pages/docs/guide-text.js';
import { receivers } from '#adapters/express/pages/docs/receivers.js';
import { curl, freePort, type Running, start, temporaryDirectory } from '../support/app-cli.js';
import {
  answersOf,
  checkReceiver,
  examplesIn,
  isAnswer,
  isInstalled,
  readGuide,
  runCommands,
  runtimes,
} from '../support/guide-examples.js';
import { root } from '../support/packing.js';
import { plainText } from '../support/page/client.js';

const guideText = readFileSync(join(root, 'adapters/express/pages/docs/guide.md'), 'utf8');

describe('The guide', () => {
  const directory = temporaryDirectory();
  let demo: Running;
  let url: string;
  let pages: readonly string[];
  let page: string;
  let examples: ReadonlyMap<string, string>;
  let outputs: Readonly<Record<string, string>>;

  before(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    demo = start(['demo'], { cwd: directory.path, env: { PORT: String(port) } });
    await demo.see(/\n/);
    pages = await readGuide(url);
    page = pages.join('\n');
    examples = examplesIn(page);
  });
  after(async () => {
    await demo.discard();
    directory.remove();
  });

  test('shows every command and every receiver once, with a button to copy it and the address filled in', () => {
    const ids = [
      ...[...guideText.matchAll(/^```sh (\S+)/gm)].map(([, id]) => `shell-${id}`),
      ...receivers('Rollcall').map(({ language }) => `receiver-code-${language}`),
    ];
    assert.deepEqual([...examples.keys()].sort(), [...ids].sort());
    assert.deepEqual(
      ids.filter((id) => !page.includes(`data-copy="${id}"`)),
      [],
    );
    assert.equal(
      examples.get('shell-given'),
      `API=${url}/api/v2\nORGANIZATION=1\nACCESS_KEY=${'1'.repeat(24)}`,
    );
  });

  test(`its commands work with the demo exactly as printed, one after the other (${curl})`, async () => {
    outputs = await runCommands(pages, directory.path);
    const answer = (id: string) => JSON.parse(outputs[id] ?? '');
    assert.equal(answer('invite').user.email, 'ada@example.test');
    assert.equal(answer('users').users.length, 3);
    assert.deepEqual(
      answer('invite-many').results.map(({ status }: { status: string }) => status),
      ['created', 'created'],
    );
    assert.equal(answer('invitations').invitations.length, 3);
    const { invitation } = answer('renew');
    assert.deepEqual([invitation.last_name, invitation.idp_id], ['Hopper', 'grace']);
    const people = (outputs['every-person'] ?? '').split('\n').flatMap((line) => JSON.parse(line).users);
    assert.ok(people.length > 100, 'several pages');
    assert.equal(new Set(people.map(({ id }) => id)).size, people.length);
    assert.equal(answer('set-idp-id').user.idp_id, 'E-1001');
    assert.deepEqual(answer('by-idp-id').users, [answer('set-idp-id').user]);
    const failed: readonly { readonly state: string }[] = answer('failures').deliveries;
    assert.ok(failed.length > 0 && failed.every(({ state }) => state === 'failed'));
    assert.ok(answer('redeliver').count >= failed.length);
    assert.equal(answer('upcoming').meetings.length, 3);
    assert.ok(answer('login').otl_url.startsWith(`${url}/login/`));
    assert.deepEqual(Object.keys(answer('export').meetings[0]), ['name', 'start_time']);
    assert.match(answer('webhook').webhook.secret, /^whsec_[\w+/]{43}=$/);
    assert.notEqual(answer('rotate').webhook.secret, answer('webhook').webhook.secret);
    assert.ok(Date.parse(answer('rotate').rotation.ends_at) > Date.now());
    assert.equal(answer('finish').webhook.id, answer('webhook').webhook.id);
    assert.equal(answer('feed').success, true);
    assert.deepEqual([answer('following').events, answer('following').has_more], [[], false]);
    assert.equal(answer('range').success, true);
    assert.deepEqual([answer('page').metadata.page, answer('page').meetings.length], [2, 100]);
    const whole = JSON.parse(readFileSync(join(directory.path, 'meetings.json'), 'utf8'));
    const statuses = new Set(whole.meetings.map(({ status }: { readonly status: string }) => status));
    for (const status of ['cancel', 'complete', 'scheduled']) assert.ok(statuses.has(status), status);
    assert.ok(whole.meetings.length > answer('page').metadata.total_count);
    const csv = readFileSync(join(directory.path, 'meetings.csv'), 'utf8');
    assert.ok(csv.startsWith('\ufeff"Name","Start Time","Host"\r\n"'), csv.slice(0, 99));
    assert.equal(csv.split('\r\n').length, answer('page').metadata.total_count + 2);
    const [copied, changed] = ['meetings', 'changes'].map((name) =>
      readFileSync(join(directory.path, `${name}.ndjson`), 'utf8'),
    );
    assert.equal(copied?.split('\n').length, whole.meetings.length + 1);
    // The demo has stored all meetings at once.
    assert.equal(changed, copied);
    const changes = (outputs['first-changes'] ?? '').split('\n').map((line) => JSON.parse(line));
    assert.ok(changes.length > 1, 'several pages');
    const ids = changes.flatMap(({ changes }) => changes.map(({ id }: { readonly id: number }) => id));
    assert.deepEqual([ids.length, new Set(ids).size], [whole.meetings.length, whole.meetings.length]);
    const later = answer('later-changes');
    assert.deepEqual([later.changes, later.next, later.has_more], [[], changes.at(-1).next, false]);
    assert.equal(answer('columns').columns.length, 20);
    assert.match(outputs.code ?? '', /^x-error-code: unauthorized-access$/i);
    assert.deepEqual(answer('events').available_events, ['user.registered']);
  });

  test('shows below each command what it answers (TEST_RECORD_ANSWERS=1 records that again)', () => {
    const answers = answersOf(outputs, { url, cwd: directory.path });
    if (process.env.TEST_RECORD_ANSWERS !== undefined) {
      const lines = Object.entries(answers).map((entry) =>
        entry.map((part) => JSON.stringify(part)).join(': '),
      );
      writeFileSync(
        join(root, 'adapters/express/pages/docs/guide-answers.json'),
        `{\n${lines.join(',\n')}\n}\n`,
      );
      return;
    }
    assert.deepEqual(Object.keys(guideAnswers), Object.keys(answers));
    for (const [id, answer] of Object.entries(answers))
      assert.ok(isAnswer(id, guideAnswers[id], answer), `${id}: ${JSON.stringify(answer)}`);
    assert.equal(guideAnswers.csv?.lines?.[0], '"Name","Start Time","Host"');
    const figures = [...page.matchAll(/<figure class="answer">.*?<code>([^<]*)<\/code>/gs)];
    const shown = figures.map(([, text = '']) => plainText(text));
    assert.ok(shown.some((text) => text.includes(`"otl_url": "${url}/login/…"`)));
    assert.doesNotMatch(shown.join('\n'), /whsec_\w|eyJ\w{6}|\{\{/);
    // Pages with commands begin with the one that gets a token, the first but one time after another.
    const withCommands = pages.filter((text) => text.includes('<figure class="answer">'));
    assert.equal(shown.length, Object.keys(answers).length + withCommands.length - 1);
  });

  test('would not show what a command does not answer', () => {
    const webhook = guideAnswers.webhook ?? {};
    const changed = (from: string, to: string) => JSON.parse(JSON.stringify(webhook).replace(from, to));
    assert.ok(isAnswer('webhook', webhook, changed('"whsec_…"', '"whsec_…"')));
    for (const [from, to] of [
      ['"secret"', '"signing_secret"'],
      ['true', 'false'],
      ['"enabled":true,', ''],
      ['user.registered', 'user.joined'],
    ] as const)
      assert.ok(!isAnswer('webhook', webhook, changed(from, to)), from);
    const { upcoming = {} } = guideAnswers;
    assert.ok(
      !isAnswer('upcoming', upcoming, JSON.parse(JSON.stringify(upcoming).replace('start_time', 'starts'))),
    );
  });

  for (const receiver of receivers('Rollcall')) {
    test(`its receiver in ${receiver.language} accepts only signed requests`, async (context) => {
      assert.equal(examples.get(`receiver-code-${receiver.language}`), receiver.code);
      assert.ok(page.includes(`${receiver.file}, run with: WEBHOOK_SECRET='whsec_…' `));
      if (receiver.language === 'Node-RED') return context.diagnostic('run by the peers');
      if (!(await isInstalled(receiver.language))) {
        const { debianPackage } = runtimes[receiver.language];
        context.diagnostic(
          `not run: ${receiver.language} is not installed here (Debian: ${debianPackage}); the soak run requires it`,
        );
        return;
      }
      await checkReceiver(receiver, directory.path);
      context.diagnostic(`run with ${receiver.language}`);
    });
  }

  test('its receivers compare in constant time, and read the header named after the service', () => {
    const compare =
      /timingSafeEqual\(|compare_digest\(|secure_compare\(|hash_equals\(|hmac\.Equal\(|MessageDigest\.isEqual\(|\|= ord\(/;
    for (const { language, code } of receivers('Acme Care')) {
      assert.match(code, compare, language);
      assert.match(code, /x-acme-care-signature|http_x_acme_care_signature/i, language);
      assert.doesNotMatch(code, /x.service/i, language);
    }
  });

  test('lists every error code with its status in the contract', () => {
    const document = openapi();
    const { errors } = readApiFacts(document);
    const listed = errors.map(({ code }) => code);
    assert.deepEqual([...listed].sort(), [...new Set(listed)].sort());
    assert.deepEqual([...listed].sort(), [...enumOf(document, 'ErrorCode')].sort());
    assert.deepEqual(
      errors.map(({ code, status }) => `${status} ${code}`).sort(),
      [...new Set(answeredCodes(document))].sort(),
    );
  });

  test('lists every column, preset and report type of the contract', () => {
    for (const name of ['Column', 'ReportingDays', 'ReportType']) {
      const values = enumOf(openapi(), name);
      assert.ok(values.length > 0);
      for (const value of values) assert.ok(page.includes(`<code>${value}</code>`), value);
    }
    assert.ok(page.includes('<code>group_leader</code>'));
  });

  test('is not generated from a document with a value that it does not explain', () => {
    const unexplainedCode = openapi();
    enumOf(unexplainedCode, 'ErrorCode').push('no-such-code');
    assert.throws(() => readApiFacts(unexplainedCode), /does not explain no-such-code/);
    const unexplainedPreset = openapi();
    enumOf(unexplainedPreset, 'ReportingDays').push('next_year');
    assert.throws(() => readApiFacts(unexplainedPreset), /does not explain next_year/);
    const unknownColumn = openapi();
    enumOf(unknownColumn, 'Column').push('seats');
    assert.throws(() => readApiFacts(unknownColumn), /no column seats/);
  });
});

/** The list in the document itself: changing it changes the document. */
function enumOf(document: ReturnType<typeof openapi>, schema: string): string[] {
  return (document.components.schemas?.[schema]?.enum ?? []) as string[];
}

interface Answer {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly schema?: { const?: string; enum?: string[] } }>>;
}

/** `401 not-authorized` for every status and code that an answer of the document can have. */
function answeredCodes(document: ReturnType<typeof openapi>): readonly string[] {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const answering = [...operations, document['x-any-path']] as {
    readonly responses?: Readonly<Record<string, Answer>>;
  }[];
  return answering.flatMap(({ responses = {} }) =>
    Object.entries(responses).flatMap(([status, answer]) => {
      const name = answer.$ref?.split('/').at(-1);
      const whole = (name === undefined ? answer : document.components.responses?.[name]) as Answer;
      const schema = whole.headers?.['X-Error-Code']?.schema;
      return [...(schema?.enum ?? []), ...(schema?.const === undefined ? [] : [schema.const])].map(
        (code) => `${status} ${code}`,
      );
    }),
  );
}
