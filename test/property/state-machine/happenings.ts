import { Refusal, Secret } from '@rollcall/core';
import fc from 'fast-check';
import { Cell, Draft, forms } from './cell.js';
import { addressOf, chosen, eitherOrganization, idpIdOf, maybe, people } from './choices.js';
import { markerOf, pass, type Real, type Step } from './command.js';
import { takenIdpId } from './invitations.js';
import { changeMeeting, type MeetingChange, meetingChanges } from './meeting-data.js';
import {
  type Account,
  accountOf,
  bind,
  DAY,
  type Delivery,
  HOUR,
  iso,
  MINUTE,
  type Model,
  memberOf,
  type OrganizationModel,
  pick,
  register,
  SECOND,
  timeCell,
} from './model.js';
import { requestProblem } from './receiver.js';
import { Mismatch } from './run-of-calls.js';

/** Something that happens outside of the API: time passes, a person acts on a page, an endpoint answers. */
class Happening implements Step {
  private readonly name: string;
  private readonly happen: (model: Model, real: Real) => Promise<void>;
  private readonly canHappen: (model: Readonly<Model>) => boolean;

  constructor(name: string, happen: Happening['happen'], canHappen: Happening['canHappen'] = () => true) {
    this.name = name;
    this.happen = happen;
    this.canHappen = canHappen;
  }

  check(model: Readonly<Model>): boolean {
    return this.canHappen(model);
  }

  async run(model: Model, real: Real): Promise<void> {
    model.received = [];
    await this.happen(model, real);
    pass(model, real, SECOND);
  }

  toString(): string {
    return this.name;
  }
}

/** Events are kept for at least 30 days, which the model does not look beyond. */
const MAX_TIME = 29 * DAY;

const timePasses: fc.Arbitrary<Step> = fc
  .constantFrom(MINUTE, 5 * MINUTE, HOUR, 23 * HOUR, DAY, DAY, 2 * DAY)
  .map((milliseconds) => {
    const text = milliseconds < HOUR ? `${milliseconds / MINUTE} minutes` : `${milliseconds / HOUR} hours`;
    return new Happening(
      `${text} pass`,
      async (model, real) => {
        pass(model, real, milliseconds);
        real.run.note(`Now ${text} pass: it is ${iso(model.now)}.`);
      },
      ({ now, startedAt }) => now + milliseconds - startedAt < MAX_TIME,
    );
  });

const password = 'correct horse battery staple';

export const acceptInvitation = (index: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc.record({ index, number: chosen }).map(({ index, number }) => {
    const urls = (model: Readonly<Model>) => {
      const { invitations } = model.organizations[index];
      const isPending = (one: (typeof invitations)[number]): boolean => one.stored === 'pending';
      const shown = invitations.filter(({ url }) => url.value !== undefined);
      return [...shown.filter(isPending), ...shown.filter((one) => !isPending(one))];
    };
    return new Happening(
      'a person accepts an invitation',
      async (model, { service, run }) => {
        const organization = model.organizations[index];
        const invitation = pick(urls(model), number % 7 < 5 ? 0 : number);
        if (invitation === undefined) return;
        const { email, firstName, lastName, url } = invitation;
        const known = accountOf(model, email);
        const person =
          known === undefined
            ? ({ is: 'new', firstName, lastName, password: new Secret(password) } as const)
            : ({ is: 'known', password: new Secret(password) } as const);
        const isOpen = invitation.stored === 'pending' && (known === undefined || known.password !== null);
        const names =
          known === undefined
            ? ` --data-urlencode 'first_name=${firstName}' --data-urlencode 'last_name=${lastName}'`
            : '';
        run.note(
          `The invited person opens the URL and sends the form${isOpen ? '' : ', which is refused'}.`,
          [
            'curl -sS -o /dev/null -w "%{http_code}\\n" "',
            url,
            `" --data-urlencode 'password=${password}'${names}`,
          ],
        );
        await outcome(isOpen, () =>
          service.core.acceptInvitation({ token: tokenIn(url), person, address: '127.0.0.1' }),
        );
        if (!isOpen) return;
        const own = { email, firstName, lastName, password, uuid: invitation.id };
        const account = known ?? newAccount(model, own);
        register(model, organization, { account, uuid: invitation.id, idpId: null });
      },
      (model) => urls(model).length > 0,
    );
  });

/** The token at the end of the URL of an invitation or a login link. */
function tokenIn(url: Cell): string {
  return String(url.value).split('/').at(-1) ?? '';
}

function newAccount(
  model: Model,
  given: Pick<Account, 'email' | 'firstName' | 'lastName' | 'password' | 'uuid'>,
): Account {
  const account = { ...given, number: new Cell(forms.userNumber, null), createdAt: timeCell(model.now) };
  model.accounts.push(account);
  return account;
}

/** Fails unless the work succeeds, or is refused, as expected. */
async function outcome<Result>(isExpected: boolean, work: () => Promise<Result>): Promise<Result | null> {
  try {
    const result = await work();
    if (!isExpected) throw new Mismatch('what must be refused was done');
    return result;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isExpected) throw new Mismatch(`refused with ${error.code}: ${error.message}`);
    return null;
  }
}

