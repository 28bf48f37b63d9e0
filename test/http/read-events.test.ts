import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import type { Json } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';
import { webhookAt } from '../support/webhook-at.js';

apiSuite((service) => {
  async function register({ id }: TestOrganization, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const email = `${name}-${id}@northwind.test`;
      await service().core.registerUser({ organizationId: id, email, firstName: name, lastName: 'K “é” 😀' });
    }
  }

  async function read({ get }: TestOrganization, query = '') {
    const { status, json, headers, text } = await get(`/events${query}`);
    assert.equal(status, 200, text);
    const names: readonly string[] = json.events.map((event: Json) => event.user.first_name);
    return { names, next: json.next as string, hasMore: json.has_more as boolean, headers, text };
  }

  describe('GET /organizations/:id/events', () => {
    test('answers the body that a webhook gets, byte for byte, also without a webhook', async () => {
      const organization = await service().organization();
      await register(organization, 'ada');
      const webhook = webhookAt('https://hooks.northwind.test/');
      await organization.post('/webhook', { webhook });
      await register(organization, 'bea');
      const { names, text } = await read(organization);
      assert.deepEqual(names, ['ada', 'bea']);
      const deliveries = await service().ports.deliveries.list({ organizationId: organization.id, limit: 9 });
      const [delivered, ...others] = deliveries.map(({ body }) => body);
      assert.deepEqual(others, []);
      assert.ok(text.includes(`,${delivered}],"next":`), text);
    });

    test('pages follow one another, and a reader who continues misses nothing', async () => {
      const organization = await service().organization();
      await register(organization, 'ada', 'bea', 'cyn');
      const first = await read(organization, '?limit=2');
      assert.deepEqual([first.names, first.hasMore], [['ada', 'bea'], true]);
      assert.equal(
        first.headers.link,
        `<${publicUrl}/api/v2/organizations/${organization.id}/events?limit=2&after=${first.next}>; rel="next"`,
      );
      const second = await read(organization, `?limit=2&after=${first.next}`);
      assert.deepEqual([second.names, second.hasMore], [['cyn'], false]);
      assert.equal(second.headers.link, undefined);
      const none = await read(organization, `?after=${second.next}`);
      assert.deepEqual([none.names, none.hasMore, none.next], [[], false, second.next]);
      await register(organization, 'dee');
      assert.deepEqual((await read(organization, `?after=${none.next}`)).names, ['dee']);
    });

    test('newest first with order=desc, and the newest is where a reader can start', async () => {
      const organization = await service().organization();
      await register(organization, 'ada', 'bea', 'cyn');
      const newest = await read(organization, '?order=desc&limit=2');
      assert.deepEqual([newest.names, newest.hasMore], [['cyn', 'bea'], true]);
      assert.deepEqual((await read(organization, `?order=desc&after=${newest.next}`)).names, ['ada']);
      const { next } = await read(organization, '?order=desc&limit=1');
      await register(organization, 'dee');
      assert.deepEqual((await read(organization, `?order=asc&after=${next}`)).names, ['dee']);
      assert.deepEqual((await read(organization, '?event=user.registered&limit=1')).names, ['ada']);
    });

    test('a cursor of another organization, an unknown value and an unknown parameter are 400 and named', async () => {
      const organization = await service().organization();
      const other = await service().organization();
      await register(other, 'ada');
      const { next } = await read(other);
      for (const [query, error] of [
        [`after=${next}`, 'after must be the `next` of an earlier answer'],
        ['after=MQ', 'after must be the `next` of an earlier answer'],
        ['order=newest', 'order must be one of asc, desc'],
        ['event=user.left', 'event must be one of user.registered'],
        ['page=2', 'page is not a parameter of this operation, which has only after, limit, order, event'],
      ]) {
        const { status, json, headers } = await organization.get(`/events?${query}`);
        assert.deepEqual([status, json, headers['x-error-code']], [400, { error }, 'invalid-request']);
      }
    });

    test('a cursor to an event that the feed does not have is 410, with the oldest cursor that works', async () => {
      const organization = await service().organization();
      await register(organization, 'ada', 'bea');
      const lost = cursor('events', organization.id, 99, '0b1c2d3e-4f50-4a61-8b72-9c83ad94be05');
      for (const order of ['asc', 'desc']) {
        const { status, json, headers } = await organization.get(`/events?after=${lost}&order=${order}`);
        assert.deepEqual([status, headers['x-error-code']], [410, 'cursor-expired']);
        assert.deepEqual(json, { error: 'The events after this cursor are no longer kept' });
        const oldest = String(headers['x-oldest-cursor']);
        assert.deepEqual((await read(organization, `?after=${oldest}`)).names, ['ada', 'bea']);
      }
    });
  });
});

function cursor(...values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

testSeenAnswers('read-events');
