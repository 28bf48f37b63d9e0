import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { Icon } from './components.js';

/** A problem beside the control with this id. */
interface ProblemView {
  readonly id: string;
  readonly text: string;
}

interface Rendering {
  /** Every problem that the page shows, in its order. */
  readonly shown: ProblemView[];
  /** The id of the control that gets the focus. */
  readonly focused: string | null;
}

const CurrentRendering = createContext<Rendering | null>(null);

/** Adds the problem of a control to those of the page, and returns the attribute for its focus. */
export function useProblem(id: string, text: string | undefined | null): { readonly autofocus?: true } {
  const rendering = useContext(CurrentRendering);
  if (rendering === null || text === undefined || text === null) return {};
  rendering.shown.push({ id, text });
  return rendering.focused === id ? { autofocus: true } : {};
}

/**
 * Renders the content of a page. After a refused form, a single problem gets the focus at its control. Several problems
 * are listed above the content, and the list gets the focus. With the fragment of the form's address, even a single
 * problem is listed, because browsers ignore `autofocus` there: they focus the element with that id.
 */
export function renderContent(content: VNode, fragment?: string): string {
  const shown: ProblemView[] = [];
  const html = render(content, { shown, focused: null });
  const [first, ...others] = shown;
  if (first === undefined) return html;
  if (others.length === 0 && fragment === undefined) return render(content, { shown: [], focused: first.id });
  return renderToString(<ProblemList problems={shown} fragment={fragment} />) + html;
}

function render(content: VNode, rendering: Rendering): string {
  return renderToString(<CurrentRendering.Provider value={rendering}>{content}</CurrentRendering.Provider>);
}

function ProblemList({
  problems,
  fragment,
}: Readonly<{ problems: readonly ProblemView[]; fragment: string | undefined }>) {
  const focus = fragment === undefined ? { autofocus: true } : { id: fragment };
  return (
    <section class="banner error problems" aria-labelledby="problems" tabIndex={-1} {...focus}>
      <Icon name="error" />
      <h2 id="problems">
        {problems.length === 1 ? 'There is a problem' : `There are ${problems.length} problems`}
      </h2>
      <ul>
        {problems.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
