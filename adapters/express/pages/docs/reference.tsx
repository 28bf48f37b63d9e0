import { frameOf } from '../access.js';
import { Button, OnThisPage, Url } from '../design/components.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { OperationFact } from './api-facts.js';

/** Every operation as a list, which becomes interactive on request. */
export const reference: Page = {
  path: paths.docs,
  kind: 'reference',
  async get(visit) {
    const { assets, serviceName, facts } = visit;
    visit.frame = await frameOf(visit);
    visit.show({
      title: 'API reference',
      head: (
        <>
          <link rel="stylesheet" href={assets.referenceStyles} />
          <script type="module" src={assets.referenceScript} />
        </>
      ),
      body: (
        <>
          <DocsNav current="reference" />
          <hgroup>
            <h1>API reference</h1>
            <p>
              {`Every API endpoint of ${serviceName}. Also as an OpenAPI 3.1 document: `}
              <a href="/openapi.json">openapi.json</a>
            </p>
          </hgroup>
          <div class="actions" id="offer" hidden>
            <Button
              kind="primary"
              type="button"
              id="try-out"
              data-script={assets.swagger}
              data-styles={assets.swaggerStyles}
            >
              Try the API here
            </Button>
            <span class="secondary-text">Shows the parameters and examples of each call. Loads 0.5 MB.</span>
          </div>
          <div id="reference">
            <Operations operations={facts.operations} />
          </div>
        </>
      ),
    });
  },
};

function Operations({ operations }: { readonly operations: readonly OperationFact[] }) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <>
      <OnThisPage parts={tags.map((tag) => ({ id: idOf(tag), title: tag }))} />
      {tags.map((tag) => (
        <section key={tag} class="operations" aria-labelledby={idOf(tag)}>
          <h2 id={idOf(tag)}>{tag}</h2>
          <ul>
            {operations
              .filter((operation) => operation.tag === tag)
              .map(({ method, path, summary }) => (
                <li key={`${method} ${path}`}>
                  <code>
                    <b>{method}</b> <Url url={path} />
                  </code>
                  <span>{summary}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <p>
        <a href="/docs/guide">The guide</a> shows them with curl.
      </p>
    </>
  );
}

/** The id of the section with the operations of the tag. */
function idOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

/** Links between the two pages of the docs, and to the dashboard. */
export function DocsNav({ current }: { readonly current: 'reference' | 'guide' }) {
  const pages = [
    { name: 'reference', title: 'Reference', href: '/docs' },
    { name: 'guide', title: 'Guide', href: '/docs/guide' },
  ];
  return (
    <nav class="docs-nav" aria-label="Documentation">
      {pages.map(({ name, title, href }) => (
        <a key={name} href={href} {...(name === current && { 'aria-current': 'page' as const })}>
          {title}
        </a>
      ))}
      <a class="dashboard-link" href="/">
        Dashboard
      </a>
    </nav>
  );
}
