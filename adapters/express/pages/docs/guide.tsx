import { showPage } from '../design/layout.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { guideCommands } from './commands.js';
import { DocsNav } from './docs-nav.js';
import { type GuideContent, guideSections } from './guide-sections.js';
import { receivers } from './receivers.js';

/** How to use the API. A test runs every command and program in it (decision 91). */
export function guide(deps: PageDeps): Page {
  const content: GuideContent = {
    serviceName: deps.serviceName,
    facts: deps.facts,
    commands: guideCommands(deps.address.origin),
    receivers: receivers(deps.serviceName),
  };
  return {
    path: '/docs/guide',
    get(_request, response) {
      showPage(deps, response, { title: 'Guide', body: <GuideView content={content} /> });
    },
  };
}

function GuideView({ content }: { readonly content: GuideContent }) {
  return (
    <div class="guide">
      <DocsNav current="guide" />
      <h1>Guide</h1>
      <p>
        Run the commands in one shell, in this order. They work with the demo as they are. To use your own
        organization, change the first three lines.
      </p>
      <nav class="card contents" aria-label="Contents">
        <ul>
          {guideSections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {guideSections.map(({ id, title, Body }) => (
        <section key={id} aria-labelledby={id}>
          <h2 id={id}>
            <a href={`#${id}`}>{title}</a>
          </h2>
          <Body {...content} />
        </section>
      ))}
    </div>
  );
}
