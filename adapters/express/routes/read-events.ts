import { securedOperation } from '../operation.js';

/** The bodies are sent as they were stored: parsing and writing them again could change them. */
export const readEvents = securedOperation('readEvents', async ({ core, organization, input }) => {
  const { events, next, hasMore } = await core.readEvents({ organization, ...input });
  return {
    before: '{"success":true,"events":[',
    chunks: chunkOf(events.map(({ body }) => body).join(',')),
    after: `],"next":${JSON.stringify(next)},"has_more":${hasMore}}`,
    isSmall: true,
    next: hasMore ? next : null,
  };
});

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
