import { visibleUrl } from '@rollcall/core/adapters';
import { Fragment } from 'preact';

const URLS = /(https?:\/\/\S+)/;

/**
 * A text whose URLs break after a slash of their path where they can, then anywhere, and not after hyphens, which would look like those
 * of a word. The text stays the same when it is copied.
 */
export function Breakable({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(URLS).map((part, index) => (
        <Fragment key={index}>{index % 2 === 1 ? <Url url={part} /> : part}</Fragment>
      ))}
    </>
  );
}

/** A URL or a path. */
export function Url({ url }: { readonly url: string }) {
  const parts = visibleUrl(url).match(/^(?:https?:\/\/|\/)[^/]*\/?|[^/]+\/*/g) ?? [];
  return (
    <span class="url">
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </span>
  );
}
