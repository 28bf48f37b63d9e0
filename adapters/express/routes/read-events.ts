import { securedOperation } from '../operation.js';
import { encodedPage } from '../stream.js';

/** The bodies are sent as they were stored: parsing and writing them again could change them. */
export const readEvents = securedOperation('readEvents', async ({ core, organization, input }) => {
  const { events, ...place } = await core.readEvents({ organization, ...input });
  return encodedPage('events', { items: events.map(({ body }) => body), ...place });
});
