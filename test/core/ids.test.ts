import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Core, createCore, Refusal } from '@rollcall/core';
import { aUser, memoryPorts } from '@rollcall/core/testing';
import { idArguments, uuid } from '../support/core/id-arguments.js';
import { saysWhy } from '../support/core/refused.js';

const notTexts: readonly unknown[] = [null, Number.NaN, 1.5, true, {}, [1], 1n];
const impossibleIds: readonly unknown[] = [
  ...notTexts,
  undefined,
  0,
  -1,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  '1',
  '',
];
const impossibleUuids: readonly unknown[] = [...notTexts, 1, '', 'dana', `${uuid}0`, ` ${uuid}`];

const wrong = '1' as unknown as number;

/** A core whose port methods all fail, and the names of the called ones. */
function createSpiedCore(): { readonly core: Core; readonly called: readonly string[] } {
  const called: string[] = [];
  const ports = Object.entries(memoryPorts().ports).map(([name, port]) => [name, spied(name, port, called)]);
  const links = { invitation: () => '', login: () => '', calendar: () => '', defaultAvatar: '' };
  return { core: createCore(Object.fromEntries(ports), { links }), called };
}

function spied(name: string, port: object, called: string[]): object {
  return new Proxy(port, {
    get(target, member) {
      const value = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return () => {
        called.push(`${name}.${String(member)}`);
        throw new Error(`${name}.${String(member)} was called`);
      };
    },
  });
}

async function outcomeOf(calling: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await calling };
  } catch (error) {
    if (error instanceof Refusal) return saysWhy(error) ? error.code : `${error.code}, without a reason`;
    return error instanceof TypeError ? `TypeError: ${error.message}` : error;
  }
}

describe('An ID that no record can have reaches no port', () => {
  for (const [useCase, list] of Object.entries(idArguments)) {
    for (const { name, call, expected, isUuid } of list) {
      test(`${useCase}: ${name}`, async () => {
        const ids = isUuid ? impossibleUuids : name === 'idpId' ? notTexts : impossibleIds;
        for (const id of ids) {
          const { core, called } = createSpiedCore();
          const outcome = await outcomeOf(call(core, id as never));
          const [argument = ''] = name.split(' ');
          const isText = isUuid || argument === 'idpId';
          if (isText && typeof id !== 'string')
            assert.equal(outcome, `TypeError: ${argument} must be a text, not ${typeof id}`);
          else if (!isText && (expected === 'TypeError' || typeof id !== 'number')) {
            const found = typeof id === 'number' ? id : typeof id;
            const message = `TypeError: ${argument} must be a whole number from 1 to 2^53 - 1, not ${found}`;
            assert.equal(outcome, message);
          } else assert.deepEqual(outcome, expected, String(id));
          assert.deepEqual(called, []);
        }
      });
    }
  }

  test('a possible ID reaches a port', async () => {
    for (const [useCase, list] of Object.entries(idArguments)) {
      for (const { name, call, isUuid } of list) {
        const { core, called } = createSpiedCore();
        await outcomeOf(call(core, (isUuid ? uuid : name === 'idpId' ? 'dana' : 7) as never));
        assert.ok(called.length > 0, `${useCase}: ${name}`);
      }
    }
  });

  test('an id of a wrong type is a mistake of the program, whatever else is wrong', async () => {
    const person = { email: '', firstName: '', lastName: '' };
    const session = { user: aUser(1), boundTo: 1 };
    const calls: readonly ((core: Core) => Promise<unknown>)[] = [
      (core) => core.inviteUser({ organization: { id: wrong }, ...person }),
      (core) => core.registerUser({ organizationId: wrong, ...person }),
      (core) => core.addMember({ organizationId: wrong, email: '', role: 'member', idpId: null }),
      (core) => core.changeRole({ organization: { id: wrong }, userId: 1, role: '' as 'owner' }),
      (core) => core.authorizeMember({ session, organizationId: wrong, role: 'member' }),
      (core) => core.authorize({ token: null, organizationId: 1 as never }),
      (core) => core.endSession({ session: null, id: 1 as never }),
    ];
    for (const call of calls) {
      const { core, called } = createSpiedCore();
      assert.match(
        String(await outcomeOf(call(core))),
        /^TypeError: \w+(\.id)? must be a (text|whole number)/,
      );
      assert.deepEqual(called, []);
    }
  });

  test('only null means every organization, and an omitted organization is an error', async () => {
    const since = new Date(0);
    const missing = undefined as unknown as null;
    const calls: readonly ((core: Core, given: null) => Promise<unknown>)[] = [
      (core, given) => core.listDeliveries({ organization: given }),
      (core, given) => core.readDelivery({ organization: given, deliveryId: 1 }),
      (core, given) => core.redeliver({ organization: given, deliveryId: 1 }),
      (core, given) => core.redeliverFailed({ organization: given, since }),
      (core, given) => core.redeliverMatching({ organization: given, states: ['failed'] }),
      (core, given) => core.countDeliveries({ organization: given, states: ['failed'] }),
      (core, given) => core.dropHeld({ organization: given }),
    ];
    for (const call of calls) {
      const { core, called } = createSpiedCore();
      assert.match(String(await outcomeOf(call(core, missing))), /^TypeError/);
      assert.deepEqual(called, []);
      await outcomeOf(call(core, null));
      assert.notDeepEqual(called, []);
    }
  });
});