export const registerPerson = (index: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc
    .record({ index, number: chosen, idpId: maybe(fc.nat({ max: 3 })) })
    .map(({ index, number, idpId: idpNumber }) => {
      return new Happening('a program registers a person', async (model, { service, run }) => {
        const organization = model.organizations[index];
        const person = people[number % people.length] ?? people[0];
        const email = addressOf(model, person.key);
        const idpId = idpNumber === undefined ? null : idpIdOf(model, organization, idpNumber);
        const open = organization.invitations.find((one) => one.email === email && one.stored === 'pending');
        const isFree = memberOf(organization, email) === undefined;
        const isExpected = isFree && takenIdpId(organization, idpId, open) === null;
        const { firstName, lastName } = person;
        run.note(
          `A program registers ${email} in organization ${organization.id}, with idp_id ${idpId}${isExpected ? '' : ', which is refused'}.`,
        );
        const member = await outcome(isExpected, () =>
          service.core.registerUser({ organizationId: organization.id, email, firstName, lastName, idpId }),
        );
        if (member === null) return;
        const own = { email, firstName, lastName, password: null, uuid: new Cell(forms.member, null) };
        const account = accountOf(model, email) ?? newAccount(model, own);
        if (account.number.value === undefined) bind(model, account.number, member.user.id);
        shareUuids(model, email);
        register(model, organization, { account, uuid: account.uuid, idpId });
      });
    });

/** Members who are added have the user's own UUID, which can be the one of an invitation elsewhere (decision 36). */
function shareUuids({ organizations }: Model, email: string): void {
  for (const { invitations, members } of organizations) {
    for (const invitation of invitations) if (invitation.email === email) invitation.id.owner = null;
    for (const { account, uuid } of members) if (account.email === email) uuid.owner = null;
  }
}

const FIVE_MINUTES = 5 * MINUTE;

/** Small numbers choose the newest links. */
export const redeemLink = (which: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  which.map(
    (number) =>
      new Happening(
        'a person opens a login link',
        async (model, { service, run }) => {
          const link = pick([...model.links].reverse(), number);
          if (link === undefined) return;
          const isExpected = link.isOpen && model.now < link.issuedAt + FIVE_MINUTES;
          run.note(
            `The person opens the login link and presses the button${isExpected ? '' : ', which is refused'}.`,
            ['curl -sS -o /dev/null -w "%{http_code}\\n" -X POST "', link.url, '"'],
          );
          const token = tokenIn(link.url);
          const session = await outcome(isExpected, () => service.core.redeemLoginLink({ token }));
          if (session !== null) link.isOpen = false;
        },
        ({ links }) => links.length > 0,
      ),
  );

const changeRole: fc.Arbitrary<Step> = fc
  .record({ index: eitherOrganization, number: chosen, role: fc.constantFrom('admin', 'member') })
  .map(({ index, number, role }) => {
    return new Happening('an owner changes a role', async (model, { service, run }) => {
      const organization = model.organizations[index];
      const others = organization.members.filter(
        ({ role: before, account }) => before !== 'owner' && account.number.value !== undefined,
      );
      const member = pick(others, number);
      if (member === undefined) return;
      const { email, number: userNumber } = member.account;
      run.note(`An owner of organization ${organization.id} gives ${email} the role ${role}.`);
      await service.core.changeRole({
        organization,
        userId: Number(userNumber.value),
        role: role as 'admin',
      });
      member.role = role as 'admin';
    });
  });

export const endpointChanges = (index: fc.Arbitrary<0 | 1>): fc.Arbitrary<Step> =>
  fc.record({ index, status: fc.constantFrom(200, 500, null) }).map(
    ({ index, status }) =>
      new Happening('an endpoint answers otherwise', async (model, { run }) => {
        const organization = model.organizations[index];
        organization.receiver = status;
        run.note(
          `From now on, the endpoint of organization ${organization.id} answers ${status ?? 'nothing'}.`,
        );
      }),
  );

export const deliver: fc.Arbitrary<Step> = fc.constant(
  new Happening('the waiting events are delivered', async (model, real) => {
    real.run.note('The service sends the waiting events.');
    await deliverAll(real);
    for (const organization of model.organizations) {
      const waiting = organization.deliveries.filter(({ state }) => state === 'pending');
      for (const delivery of waiting) delivered(model, organization, delivery);
    }
    const [other] = model.received;
    if (other !== undefined) throw new Mismatch(`a request that nothing explains: ${JSON.stringify(other)}`);
  }),
);

async function deliverAll({ service }: Real): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds += 1) {
    const started = await service.core.deliverWebhooks({ limit: 50 });
    if (started.length === 0) return;
    await Promise.all(started);
  }
  throw new Mismatch('the waiting events do not end');
}

