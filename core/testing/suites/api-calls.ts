import { maxApiCalls } from '../../access/api-calls.js';
import type { ApiCall } from '../../access/ports/api-calls.js';
import { anOrganization } from '../dataset.js';
import { type ContractTest, each, expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

/** A call of organization 1 that has worked. */
function anApiCall(fields: Partial<ApiCall> = {}): ApiCall {
  return {
    ...{ organizationId: 1, at: noon, method: 'GET', operation: 'listUsers', requestId: 'request' },
    ...{ path: '/api/v2/organizations/1/users?email', status: 200, milliseconds: 12 },
    ...{ errorCode: null, errorText: null },
    ...fields,
  };
}

/** Calls of an organization, one a second. */
function callsOf(organizationId: number, numbers: { readonly from: number; readonly to: number }) {
  return Array.from({ length: numbers.to - numbers.from + 1 }, (_, index) => {
    const number = numbers.from + index;
    const at = new Date(noon.getTime() + number * 1000);
    return anApiCall({ organizationId, at, requestId: `${organizationId}-${number}` });
  });
}

/** The promises of `ApiCalls`. */
export function apiCallsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'ApiCalls', (storage) =>
    storage.load({ organizations: [anOrganization(1), anOrganization(2), anOrganization(3)] }),
  );
  return [
    test('latest returns the calls of one organization as they were added, newest first', async ({
      apiCalls,
    }) => {
      const failed = anApiCall({
        status: 404,
        errorCode: 'member-not-found',
        errorText: 'No',
        milliseconds: 0,
      });
      const cutOff = anApiCall({ status: null, at: new Date('2026-11-20T12:00:00.123Z') });
      const [first, other] = [anApiCall(), anApiCall({ organizationId: 2 })];
      await apiCalls.add([first, other]);
      await apiCalls.add([cutOff, failed]);
      expectEqual(await apiCalls.latest(1), [cutOff, failed, first]);
      expectEqual(await apiCalls.latest(2), [other]);
      expectEqual([await apiCalls.latest(3), await apiCalls.latest(9)], [[], []]);
      await apiCalls.add([]);
    }),

    test('texts are returned unchanged, whatever they contain', async ({ apiCalls }) => {
      const calls = hostileTexts.map((requestId) =>
        anApiCall({ requestId, path: requestId, errorText: requestId }),
      );
      await apiCalls.add(calls);
      expectEqual(await apiCalls.latest(1), calls.toReversed());
    }),

    test('calls of an organization that does not exist are left out', async ({ apiCalls }) => {
      await apiCalls.add([anApiCall({ organizationId: 9 }), anApiCall()]);
      expectEqual([await apiCalls.latest(9), (await apiCalls.latest(1)).length], [[], 1]);
    }),

    test('of each organization the newest stay, in whatever order they are added', async ({ apiCalls }) => {
      await apiCalls.add([...callsOf(1, { from: 151, to: 250 }), ...callsOf(2, { from: 1, to: 5 })]);
      await apiCalls.add(callsOf(1, { from: 1, to: 150 }));
      await apiCalls.add(callsOf(3, { from: 1, to: 2 }));
      await apiCalls.add(callsOf(1, { from: 251, to: 300 }));
      const kept = callsOf(1, { from: 101, to: 300 });
      expectEqual(kept.length, maxApiCalls);
      expectEqual(each(await apiCalls.latest(1), 'requestId'), each(kept.toReversed(), 'requestId'));
      expectEqual([(await apiCalls.latest(2)).length, (await apiCalls.latest(3)).length], [5, 2]);
    }),

    test('of many that add calls of the same organizations at once, none loses one', async ({ apiCalls }) => {
      const rounds = Array.from({ length: 10 }, (_, round) => ({
        from: round * 10 + 1,
        to: round * 10 + 10,
      }));
      await Promise.all(
        rounds.map((numbers) => apiCalls.add([...callsOf(1, numbers), ...callsOf(2, numbers)])),
      );
      for (const id of [1, 2])
        expectEqual(
          each(await apiCalls.latest(id), 'requestId'),
          each(callsOf(id, { from: 1, to: 100 }).toReversed(), 'requestId'),
        );
    }),
  ];
}
