import type { ComponentChildren, VNode } from 'preact';
import type { FormToken } from '../form-guard.js';
import { Form } from './form.js';

/** Parts that several pages share. */

export type Tone = 'success' | 'pending' | 'neutral' | 'error';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Short words, which are never broken across lines. */
  readonly isShort?: boolean;
}

/** A table. On a phone each row is a card with the column titles beside the values. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  /** The content of the table, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}) {
  return (
    <table class="data">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.title} data-title={column.title} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf({ isNumber = false, isShort = false }: Pick<Column<never>, 'isNumber' | 'isShort'>) {
  if (isNumber) return 'number';
  return isShort ? 'short' : undefined;
}

/** Shown instead of an empty list: why it is empty, and what to do. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <section class="card empty">{children}</section>;
}

/** A text with a button that copies it, in browsers that can. */
export function CopyText({
  id,
  label,
  text,
  isLong = false,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** Several lines, like a command. */
  readonly isLong?: boolean;
}) {
  return (
    <div class="copy">
      <p class="copy-label">{label}</p>
      {isLong ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
        <pre tabIndex={0}>
          <code id={id}>{text}</code>
        </pre>
      ) : (
        <code class="copy-text" id={id}>
          {text}
        </code>
      )}
      <CopyButton id={id} label={label} text="Copy" />
    </div>
  );
}

/** Copies the text of an element. The script shows the button in browsers that can copy. */
export function CopyButton({
  id,
  label,
  text,
}: {
  /** The id of the element. */
  readonly id: string;
  /** The copied thing, for screen readers. */
  readonly label: string;
  readonly text: string;
}) {
  return (
    <button
      class="secondary outline small"
      type="button"
      data-copy={id}
      aria-label={`${text}: ${label}`}
      hidden
    >
      {text}
    </button>
  );
}

/** A secret that no other answer contains. The script removes it when the reader leaves, so that "back" does not show it. */
export function ShownOnce({ children }: { readonly children: ComponentChildren }) {
  return (
    <section class="card" data-once>
      {children}
    </section>
  );
}

/** Asks before an action that can't be undone. It is a page, so that it works without scripts. */
export function Confirm({
  question,
  children,
  action,
  token,
  fields = {},
  controls = null,
  problem = null,
  confirmLabel,
  cancelPath,
}: {
  readonly question: string;
  /** The consequences. */
  readonly children: ComponentChildren;
  readonly action: string;
  readonly token: FormToken;
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields for the reader to fill in. */
  readonly controls?: ComponentChildren;
  readonly problem?: string | null;
  readonly confirmLabel: string;
  readonly cancelPath: string;
}): VNode {
  return (
    <section class="card narrow">
      <h1>{question}</h1>
      {children}
      <Form action={action} token={token} problem={problem}>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {controls}
        <div class="actions">
          <button class="danger" type="submit" data-busy="One moment…">
            {confirmLabel}
          </button>
          <a href={cancelPath}>Cancel</a>
        </div>
      </Form>
    </section>
  );
}

/** Links to several views of the same list. */
export function Filters({
  label,
  choices,
  chosen,
}: {
  readonly label: string;
  readonly choices: readonly { readonly name: string; readonly title: string; readonly href: string }[];
  readonly chosen: string;
}) {
  return (
    <nav class="filters" aria-label={label}>
      {choices.map(({ name, title, href }) => (
        <a key={name} href={href} {...(name === chosen && { 'aria-current': 'true' as const })}>
          {title}
        </a>
      ))}
    </nav>
  );
}
