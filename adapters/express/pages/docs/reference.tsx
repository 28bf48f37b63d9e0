import { showPage } from '../design/layout.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { referenceHeaders } from '../page-headers.js';
import type { OperationFact } from './api-facts.js';
import { DocsNav } from './docs-nav.js';

/** Every operation: interactive with scripts, else as a list (decision 90). */
export function reference(deps: PageDeps): Page {
  const { address, assets, serviceName } = deps;
  return {
    path: '/docs',
    headers: referenceHeaders(address),
    get(_request, response) {
      showPage(deps, response, {
        title: 'API reference',
        head: (
          <>
            <link rel="stylesheet" href={assets.swaggerStyles} />
            <link rel="stylesheet" href={assets.referenceStyles} />
            <script defer src={assets.swagger} />
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
            <div id="reference">
              <Operations operations={deps.facts.operations} />
            </div>
          </>
        ),
      });
    },
  };
}

function Operations({ operations }: { readonly operations: readonly OperationFact[] }) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <>
      {tags.map((tag) => (
        <section key={tag} class="operations">
          <h2>{tag}</h2>
          <ul>
            {operations
              .filter((operation) => operation.tag === tag)
              .map(({ method, path, summary }) => (
                <li key={`${method} ${path}`}>
                  <code>{`${method} ${path}`}</code>
                  <span>{summary}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <p>
        Enable JavaScript to try the calls here. <a href="/docs/guide">The guide</a> shows them with curl.
      </p>
    </>
  );
}
