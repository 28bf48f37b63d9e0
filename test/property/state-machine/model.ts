import type { DatasetMeeting, DatasetRegistration, DatasetWaitingPlace } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { Cell, type Form, forms } from './cell.js';

/**
 * The model: what is true of two organizations after the calls so far, as the specification, `openapi.yaml` and the
 * decisions say. It knows nothing of the product's code. What the service chooses is in cells.
 */
export interface Model {
  /** When the sequence began. */
  readonly startedAt: number;
  /** By the service's clock, in milliseconds. */
  now: number;
  readonly organizations: readonly [OrganizationModel, OrganizationModel];
  readonly accounts: Account[];
  readonly meetings: Map<number, ModelMeeting>;
  registrations: DatasetRegistration[];
  waitingPlaces: DatasetWaitingPlace[];
  /** In the order in which meetings changed. */
  readonly meetingLog: MeetingLogEntry[];
  /** Every value that a cell holds. */
  readonly known: Map<string | number, Cell>;
  readonly links: LoginLink[];
  /** What the endpoints of both organizations got in this step. */
  received: SentRequest[];
  /** The number of the run, which addresses contain. */
  readonly run: number;
}

export interface OrganizationModel {
  readonly index: 0 | 1;
  readonly id: number;
  readonly name: string;
  readonly eap: boolean;
  readonly keys: AccessKey[];
  readonly tokens: Token[];
  readonly invitations: Invitation[];
  readonly members: Member[];
  webhook: Webhook | null;
  /** In the order of the feed. */
  readonly events: Event[];
  /** In the order in which they were made. */
  readonly deliveries: Delivery[];
  readonly answers: Map<string, KeptAnswer>;
  /** Part of every Idempotency-Key, so that keys that may have been forgotten are not used again. */
  keyRound: number;
  cursors: Cursor[];
  /** What its endpoint answers with; null: nothing answers. */
  receiver: number | null;
  /** The times of its tests. */
  readonly tests: number[];
}

interface AccessKey {
  readonly cell: Cell;
  /** When it stopped or stops working; null: it is the current one. */
  endsAt: number | null;
}

interface Token {
  readonly cell: Cell;
  readonly key: AccessKey;
  readonly issuedAt: number;
}

/** A person with an account, in any organization or none. */
export interface Account {
  readonly number: Cell;
  /** The user's own, which a membership gets that does not begin with an invitation (decision 36). */
  readonly uuid: Cell;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Cell;
  /** Null: the account has none. */
  readonly password: string | null;
}

export interface Member {
  readonly account: Account;
  readonly uuid: Cell;
  role: 'owner' | 'admin' | 'member';
  idpId: string | null;
  readonly joinedAt: Cell;
}

export interface Invitation {
  id: Cell;
  url: Cell;
  readonly email: string;
  firstName: string;
  lastName: string;
  idpId: string | null;
  /** As it was ended; a revoked one can show as replaced. */
  stored: 'pending' | 'accepted' | 'revoked';
  /** For how many days it is valid, and until when; null: for ever. */
  days: number | null;
  expiresAt: number | null;
  invitedAt: Cell;
  acceptedAt: number | null;
  revokedAt: Cell | null;
  /** Whose membership came of it. */
  member: Member | null;
}

interface LoginLink {
  readonly url: Cell;
  readonly organization: OrganizationModel;
  readonly member: Member;
  readonly issuedAt: number;
  /** Whether it was neither used nor ended with the membership. */
  isOpen: boolean;
}

export interface Webhook {
  readonly id: Cell;
  url: string;
  enabled: boolean;
  events: readonly string[];
  secret: Cell;
  /** The secret before, while it is in use. */
  previous: { readonly secret: Cell; readonly endsAt: number } | null;
  readonly createdAt: number;
  updatedAt: Cell;
}

export interface Event {
  readonly id: Cell;
  readonly at: number;
  readonly organization: OrganizationModel;
  readonly account: Account;
  readonly member: Member;
  isErased: boolean;
}

export interface Delivery {
  readonly id: Cell;
  /** Null: a test about a made-up user. */
  readonly event: Event | null;
  readonly eventId: Cell;
  readonly at: number;
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  readonly attempts: Attempt[];
}

export interface Attempt {
  readonly number: number;
  readonly startedAt: number;
  readonly status: number | null;
  /** The request as the receiver got it. */
  readonly sent: SentRequest;
}

export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface KeptAnswer {
  readonly request: string;
  readonly at: number;
  readonly status: number;
  readonly text: string;
}

/** A `next` that an answer had, with what the next page must begin after. */
export interface Cursor {
  readonly cell: Cell;
  readonly list: 'users' | 'invitations' | 'deliveries' | 'events' | 'changes';
  /** The filters of the list, which later pages repeat. */
  readonly query: readonly (readonly [string, string])[];
  readonly after: unknown;
}

export interface ModelMeeting extends Omit<DatasetMeeting, 'updatedAt'> {
  readonly updatedAt: Cell;
  /** The number of the load that changed it last. */
  readonly updatedIn: number;
}

