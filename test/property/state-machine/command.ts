import { openapi } from '@rollcall/contracts';
import type fc from 'fast-check';
import type { Reply } from '../../support/http/reply.js';
import { apiBase, type HttpService } from '../../support/http/service.js';
import { Cell, Draft, difference, forms, shown } from './cell.js';
import {
  bind,
  isValid,
  type Model,
  type OrganizationModel,
  otherThan,
  pick,
  revokeExpired,
  SECOND,
  works,
} from './model.js';
import { Mismatch, type RecordedCall, type Run } from './run-of-calls.js';

/** The running service, and what was done with it. */
export interface Real {
  readonly service: HttpService;
  readonly run: Run;
}

/** One step of a sequence: a call, or something that happens outside of the API. */
export type Step = fc.AsyncCommand<Model, Real>;

/** A call of an operation, with cells in place of what the service chose. */
export interface Call {
  readonly method: string;
  /** The parts of the path after `/organizations/:id`. */
  readonly path: readonly (string | Cell)[];
  /** Whether the path follows the base instead. */
  readonly isOutside?: boolean;
  readonly query?: readonly (readonly [name: string, value: string | Cell])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Sent unchanged, with its media type. */
  readonly body?: { readonly type: string; readonly text: string };
}

/** What the model says that the answer is, and what is true once it has come. */
export interface Answer {
  readonly status: number;
  /** JSON with cells; see `difference`. With `isText`, it is compared with the text. */
  readonly body: unknown;
  readonly isText?: boolean;
  /** The `X-Error-Code`; left out: none. */
  readonly code?: unknown;
  /** Headers by their lower-case names; undefined: not there. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly effect?: (reply: Reply) => void;
}

/** A call with the answer that an authorized caller gets. */
export interface Plan {
  readonly call: Call;
  readonly answer: Answer;
}

/** Who calls: with which token, and for which organization. */
export interface Caller {
  readonly organization: 0 | 1;
  /** `fresh`: the newest token; if it no longer works, the caller authenticates again before. */
  readonly token: 'fresh' | 'any' | 'foreign' | 'none' | 'forged';
  readonly chosen: number;
  /** Whether the query has a parameter that no operation has. */
  readonly isStray: boolean;
}

export function refused(status: number, code: unknown, error: unknown): Answer {
  return { status, code, body: { error } };
}

const unauthorized = refused(401, 'unauthorized-access', 'Unauthorized Access');
const notAuthorized = refused(401, 'not-authorized', 'Not Authorized');

/** The operations that refuse parameters and fields that they do not have. */
const strict: ReadonlySet<string> = new Set(
  Object.values(openapi().paths)
    .flatMap((item) => Object.values(item as Readonly<Record<string, unknown>>))
    .filter((operation) => (operation as Readonly<Record<string, unknown>>)['x-strict'] === true)
    .map((operation) => (operation as { readonly operationId: string }).operationId),
);

type MakePlan = (model: Model, organization: OrganizationModel) => Plan | null;

/** A call of an operation that needs a token. */
export class ApiCall implements Step {
  readonly operation: string;
  readonly caller: Caller;
  /** Null: the call makes no sense now. */
  readonly plan: MakePlan;

  constructor(operation: string, caller: Caller, plan: MakePlan) {
    this.operation = operation;
    this.caller = caller;
    this.plan = plan;
  }

  check(model: Readonly<Model>): boolean {
    return this.plan(model, model.organizations[this.caller.organization]) !== null;
  }

  async run(model: Model, real: Real): Promise<void> {
    const organization = model.organizations[this.caller.organization];
    const token = await this.token(model, real, organization);
    const plan = this.plan(model, organization);
    if (plan === null) return;
    const query = [...(plan.call.query ?? []), ...(this.caller.isStray ? [['colour', 'red'] as const] : [])];
    await send(model, real, {
      operation: this.operation,
      organization,
      token,
      call: { ...plan.call, query },
      answer: this.refusal(model, organization, token) ?? plan.answer,
    });
  }

  /** Why the caller gets another answer than the plan's (sections 4 and 5, and the additions). */
  private refusal(model: Model, organization: OrganizationModel, token: Cell | string | null): Answer | null {
    const own = organization.tokens.find(({ cell }) => cell === token);
    const foreign = otherThan(model, organization).tokens.find(({ cell }) => cell === token);
    const found = own ?? foreign;
    if (found === undefined || !isValid(model, found)) return unauthorized;
    if (own === undefined) return notAuthorized;
    if (this.caller.isStray && strict.has(this.operation))
      return refused(400, 'invalid-request', /^colour is not a parameter/);
    return null;
  }

  private async token(
    model: Model,
    real: Real,
    organization: OrganizationModel,
  ): Promise<Cell | string | null> {
    const { token, chosen } = this.caller;
    const foreign = otherThan(model, organization).tokens;
    if (token === 'none') return null;
    if (token === 'forged') return forged(organization);
    if (token === 'any') return pick(organization.tokens, chosen)?.cell ?? null;
    if (token === 'foreign') return foreign.at(-1)?.cell ?? null;
    const newest = organization.tokens.at(-1);
    if (newest !== undefined && isValid(model, newest)) return newest.cell;
    const key = organization.keys.findLast((one) => works(one, model.now));
    if (key !== undefined) await send(model, real, authentication(organization, key.cell, key));
    return organization.tokens.at(-1)?.cell ?? null;
  }

