import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Actor, type ListedState, Refusal, type RefusalCode, Secret } from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { databaseKinds } from '../support/storage.js';
import { startTestService, type TestService } from '../support/test-service.js';

const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const organization = { id: 1 };
const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };

for (const database of databaseKinds) {
  const serviceTest = (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1)],
          memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
        });
        await work(service);
      } finally {
        await service.stop();
      }
    });
  const accept = (service: TestService, url: string) =>
    service.core.acceptInvitation({
      token: tokenOf(url),
      person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password: new Secret('correct horse') },
      address: 'a',
    });
  const only = async (service: TestService) => {
    const { items } = await service.core.listInvitations({ organization });
    assert.equal(items.length, 1);
    return items[0] as (typeof items)[number];
  };

  describe(`Invitations over ${database}`, () => {
    serviceTest('are listed with their URL while it works, with who invited, by state', async (service) => {
      const invited = await service.core.inviteUser({ organization, ...dana, by });
      const listed = await only(service);
      assert.deepEqual(
        [listed.state, listed.email, listed.userUuid, listed.invitationUrl, listed.inviter?.email],
        ['pending', dana.email, invited.uuid, invited.invitationUrl, aUser(1).email],
      );
      await accept(service, invited.invitationUrl);
      const accepted = await only(service);
      assert.deepEqual([accepted.state, accepted.invitationUrl], ['accepted', null]);
      const counts = [];
      for (const state of ['pending', 'accepted', 'revoked'] as const) {
        counts.push((await service.core.listInvitations({ organization, state })).totalItems);
      }
      assert.deepEqual(counts, [0, 1, 0]);
      assert.equal((await service.core.listInvitations({ organization: { id: 2 } })).totalItems, 0);
    });

    serviceTest(
      'are read by the UUID that the organization was told, also after a renewal',
      async (service) => {
        const { uuid } = await service.core.inviteUser({ organization, ...dana, by });
        const { id } = await only(service);
        const { invitationUrl } = await service.core.renewInvitation({ organization, invitationId: id });
        const read = await service.core.readInvitation({ organization, uuid: uuid.toUpperCase() });
        assert.deepEqual(
          [read.state, read.email, read.userUuid, read.invitationUrl, read.id === id],
          ['pending', dana.email, uuid, invitationUrl, false],
        );
        for (const [inOrganization, of] of [
          [{ id: 2 }, uuid],
          [organization, id],
          [organization, 'x'],
        ] as const) {
          await assert.rejects(
            service.core.readInvitation({ organization: inOrganization, uuid: of }),
            (error) => error instanceof Refusal && error.code === 'invitation-unknown',
          );
        }
      },
    );

    serviceTest('come in pages', async (service) => {
      for (let number = 1; number <= 5; number += 1) {
        service.clock.advance(1000);
        await service.core.inviteUser({ organization, ...dana, email: `p${number}@example.test` });
      }
      const page = await service.core.listInvitations({ organization, page: 2, size: 2 });
      assert.deepEqual(
        [page.items.map(({ email }) => email[1]), page.totalItems, page.totalPages],
        [['3', '2'], 5, 3],
      );
    });

    serviceTest(
      'once revoked says so to whoever opens it, and the address can be invited anew',
      async (service) => {
        const { invitationUrl, uuid } = await service.core.inviteUser({ organization, ...dana });
        const { id } = await only(service);
        await service.core.revokeInvitation({ organization, invitationId: id.toUpperCase(), by });
        await assert.rejects(accept(service, invitationUrl), refused('invitation-revoked'));
        await assert.rejects(
          service.core.readPendingInvitation({ token: tokenOf(invitationUrl) }),
          refused('invitation-revoked'),
        );
        const again = await service.core.inviteUser({ organization, ...dana });
        assert.notEqual(again.invitationUrl, invitationUrl);
        assert.notEqual(again.uuid, uuid);
        await accept(service, again.invitationUrl);
      },
    );

    serviceTest(
      'that is revoked is replaced by one that stands since, and by none that is revoked',
      async (service) => {
        const replacements = async () =>
          (await service.core.listInvitations({ organization })).items.map(({ replacedBy }) => replacedBy);
        const counts = async () => {
          const count = async (state: ListedState) =>
            (await service.core.listInvitations({ organization, state })).totalItems;
          return [await count('revoked'), await count('replaced')];
        };
        for (let number = 1; number <= 2; number += 1) {
          await service.core.inviteUser({ organization, ...dana });
          const { items } = await service.core.listInvitations({ organization, state: 'pending' });
          service.clock.advance(1000);
          await service.core.revokeInvitation({ organization, invitationId: items[0]?.id ?? '' });
          service.clock.advance(1000);
        }
        assert.deepEqual(await replacements(), [null, null]);
        assert.deepEqual(await counts(), [2, 0]);
        const { uuid, invitationUrl } = await service.core.inviteUser({ organization, ...dana });
        assert.deepEqual(await replacements(), [null, uuid, uuid]);
        assert.deepEqual(await counts(), [0, 2]);
        await accept(service, invitationUrl);
        assert.deepEqual(await replacements(), [null, uuid, uuid]);
        assert.deepEqual(await counts(), [0, 2]);
      },
    );

    serviceTest('renewed has a new URL and the UUID that was told; the old URL is dead', async (service) => {
      const first = await service.core.inviteUser({ organization, ...dana });
      const { id } = await only(service);
      service.clock.advance(1000);
      const renewed = await service.core.renewInvitation({ organization, invitationId: id, by });
      assert.notEqual(renewed.invitationUrl, first.invitationUrl);
      assert.deepEqual({ ...renewed, invitationUrl: '' }, { ...first, invitationUrl: '' });
      await assert.rejects(accept(service, first.invitationUrl), refused('invitation-revoked'));
      assert.deepEqual(await service.core.inviteUser({ organization, ...dana }), renewed);
      const { items } = await service.core.listInvitations({ organization });
      assert.deepEqual(
        items.map(({ state, inviter, replacedBy }) => [state, inviter?.email, replacedBy]),
        [
          ['pending', aUser(1).email, null],
          ['revoked', undefined, first.uuid],
        ],
      );
      const uuid = items[1]?.userUuid ?? '';
      assert.deepEqual((await service.core.readInvitation({ organization, uuid })).replacedBy, first.uuid);
      await accept(service, renewed.invitationUrl);
      await service.core.issueLoginLink({ organization, uuid: first.uuid });
    });

    serviceTest(
      'revoking and renewing refuse what is not pending, or not the organization’s',
      async (service) => {
        const { invitationUrl } = await service.core.inviteUser({ organization, ...dana });
        const { id } = await only(service);
        const both = (invitationId: string, of = organization) => [
          () => service.core.revokeInvitation({ organization: of, invitationId }),
          () => service.core.renewInvitation({ organization: of, invitationId }),
        ];
        for (const text of ['', 'x', '\0', `${id} `, 'ffffffff-ffff-4fff-8fff-ffffffffffff']) {
          for (const attempt of both(text)) await assert.rejects(attempt, refused('invitation-unknown'));
        }
        for (const attempt of both(id, { id: 2 }))
          await assert.rejects(attempt, refused('invitation-unknown'));
        await accept(service, invitationUrl);
        for (const attempt of both(id)) await assert.rejects(attempt, refused('invitation-used'));
      },
    );

    serviceTest('what became of them is in the trail, without a URL', async (service) => {
      await service.core.inviteUser({ organization, ...dana, by });
      await service.core.inviteUser({ organization, ...dana, by });
      const renewed = await service.core.renewInvitation({
        organization,
        invitationId: (await only(service)).id,
        by,
      });
      const { items } = await service.core.listInvitations({ organization, state: 'pending' });
      await service.core.revokeInvitation({ organization, invitationId: items[0]?.id ?? '' });
      const activity = await service.core.listActivity({ organization });
      assert.deepEqual(
        activity.items.map(({ action, subject, actor }) => [action, subject, actor.who.kind]),
        [
          ['invitation-revoked', dana.email, 'program'],
          ['invitation-renewed', dana.email, 'user'],
          ['user-invited', dana.email, 'user'],
        ],
      );
      assert.ok(!JSON.stringify(activity).includes(tokenOf(renewed.invitationUrl)));
    });
  });

  describe(`Inviting many over ${database}`, () => {
    const invite = (service: TestService, text: string) =>
      service.core.inviteUsers({ organization, text, by });

    serviceTest('says line by line what became of it; one bad line stops no other', async (service) => {
      const text = [
        'Email,First name,Last name',
        'one@example.test, One, Person',
        '',
        'two@example.test;"Two; junior";Person',
        '"three@example.test"\t"Three ""3"""\tO\'Neil, Jr.',
        'nobody,No,Body',
        'ONE@example.test,Again,Person',
        `${aUser(1).email},Al,Ready`,
        'four@example.test,Four',
        'five@example.test,Five,Person,more',
        '\ufeffsix@example.test,,Person',
        'seven@example.test,\u202eSeven <b>,=1+1',
      ].join('\r\n');
      const results = await invite(service, text);
      assert.deepEqual(
        results.map(({ line, email, invited, problems }) => [
          line,
          email,
          invited === null
            ? problems.map((problem) => problemText(problem).split(' ').slice(0, 4).join(' '))
            : invited.firstName,
        ]),
        [
          [2, 'one@example.test', 'One'],
          [4, 'two@example.test', 'Two; junior'],
          [5, 'three@example.test', 'Three "3"'],
          [6, 'nobody', ['email must be an']],
          [7, 'ONE@example.test', ['email is in line']],
          [8, aUser(1).email, ['email: this user is']],
          [9, 'four@example.test', ['Needs an email address,']],
          [10, 'five@example.test', ['Needs an email address,']],
          [11, 'six@example.test', ['firstName must not be']],
          [12, 'seven@example.test', '\u202eSeven <b>'],
        ],
      );
      assert.equal((await service.core.listInvitations({ organization })).totalItems, 4);
      assert.equal((await service.core.listActivity({ organization })).totalItems, 4);
      const [first] = results;
      assert.deepEqual(
        first?.invited,
        await service.core.inviteUser({ organization, ...dana, email: 'one@example.test' }),
      );
    });

    serviceTest('again gives the same URLs', async (service) => {
      const text = 'a@example.test\tA\tB\nb@example.test\tA\tB\r';
      const first = await invite(service, text);
      assert.equal(first.length, 2);
      assert.deepEqual(await invite(service, text), first);
    });

    serviceTest('takes 500 lines and no more, and at least one', async (service) => {
      const lines = (count: number) =>
        Array.from({ length: count }, (_, index) => `nobody-${index},No,Body`).join('\n');
      assert.equal((await invite(service, `email\n${lines(500)}\n\n`)).length, 500);
      await assert.rejects(invite(service, lines(501)), refused('invalid-request'));
      for (const empty of ['', '\n \n', 'E-mail address,First name,Last name']) {
        await assert.rejects(invite(service, empty), refused('invalid-request'));
      }
    });
  });
}

function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function refused(code: RefusalCode) {
  return (error: unknown) => error instanceof Refusal && error.code === code;
}
