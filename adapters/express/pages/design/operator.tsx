import type { PageDeps } from '../page-deps.js';
import type { Parent } from './components.js';

type Supported = Pick<PageDeps, 'supportUrl'>;

/** Names the people who run the service, with a link to them if the operator has set one. */
export function Operator({ visit: { supportUrl }, children }: Parent<{ visit: Supported }>) {
  if (supportUrl === null) return <>{children}</>;
  return (
    <a href={supportUrl} rel="noreferrer">
      {children}
    </a>
  );
}

const OPERATOR = 'the people who run this service';

/** A text of fixed words, in which the people who run the service are named as `Operator` names them. */
export function TextWithOperator({ visit, text }: { readonly visit: Supported; readonly text: string }) {
  const [before = '', after] = text.split(OPERATOR, 2);
  if (after === undefined) return <>{text}</>;
  return (
    <>
      {before}
      <Operator visit={visit}>{OPERATOR}</Operator>
      {after}
    </>
  );
}
