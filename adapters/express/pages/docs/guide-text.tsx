import { availableEvents } from '@rollcall/core/rules';
import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import { type ComponentChildren, Fragment, type VNode } from 'preact';
import { CopyText, DataTable } from '../design/components.js';
import { readSource } from '../design/stylesheet.js';
import type { ApiFacts } from './api-facts.js';
import { receivers } from './receivers.js';

const source = readSource('docs/guide.md');

/** A section of the guide. */
export interface GuideSection {
  /** Its anchor, which other sites link to. */
  readonly id: string;
  readonly title: string;
  readonly tokens: readonly Token[];
}

/** By the facts of one service, whose name stays the same. */
const known = new WeakMap<ApiFacts, readonly GuideSection[]>();

/** The sections of `guide.md`, with the facts about the API in it. Reading them takes long, so it is done once. */
export function guideSections(facts: ApiFacts, serviceName: string): readonly GuideSection[] {
  const sections = known.get(facts) ?? sectionsIn(filled(source, textsOf(facts, serviceName)));
  known.set(facts, sections);
  return sections;
}

/** A command of the guide. They run in one shell, in their order. */
export function guideCommand(id: string): string {
  const [, command] = new RegExp(`^\`\`\`sh ${id} .+?\n(.+?)\n\`\`\`$`, 'ms').exec(source) ?? [];
  if (command === undefined) throw new Error(`the guide has no command ${id}`);
  return command;
}

/** What the placeholders of the text stand for: facts of one service. Those of tables are rows. */
function textsOf({ columns, presets, errors, reportTypes }: ApiFacts, serviceName: string) {
  const code = (text: string) => `\`${text}\``;
  const rows = (cells: readonly (readonly string[])[]) =>
    cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const byStatus = [...errors].sort((one, other) => one.status.localeCompare(other.status));
  return {
    brand: serviceName.replaceAll(' ', '-'),
    events: JSON.stringify(availableEvents),
    report_types: reportTypes.map(code).join(' or '),
    columns: rows(columns.map(({ key, responseKey, type }) => [code(key), code(responseKey), type])),
    presets: rows(presets.map(({ values, meaning }) => [values.map(code).join(' or '), meaning])),
    errors: rows(byStatus.map((error) => [error.status, code(error.code), error.meaning, error.advice])),
  };
}

/** Other placeholders stay. */
function filled(text: string, texts: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => texts[name] ?? placeholder);
}

function sectionsIn(text: string): readonly GuideSection[] {
  return text.split(/^## (?=.+\{#)/m).flatMap((section) => {
    const [, title, id, body] = /^(.+) \{#([\w-]+)\}\n(.*)$/s.exec(section) ?? [];
    return title === undefined || id === undefined ? [] : [{ id, title, tokens: marked.lexer(body ?? '') }];
  });
}

interface TextProps {
  readonly tokens: readonly Token[];
  readonly serviceName: string;
  /** What the commands begin with. */
  readonly values: Readonly<Record<string, string>>;
}

/** The text of a section. */
export function GuideText({ tokens, serviceName, values }: TextProps) {
  const blocks = tokens.filter(({ type }) => type !== 'space') as MarkedToken[];
  return (
    <>
      {blocks.map((block, index) => {
        if (block.raw.startsWith('{{receivers}}')) return <Receivers key={index} serviceName={serviceName} />;
        return <Block key={index} block={block} before={blocks[index - 1]} values={values} />;
      })}
    </>
  );
}

/** How a line before a table begins that has its caption. */
const CAPTION = 'Table: ';

interface BlockProps extends Pick<TextProps, 'values'> {
  readonly block: MarkedToken;
  readonly before: MarkedToken | undefined;
}

function Block({ block, before, values }: BlockProps): VNode | null {
  if (block.type === 'heading') return <h3>{inline(block.tokens)}</h3>;
  if (block.type === 'paragraph')
    return block.text.startsWith(CAPTION) ? null : <p>{inline(block.tokens)}</p>;
  if (block.type === 'code') return <Shell {...block} values={values} />;
  if (block.type === 'table')
    return <Table {...block} caption={before?.raw.trim().slice(CAPTION.length) ?? ''} />;
  if (block.type !== 'list') throw new Error(`the guide has a ${block.type}`);
  const items = (block as Tokens.List).items.map(({ tokens }, index) => (
    <li key={index}>{inline(tokens)}</li>
  ));
  return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return (tokens as readonly MarkedToken[]).map((token, index) => {
    if (token.type === 'codespan') return <code key={index}>{token.text}</code>;
    if (token.type === 'strong') return <strong key={index}>{inline(token.tokens)}</strong>;
    if (token.type === 'link')
      return (
        <a key={index} href={token.href}>
          {inline(token.tokens)}
        </a>
      );
    if (token.type !== 'text') throw new Error(`the guide has a ${token.type}`);
    const text = token.tokens === undefined ? token.text.replaceAll('\n', ' ') : inline(token.tokens);
    return <Fragment key={index}>{text}</Fragment>;
  });
}

/** A command to copy. After the language stand its id and its label. */
function Shell({ lang = '', text, values }: Pick<Tokens.Code, 'lang' | 'text'> & Pick<TextProps, 'values'>) {
  const [, id = '', label = ''] = lang.split(/ (\S+) (.*)/);
  return <CopyText id={`shell-${id}`} label={label} text={filled(text, values)} isLong />;
}

function Table({
  caption,
  header,
  rows,
}: Pick<Tokens.Table, 'header' | 'rows'> & { readonly caption: string }) {
  return (
    <DataTable
      caption={caption}
      columns={header.map(({ text }, place) => ({
        title: text,
        cell: (row: readonly Tokens.TableCell[]) => inline(row[place]?.tokens ?? []),
      }))}
      rows={rows}
      keyOf={([first]) => first?.text ?? ''}
    />
  );
}

function Receivers({ serviceName }: Pick<TextProps, 'serviceName'>) {
  return (
    <>
      {receivers(serviceName).map(({ language, file, command, code }) => (
        <section key={language} aria-labelledby={`receiver-${language}`}>
          <h3 id={`receiver-${language}`}>{language}</h3>
          <CopyText
            id={`receiver-code-${language}`}
            label={`${file}, run with: ${command}`}
            text={code}
            isLong
          />
        </section>
      ))}
    </>
  );
}
