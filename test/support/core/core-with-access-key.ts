import { type CoreOptions, createCore, type Observer } from '@rollcall/core';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';

/** A core in memory whose organization 1 has an access key; organization 2 has none. */
export async function startWithAccessKey({
  observer,
  ...settings
}: Partial<CoreOptions> & { readonly observer?: Observer } = {}) {
  const { ports, clock, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore({ ...ports, observer }, { links, ...settings });
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  return { core, ports, clock, accessKey: accessKey.reveal() };
}
