import { isStreamed } from './stream.js';

const none: readonly string[] = [];

/** A path that needs no escaping between `<` and `>`. */
const linkable = /^\/[!$-;=@-~]*$/;

/**
 * The header that links to the next page (RFC 8288), as its name and value. Empty if there is no next page or if a link
 * cannot repeat the request.
 */
export function linkToNext(
  { publicUrl, method, url }: { readonly publicUrl: string; readonly method: string; readonly url: string },
  answer: object,
): readonly string[] {
  const next = nextOf(answer);
  if (next === null || (method !== 'GET' && method !== 'HEAD')) return none;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  if (!linkable.test(path)) return none;
  const parameters = new URLSearchParams(query);
  parameters.set(...next);
  return ['Link', `<${publicUrl}${path}?${parameters}>; rel="next"`];
}

/** The parameter that requests the next page, as its name and value. */
function nextOf(answer: object): readonly [name: string, value: string] | null {
  const { next } = answer as { readonly next?: string | null };
  if (typeof next === 'string') return ['after', next];
  const page = nextPageOf(answer);
  return page === null ? null : ['page', String(page)];
}

function nextPageOf(answer: object): number | null {
  if (isStreamed(answer)) return answer.nextPage ?? null;
  const { current_page, total_pages } = answer as {
    readonly current_page?: number;
    readonly total_pages?: number;
  };
  if (current_page === undefined || total_pages === undefined) return null;
  return current_page < total_pages ? current_page + 1 : null;
}