  toString(): string {
    return this.operation;
  }
}

/** A token with a signature that the service did not make. */
function forged({ tokens }: OrganizationModel): string {
  const [head = 'e30', claims = 'e30'] = String(tokens.at(-1)?.cell.value ?? '').split('.');
  return `${head}.${claims}.${'A'.repeat(43)}`;
}

/** `POST /authenticate` with a key that works. */
export function authentication(
  organization: OrganizationModel,
  accessKey: Cell,
  key: OrganizationModel['keys'][number],
): Sent {
  const cell = new Cell(forms.token, organization.index);
  return {
    operation: 'authenticate',
    organization,
    token: null,
    call: { method: 'POST', path: ['/authenticate'], isOutside: true, json: { access_key: accessKey } },
    answer: { status: 200, body: { token: cell } },
    issues: { cell, key },
  };
}

/** A call that is sent, and the answer that it must get. */
export interface Sent {
  readonly operation: string;
  /** Null: the caller belongs to none. */
  readonly organization: OrganizationModel | null;
  readonly token: Cell | string | null;
  readonly call: Call;
  readonly answer: Answer;
  /** The token that the answer issues. */
  readonly issues?: { readonly cell: Cell; readonly key: OrganizationModel['keys'][number] };
}

/** Sends a call, compares its answer with the model's, and lets a second pass. */
export async function send(model: Model, { service, run }: Real, sent: Sent): Promise<void> {
  const { organization, call, answer } = sent;
  const path = pathOf(sent);
  model.received = [];
  const reply = await service.client.send(call.method, path, {
    headers: { ...call.headers, ...authorization(sent.token), ...typeOf(call) },
    ...(call.json !== undefined && { json: resolved(call.json) }),
    ...(call.body !== undefined && { body: call.body.text }),
  });
  const draft = new Draft(model.known);
  const recorded: RecordedCall = { sent, path, reply, expected: '', captured: new Map() };
  run.calls.push(recorded);
  run.count(sent.operation, reply.status);
  const found = unlike(answer, reply, draft) ?? leak(model, { organization, path, call, reply });
  recorded.expected = `${answer.status} ${shown(answer.body, draft)}`;
  if (found !== null) throw new Mismatch(`${sent.operation}: ${found}`);
  for (const [cell, value] of draft.values) {
    bind(model, cell, value);
    recorded.captured.set(cell, draft.paths.get(cell) ?? '');
  }
  if (sent.issues !== undefined) organization?.tokens.push({ ...sent.issues, issuedAt: model.now });
  answer.effect?.(reply);
  pass(model, { service, run }, SECOND);
}

/** Lets time pass, in whole seconds, so that a token ends at a whole second too. */
export function pass(model: Model, { service }: Real, milliseconds: number): void {
  model.now += milliseconds;
  service.clock.set(new Date(model.now));
  revokeExpired(model);
}

function unlike(answer: Answer, reply: Reply, draft: Draft): string | null {
  const { status, headers, text, json } = reply;
  if (status !== answer.status)
    return `the status is ${status}, not ${answer.status}: ${text.slice(0, 500)} instead of ${shown(answer.body)}`;
  const code = difference(answer.code, headers['x-error-code'], draft, 'X-Error-Code');
  if (code !== null) return code;
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    const found = difference(value, headers[name], draft, `header ${name}`);
    if (found !== null) return found;
  }
  return difference(answer.body, answer.isText === true ? text : json, draft);
}

/** What only the other organization may see, unless the caller sent it. */
function leak(
  model: Model,
  seen: {
    readonly organization: OrganizationModel | null;
    readonly path: string;
    readonly call: Call;
    readonly reply: Reply;
  },
): string | null {
  const { organization, path, call, reply } = seen;
  if (organization === null) return null;
  const answered = `${reply.text} ${JSON.stringify(reply.headers)}`;
  const asked = `${decodeURIComponent(path)} ${JSON.stringify(resolved(call.json) ?? '')} ${call.body?.text ?? ''}`;
  const other = otherThan(model, organization);
  const marker = markerOf(other, model);
  if (answered.includes(marker) && !asked.includes(marker))
    return `the answer shows ${marker} of organization ${other.id}`;
  for (const [value, { owner }] of model.known) {
    if (owner !== other.index || typeof value !== 'string') continue;
    if (answered.includes(value) && !asked.includes(value))
      return `the answer shows ${value} of organization ${other.id}`;
  }
  return null;
}

/** A part of every text that only this organization may see. */
export function markerOf({ index }: Pick<OrganizationModel, 'index'>, { run }: Pick<Model, 'run'>): string {
  return `only-${index === 0 ? 'a' : 'b'}-${run}-sees`;
}

/** The path that is sent, with its query. */
function pathOf({ organization, call }: Sent): string {
  const path = call.path.map((part) => (part instanceof Cell ? String(part.value) : part)).join('');
  const base =
    organization === null || call.isOutside === true
      ? apiBase
      : `${apiBase}/organizations/${organization.id}`;
  const query = (call.query ?? [])
    .map(
      ([name, value]) => `${name}=${encodeURIComponent(value instanceof Cell ? String(value.value) : value)}`,
    )
    .join('&');
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

function authorization(token: Cell | string | null): Readonly<Record<string, string>> {
  if (token === null) return {};
  return { Authorization: `Bearer ${token instanceof Cell ? token.value : token}` };
}

function typeOf({ body }: Call): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'Content-Type': body.type };
}

/** JSON with the values of its cells. */
export function resolved(json: unknown): unknown {
  if (json === undefined) return undefined;
  return JSON.parse(JSON.stringify(json, (_key, value) => (value instanceof Cell ? value.value : value)));
}