/** Takes the request of the delivery from what the endpoints got, and compares it. */
function delivered(model: Model, organization: OrganizationModel, delivery: Delivery): void {
  // A test is sent while the webhook is switched off, too (decision 86).
  if (organization.webhook?.enabled !== true && delivery.event !== null) {
    delivery.state = 'skipped';
    return;
  }
  const marker = markerOf(organization, model);
  const problems: string[] = [];
  for (const sent of model.received.filter(({ url }) => url.includes(marker))) {
    const draft = new Draft(model.known);
    const id = sent.headers['X-Service-Event-Id'];
    const bound = draft.bind(delivery.eventId, id, 'X-Service-Event-Id');
    const problem = bound ?? requestProblem(model, { organization, delivery, sent, draft });
    if (problem !== null) {
      problems.push(problem);
      continue;
    }
    for (const [cell, value] of draft.values) bind(model, cell, value);
    model.received.splice(model.received.indexOf(sent), 1);
    const status = organization.receiver;
    delivery.state = status === 200 ? 'delivered' : 'failed';
    delivery.attempts.push({ number: delivery.attempts.length + 1, startedAt: model.now, status, sent });
    return;
  }
  throw new Mismatch(`webhook: ${problems[0] ?? 'an event was not sent'}`);
}

const meetingChange: fc.Arbitrary<Step> = fc
  .record({ number: chosen, change: fc.constantFrom<MeetingChange>(...meetingChanges) })
  .map(
    ({ number, change }) =>
      new Happening('a meeting changes', (model, real) => changeMeeting(model, real, { number, change })),
  );

export const happenings: readonly fc.Arbitrary<Step>[] = [
  timePasses,
  timePasses,
  acceptInvitation(eitherOrganization),
  acceptInvitation(eitherOrganization),
  registerPerson(eitherOrganization),
  redeemLink(chosen),
  changeRole,
  endpointChanges(eitherOrganization),
  deliver,
  deliver,
  meetingChange,
];
