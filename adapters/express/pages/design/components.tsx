import { visibleUrl } from '@rollcall/core/adapters';
import { type ButtonHTMLAttributes, type ComponentChildren, Fragment, toChildArray } from 'preact';
import { iconShapes } from './icon-shapes.js';

/** The props of a component with something inside. */
export type Parent<Props = unknown> = Readonly<Props> & { readonly children: ComponentChildren };

export type Tone = 'success' | 'pending' | 'neutral' | 'error';

export function Badge({ tone, children }: Parent<{ tone: Tone }>) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Parts below each other, also where there are no styles. */
export function Stack({ children }: Parent) {
  return (
    <div class="stack">
      {toChildArray(children).map((part, index) => (
        <div key={index}>{part}</div>
      ))}
    </div>
  );
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Short words, which are never broken across lines. */
  readonly isShort?: boolean;
  /** Left out on a phone: the page of the row has it. */
  readonly isMinor?: boolean;
  /** As the heading of a card on a phone, the value is preceded by the title of the column. */
  readonly isLabelled?: boolean;
  /** The buttons of the row say what they do: only screen readers read the title. */
  readonly isAction?: boolean;
}

/** Chromium forgets what a table is when styles show it as cards. */
function as<Role extends string>(role: Role) {
  return { role };
}

const heading = ['th', 'row', 'rowheader'] as const;
const ordinary = ['td', undefined, 'cell'] as const;

