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
  const page = nextPageOf(answer);
  if (page === null || (method !== 'GET' && method !== 'HEAD')) return none;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  if (!linkable.test(path)) return none;
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return ['Link', `<${publicUrl}${path}?${parameters}>; rel="next"`];
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
