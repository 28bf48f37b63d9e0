import type { ComponentChildren } from 'preact';
import { frameOf } from '../access.js';
import { Filters } from '../design/components.js';
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
  readonly kind: 'reference' | 'guide';
  readonly title: string;
  readonly contents: readonly ContentsEntry[];
  readonly body: ComponentChildren;
}

const kindTitles = { reference: 'API reference', guide: 'Guide' } as const;

/** Answers with a page of the docs, beside its table of contents. */
export async function showDocs(visit: Visit, { kind, title, contents, body }: DocsView): Promise<void> {
  visit.frame = await frameOf(visit);
  visit.show({
    title: title === kindTitles[kind] ? title : `${title} · ${kindTitles[kind]}`,
    body: (
      <div class={`docs ${kind}`}>
        <script type="module" src={visit.assets.docsScript} />
        <DocsNav current={kind} />
        <div class="docs-columns">
          <Contents contents={contents} current={visit.request.path} />
          <div>
            <h1>{title}</h1>
            {body}
          </div>
        </div>
      </div>
    ),
  });
}

/** Links between the reference and the guide, and to the dashboard. */
function DocsNav({ current }: { readonly current: DocsView['kind'] }) {
  const pages = [
    { name: 'reference', title: 'Reference', href: '/docs' },
    { name: 'guide', title: 'Guide', href: '/docs/guide' },
  ];
  return (
    <div class="with-action">
      <Filters label="Documentation" choices={pages} chosen={current} />
      <a href="/">Dashboard</a>
    </div>
  );
}

interface ContentsProps extends Pick<DocsView, 'contents'> {
  readonly current: string;
}

/** Beside the page, or closed above it on narrow screens. Styles show one of the two. */
function Contents(props: ContentsProps) {
  return (
    <nav class="docs-contents" aria-label="Contents">
      <details>
        <summary>Contents</summary>
        <ContentsList {...props} />
      </details>
      <ContentsList {...props} />
    </nav>
  );
}

function ContentsList({ contents, current }: ContentsProps) {
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
