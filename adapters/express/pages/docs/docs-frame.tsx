import type { ComponentChildren } from 'preact';
import { frameOf } from '../access.js';
import { Filters, type Parent } from '../design/components.js';
import type { Page } from '../page.js';
import { withQuery } from '../paths.js';
import type { Visit } from '../visit.js';

/** A page of the docs in its table of contents. */
export interface ContentsEntry {
  readonly path: string;
  /** Its anchor in the list of all pages. */
  readonly name: string;
  readonly title: string;
  readonly parts: readonly { readonly id: string; readonly title: string; readonly note?: string }[];
}

interface DocsView {
  readonly kind: keyof typeof kindTitles;
  readonly title: string;
  readonly contents: readonly ContentsEntry[];
  readonly body: ComponentChildren;
}

const kinds = [
  { name: 'reference', title: 'Reference', href: '/docs' },
  { name: 'guide', title: 'Guide', href: '/docs/guide' },
] as const;

const kindTitles = { reference: 'API reference', guide: 'Guide' } as const;

/** A page of the docs, beside its table of contents. */
export function docsPage(path: string, view: (visit: Visit) => DocsView | Promise<DocsView>): Page {
  return {
    path,
    kind: 'guide',
    async get(visit) {
      const { kind, title, contents, body } = await view(visit);
      const list = { contents, current: visit.request.path };
      visit.frame = await frameOf(visit);
      visit.show(
        { title: title === kindTitles[kind] ? title : `${title} · ${kindTitles[kind]}` },
        <div class={`docs ${kind}`}>
          <script type="module" src={visit.assets.docsScript} />
          <div class="with-action">
            <Filters label="Documentation" choices={kinds} chosen={kind} />
            <a href="/">Dashboard</a>
          </div>
          <div class="docs-columns">
            {/* Beside the page, or closed above it on narrow screens. Styles show one of the two. */}
            <nav class="docs-contents" aria-label="Contents">
              <details>
                <summary>Contents</summary>
                <ContentsList {...list} />
              </details>
              <ContentsList {...list} />
            </nav>
            <div>
              <h1>{title}</h1>
              {body}
            </div>
          </div>
        </div>,
      );
    },
  };
}

function ContentsList({ contents, current }: Pick<DocsView, 'contents'> & { readonly current: string }) {
  return (
    <ul>
      {contents.map(({ path, title, parts }) => {
        const isCurrent = path.split('?', 1)[0] === current;
        return (
          <li key={path}>
            <a href={path} {...(isCurrent && { 'aria-current': 'page' as const })}>
              {title}
            </a>
            <ul>
              {parts.map((part) => (
                <li key={part.id}>
                  <a href={`${isCurrent ? '' : path}#${part.id}`}>{part.title}</a>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

/** Links to pages and their parts. They were on one page: their anchors are here, and the script leads on from them. */
export function AllParts({ contents }: Pick<DocsView, 'contents'>) {
  return (
    <>
      {contents.map(({ path, name, title, parts }) => (
        <section key={name} aria-labelledby={name}>
          <h2 id={name} data-leads-on>
            <a href={path}>{title}</a>
          </h2>
          <ul class="all-parts">
            {parts.map((part) => (
              <li key={part.id} id={part.id} data-leads-on>
                <a href={`${path}#${part.id}`}>{part.title}</a>{' '}
                {part.note !== undefined && <small>{part.note}</small>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** A long text of a program, with its title. */
export function Code({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <figure class="answer">
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * The language of samples that the reader has chosen last, on any page of the docs. The link of a language chooses it,
 * also without the script.
 */
export function chosenLanguage({ request, response, cookies }: Visit): string | null {
  const { language } = request.query;
  if (typeof language !== 'string' || !/^[a-z]{1,20}$/.test(language))
    return cookies.read(request, 'language');
  cookies.set(response, { name: 'language', value: language, seconds: YEAR_SECONDS });
  return language;
}

interface LanguagesProps {
  /** The anchor of this place. */
  readonly id: string;
  /** What there is in several languages, for screen readers. */
  readonly label: string;
  readonly parts: readonly Parent<{ id: string; title: string }>[];
  /** If it is none of them, the first is shown. */
  readonly chosen: string | null;
  /** Of the page's address. */
  readonly query?: Readonly<Record<string, string>>;
}

/** The same in several languages. Only the chosen one is shown. The script changes it without loading the page. */
export function Languages({ id: place, label, parts, chosen, query }: LanguagesProps) {
  const shown = parts.find(({ id }) => id === chosen) ?? parts[0];
  return (
    <div class="languages" id={place}>
      <ul class="plain" aria-label={`${label}: language`}>
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`${withQuery('', { ...query, language: id })}#${place}`}
              data-language={id}
              aria-current={id === shown?.id ? 'true' : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
      {parts.map(({ id, children }) => (
        <div key={id} data-language={id} hidden={id !== shown?.id}>
          {children}
        </div>
      ))}
    </div>
  );
}