/**
 * A table whose first column names the rows. On a phone each row is a card: the first column is its heading, the others
 * have their titles beside them.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
}: {
  /** The content of the table, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}) {
  return (
    <table class="data" {...as('table')}>
      <caption class="visually-hidden">{caption}</caption>
      <thead {...as('rowgroup')}>
        <tr {...as('row')}>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)} {...as('columnheader')}>
              {column.isAction ? <span class="visually-hidden">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...as('rowgroup')}>
        {rows.map((row, index) => (
          <tr key={index} {...as('row')}>
            {columns.map((column, place) => {
              const [Cell, scope, role] = place === 0 ? heading : ordinary;
              return (
                <Cell
                  key={column.title}
                  scope={scope}
                  data-title={column.title}
                  class={classOf(column)}
                  role={role}
                >
                  {column.cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf(column: Omit<Column<never>, 'title' | 'cell'>) {
  const { isNumber, isShort, isMinor, isLabelled, isAction } = column;
  const classes = [
    ...[isNumber && 'number', isShort && 'short', isMinor && 'minor'],
    ...[isLabelled && 'labelled', isAction && 'action'],
  ];
  return classes.filter(Boolean).join(' ') || undefined;
}

export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** A part of a page, below its title. */
export function Card({ id, title, children }: Parent<{ id: string; title: ComponentChildren }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Shown instead of an empty list: why it is empty, and what to do next. */
export function Empty({ children, next }: Parent<{ next: PageLink }>) {
  return (
    <section class="card empty">
      <p>{children}</p>
      <div class="actions">
        <ButtonLink {...next} />
      </div>
    </section>
  );
}

/** Leads to the page above this one. */
export function BackLink({ href, children }: Parent<{ href: string }>) {
  return (
    <p class="back-link">
      <a href={href}>{children}</a>
    </p>
  );
}

/** What to do, one after the other. */
export function Steps({ of: steps }: { readonly of: readonly string[] }) {
  return (
    <ol>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}

/** What is known of a thing, by title. A fact that is `false` is left out. */
export function Facts({ of: facts }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  const known = Object.entries(facts).filter(([, value]) => value !== false);
  return (
    <dl class="facts">
      {known.map(([title, value]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A text with a button that copies it, in browsers that can. */
export function CopyText({
  id,
  label,
  text,
  isLong = false,
  isMain = false,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** Several lines, like a command. */
  readonly isLong?: boolean;
  /** Whether copying it is what the page is for. */
  readonly isMain?: boolean;
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
          <Breakable text={text} />
        </code>
      )}
      <CopyButton id={id} label={label} text="Copy" kind={isMain ? 'primary' : 'secondary'} hasIcon />
    </div>
  );
}

/** Checks all boxes of its form with this name. Only the script shows it. */
export function CheckAll({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <label class="check-all" hidden>
      <input type="checkbox" data-check-all={name} autocomplete="off" />
      {label}
    </label>
  );
}

export function SearchButton() {
  return (
    <Button>
      <Icon name="search" />
      Search
    </Button>
  );
}

/** Copies the text of an element. The script shows the button in browsers that can copy. */
export function CopyButton({
  id,
  label,
  text,
  kind,
  hasIcon = false,
}: {
  /** The id of the element. */
  readonly id: string;
  /** The copied thing, for screen readers. */
  readonly label: string;
  readonly text: string;
  readonly kind?: ButtonKind;
  readonly hasIcon?: boolean;
}) {
  return (
    <Button kind={kind} isSmall type="button" data-copy={id} aria-label={`${text}: ${label}`} hidden>
      {hasIcon && <Icon name="copy" />}
      {text}
    </Button>
  );
}

/** A secret that no other page shows. The script removes it when the reader leaves, so that "back" does not show it. */
export function OneTimeSecret({ heading, warning, done, also, children }: OneTimeSecretProps) {
  return (
    <>
      {heading !== undefined && <h1>{heading}</h1>}
      <section class="card" data-once>
        {warning !== undefined && <Banner tone="warning">{warning}</Banner>}
        {children}
        {done !== undefined && (
          <div class="actions">
            <ButtonLink kind="primary" href={done.href} text={done.text ?? 'I have copied it'} />
            {also}
          </div>
        )}
      </section>
    </>
  );
}

interface OneTimeSecretProps {
  /** The heading of the page. */
  readonly heading?: ComponentChildren;
  readonly warning?: string;
  /** Where it goes on after copying. */
  readonly done?: { readonly href: string; readonly text?: string };
  /** Another link beside it. */
  readonly also?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Links to several views of the same list. */
export function Filters({
  label,
  choices,
  chosen,
}: {
  readonly label: string;
  /** `count`: how many things the view has. */
  readonly choices: readonly Readonly<{ name: string; title: string; href: string; count?: string }>[];
  readonly chosen: string;
}) {
  return (
    <nav class="filters" aria-label={label}>
      {choices.map(({ name, title, href, count }) => (
        <Fragment key={name}>
          <a href={href} {...(name === chosen && { 'aria-current': 'true' as const })}>
            {title}
            {count && <span class="count">{` ${count}`}</span>}
          </a>{' '}
        </Fragment>
      ))}
    </nav>
  );
}

/**
 * What a button means. Primary: the one thing that the view is for. Secondary: everything else. Quiet: conveniences beside
 * other controls. Destructive: what can't be undone, which only a confirmation page does.
 */
export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'destructive';

interface Look {
  /** Secondary by default. */
  readonly kind?: ButtonKind | undefined;
  /** For tables and rows of controls. */
  readonly isSmall?: boolean | undefined;
}

interface ButtonProps extends Look, Omit<ButtonHTMLAttributes, 'class' | 'type' | 'isSmall'> {
  readonly children: ComponentChildren;
  /** The default sends the form. */
  readonly type?: 'submit' | 'button';
  /** Shown while the form is being sent, with script. */
  readonly busy?: string | undefined;
}

export function Button({ kind, isSmall, type = 'submit', busy, children, ...attributes }: ButtonProps) {
  return (
    <button type={type} class={buttonClass({ kind, isSmall })} {...attributes} data-busy={busy}>
      {children}
    </button>
  );
}

interface ButtonLinkProps extends Look, PageLink {
  /** Replaces the text for screen readers. */
  readonly label?: string;
  /** Whether the link leads to another site, which is not told where the reader came from. */
  readonly isExternal?: boolean;
}

/** A link that looks like a button: it leads to the page where something is done. */
export function ButtonLink({ kind, isSmall, href, text, label, isExternal = false }: ButtonLinkProps) {
  return (
    <>
      <a
        href={href}
        class={buttonClass({ kind, isSmall })}
        aria-label={label}
        rel={isExternal ? 'noreferrer' : undefined}
      >
        {text}
      </a>{' '}
    </>
  );
}

/** The path that each text leads to. What is `false` is left out. */
type Links = Readonly<Record<string, string | false>>;

/** What a reader can do next: buttons of one kind after those of another. */
export function Actions(links: Readonly<Partial<Record<ButtonKind, Links>>>) {
  const shown = Object.entries(links).flatMap(([kind, of]) =>
    Object.entries(of).map(([text, href]) => ({ kind: kind as ButtonKind, text, href })),
  );
  return (
    <div class="actions">
      {shown.map(
        ({ href, ...link }) => href !== false && <ButtonLink key={link.text} {...{ href, ...link }} />,
      )}
    </div>
  );
}

function buttonClass({ kind = 'secondary', isSmall = false }: Look): string {
  return `button ${kind}${isSmall ? ' small' : ''}`;
}

type BannerProps = Parent<{
  tone: 'success' | 'warning' | 'error';
  /** Makes screen readers read it: `alert` at once, `status` when they have finished. */
  role?: 'alert' | 'status';
  /** The banner can get the focus, for example by a link with this id. */
  id?: string;
  tabIndex?: -1;
  autofocus?: true;
}>;

/** What the reader has to know before anything else on the page. */
export function Banner({ tone, children, ...attributes }: BannerProps) {
  return (
    <p class={`banner ${tone}`} {...attributes}>
      <Icon name={tone} />
      {children}
    </p>
  );
}

export type IconName = keyof typeof iconShapes;

/** A picture beside words that say the same, in their color. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: iconShapes[name] }}
    />
  );
}

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
