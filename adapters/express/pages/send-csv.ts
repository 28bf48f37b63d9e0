import type { PageDeps } from './page-deps.js';
import type { Visit } from './visit.js';

/** Sends a CSV file as a download. */
export async function sendCsv(
  deps: PageDeps,
  { request, response }: Visit,
  { name, chunks }: { readonly name: string; readonly chunks: AsyncIterable<Uint8Array> },
): Promise<void> {
  const writeHead = (): void => void response.attachment(name);
  await deps.sendFile(request, response, { before: '', chunks, after: '', writeHead });
}
