import type { RestingState } from '@rollcall/core';
import { organization } from './organization.js';
import { answered200, answered500, enabled, startWithWebhook } from './webhook-core.js';

export const restingStates: readonly RestingState[] = ['delivered', 'failed', 'skipped', 'held'];

/** A delivery in each resting state, a second apart in this order, and a held one of organization 2. */
export async function startWithRestingDeliveries() {
  const answers = [answered200, answered500];
  const service = await startWithWebhook({ send: async () => answers.shift() ?? answered500 });
  const { core, ports, clock, register, deliver } = service;
  const setEnabled = (isEnabled: boolean) =>
    core.configureWebhook({ organization, how: 'change', webhook: { enabled: isEnabled } });
  const start = clock.now();
  for (const number of [1, 2]) {
    await register(number);
    await deliver();
    clock.advance(1000);
  }
  await register(3);
  await setEnabled(false);
  await deliver();
  await setEnabled(true);
  clock.advance(1000);
  await register(4);
  await core.configureWebhook({ organization: { id: 2 }, how: 'set', webhook: enabled });
  const person = { email: 'other@example.test', firstName: 'Other', lastName: 'Person' };
  await core.registerUser({ organizationId: 2, ...person });
  await ports.outbox.hold();
  const second = (seconds: number) => new Date(start.getTime() + seconds * 1000);
  const states = async () =>
    (await core.listDeliveries({ organization })).deliveries.map(({ state }) => state);
  return { ...service, second, states };
}