export interface MeetingLogEntry {
  readonly id: number;
  readonly at: Cell;
  /** The indexes of the organizations that see the meeting afterwards. */
  readonly seenBy: readonly number[];
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** A cell whose value both organizations may see. */
export function publicCell(form: Form, among: readonly unknown[] | null = null): Cell {
  return new Cell(form, null, among);
}

/** A cell that holds the time, or one of several. */
export function timeCell(...times: readonly number[]): Cell {
  return new Cell(forms.time, null, times.length === 0 ? null : times.map(iso));
}

/** A cell that holds the time, or what another cell holds. */
export function timeCellOr(time: number, { value, among }: Cell): Cell {
  return new Cell(forms.time, null, [iso(time), ...(value === undefined ? (among ?? []) : [value])]);
}

/** Gives the cell its value, for ever. */
export function bind({ known }: Model, cell: Cell, value: string | number): void {
  cell.value = value;
  if (!known.has(value)) known.set(value, cell);
}

/** The item that a random number chooses, or undefined if there is none. */
export function pick<Item>(items: readonly Item[], chosen: number): Item | undefined {
  return items[chosen % Math.max(1, items.length)];
}

export function otherThan(model: Model, { index }: OrganizationModel): OrganizationModel {
  return model.organizations[index === 0 ? 1 : 0];
}

export function accountOf({ accounts }: Model, email: string): Account | undefined {
  return accounts.find((account) => account.email === email);
}

export function memberOf({ members }: OrganizationModel, email: string): Member | undefined {
  return members.find(({ account }) => account.email === email);
}

export function pendingOf({ invitations }: OrganizationModel, email: string): Invitation | undefined {
  return invitations.find((invitation) => invitation.email === email && invitation.stored === 'pending');
}

/** An invitation that has expired is revoked as of its end. */
export function revokeExpired({ organizations, now }: Model): void {
  for (const invitation of organizations.flatMap(({ invitations }) => invitations)) {
    const { stored, expiresAt } = invitation;
    if (stored === 'pending' && expiresAt !== null && expiresAt <= now)
      Object.assign(invitation, { stored: 'revoked', revokedAt: timeCell(expiresAt) });
  }
}

/** Whether the token opens the organization's calls now (sections 5 and 8, decision 23). */
export function isValid({ now }: Model, { key, issuedAt }: Token): boolean {
  return now < issuedAt + DAY && works(key, now);
}

export function works({ endsAt }: AccessKey, now: number): boolean {
  return endsAt === null || now < endsAt;
}

/** Makes a person a member, with the event and its delivery (decisions 18, 21, 29 and 36). */
export function register(
  model: Model,
  organization: OrganizationModel,
  { account, uuid, idpId }: { readonly account: Account; readonly uuid: Cell; readonly idpId: string | null },
): Member {
  const at = model.now;
  const open = pendingOf(organization, account.email);
  const member: Member = {
    account,
    uuid: open?.id ?? uuid,
    role: 'member',
    idpId: idpId ?? openIdpId(organization, open),
    joinedAt: timeCell(at),
  };
  if (open !== undefined) Object.assign(open, { stored: 'accepted', acceptedAt: at, member });
  organization.members.push(member);
  const id = new Cell(forms.event, organization.index);
  const event: Event = { id, at, organization, account, member, isErased: false };
  organization.events.push(event);
  const { webhook } = organization;
  if (webhook?.enabled === true && webhook.events.includes(eventName))
    addDelivery(organization, { event, eventId: id, at });
  return member;
}

/** One that a member has got meanwhile is not given (decision 182). */
function openIdpId({ members }: OrganizationModel, open: Invitation | undefined): string | null {
  const idpId = open?.idpId ?? null;
  return members.some((member) => member.idpId === idpId) ? null : idpId;
}

function addDelivery(
  organization: OrganizationModel,
  given: Pick<Delivery, 'event' | 'eventId' | 'at'>,
): Delivery {
  const id = publicCell(forms.delivery);
  const delivery: Delivery = { id, state: 'pending', attempts: [], ...given };
  organization.deliveries.push(delivery);
  return delivery;
}

/** The body of the event (section 6.2), or of one about a person who was erased (decision 221). */
export function eventBody({ id, at, organization, account, member, isErased }: Event): object {
  const head = {
    event: eventName,
    event_id: id,
    timestamp: iso(at),
    organization: { id: organization.id, name: organization.name },
  };
  if (isErased) {
    const none = { id: null, uuid: null, email: null, first_name: null, last_name: null, created_at: null };
    return { ...head, user: none, erased: true };
  }
  const user = {
    id: account.number,
    uuid: member.uuid,
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName,
    created_at: account.createdAt,
  };
  return { ...head, user };
}

/** Takes what the service erases with a person out of the model (decision 221). */
export function erase(model: Model, account: Account): void {
  for (const organization of model.organizations) {
    remove(organization.invitations, ({ email }) => email === account.email);
    remove(organization.members, (member) => member.account === account);
    for (const event of organization.events) if (event.account === account) event.isErased = true;
    for (const delivery of organization.deliveries)
      if (delivery.event?.isErased === true && delivery.state === 'pending') delivery.state = 'skipped';
    organization.keyRound += 1;
    organization.cursors = organization.cursors.filter(({ list }) => list !== 'invitations');
  }
  for (const link of model.links) if (link.member.account === account) link.isOpen = false;
  remove(model.accounts, (other) => other === account);
  const number = account.number.value;
  model.registrations = model.registrations.filter(({ userId }) => userId !== number);
  model.waitingPlaces = model.waitingPlaces.filter(({ userId }) => userId !== number);
}

export function remove<Item>(items: Item[], isGone: (item: Item) => boolean): void {
  for (let index = items.length - 1; index >= 0; index -= 1)
    if (isGone(items[index] as Item)) items.splice(index, 1);
}
