import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Core, type CoreOptions, createCore, type Ports, type StoragePorts } from '@rollcall/core';
import { almanacCalendarFeeds } from './almanacs.js';
import { companyOrganizations } from './companies.js';
import { type Database, openDatabase } from './database.js';
import { diaryAuditTrail } from './diary.js';
import { dossierPersonalData } from './dossier.js';
import { errandIdempotencyKeys } from './errands.js';
import { hookWebhooks } from './hooks.js';
import { inviteInvitations } from './invites.js';
import { letterDeliveries, letterOutbox } from './letters.js';
import { countedLimits, systemClock } from './limits.js';
import { startMailroom } from './mailroom.js';
import { noticeEventFeed } from './notices.js';
import { peopleUsers, staffMembers } from './people.js';
import { postcardMails, postcardPasswordResets } from './postcards.js';
import { harborSecrets, harborTokens, randomIds, scryptPasswords, worstPasswords } from './secrets.js';
import { httpsSender } from './sender.js';
import { createHttpServer } from './server.js';
import { sittingMeetings } from './sittings.js';
import { doorCodeLoginLinks, visitSessions } from './visits.js';

/**
 * Harbor is an example of a booking service that embeds `@rollcall/core` with its own schema and vocabulary: companies
 * (organizations) have staff (members), sittings (meetings) have seats (registrations) and a queue (waiting places),
 * and hooks (webhooks) get letters (deliveries). Each file contains the adapters of the ports that its functions are
 * named after. `routes.ts` translates between HTTP and the core, and `promises.ts` runs the core's suites.
 */

/** The ports that store something, over the tables of one database. */
export function storagePorts(database: Database): StoragePorts {
  return {
    organizations: companyOrganizations(database),
    users: peopleUsers(database),
    members: staffMembers(database),
    invitations: inviteInvitations(database),
    loginLinks: doorCodeLoginLinks(database),
    passwordResets: postcardPasswordResets(database),
    mails: postcardMails(database),
    sessions: visitSessions(database),
    meetings: sittingMeetings(database),
    webhooks: hookWebhooks(database),
    outbox: letterOutbox(database),
    deliveries: letterDeliveries(database),
    eventFeed: noticeEventFeed(database),
    auditTrail: diaryAuditTrail(database),
    calendarFeeds: almanacCalendarFeeds(database),
    idempotencyKeys: errandIdempotencyKeys(database),
    personalData: dossierPersonalData(database),
  };
}

export interface ServiceOptions {
  readonly file: string;
  /** At least 32 characters. All other keys are derived from it. */
  readonly secretKey: string;
  /** The URL of the pages for invitations and login links. */
  readonly publicUrl: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly settings?: Partial<CoreOptions>;
  /** Replacements for the usual ports, for tests. */
  readonly ports?: Partial<Ports>;
  readonly onBug: (error: unknown) => void;
}

export interface Service {
  readonly port: number;
  readonly core: Core;
  readonly ports: Ports;
  readonly database: Database;
  stop(): Promise<void>;
}

/** Opens the database, sends what is waiting, and listens on the loopback address. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { secretKey, publicUrl, onBug } = options;
  if (secretKey.length < 32) throw new Error('The secret key must have at least 32 characters');
  const database = openDatabase(options.file);
  const clock = options.ports?.clock ?? systemClock;
  const mailroom = startMailroom({ core: () => core, onBug });
  const ports: Ports = {
    ...storagePorts(database),
    secrets: harborSecrets(secretKey),
    tokens: harborTokens(secretKey),
    passwords: scryptPasswords,
    commonPasswords: worstPasswords,
    limits: countedLimits(clock),
    webhookSender: httpsSender(),
    dispatcher: mailroom.dispatcher,
    clock,
    ids: randomIds,
    ...options.ports,
  };
  const core = createCore(ports, {
    serviceName: 'Service',
    // This service has nowhere to report a webhook that keeps failing.
    webhookFailureNotice: 0,
    links: {
      invitation: (token) => `${publicUrl}/invitations/${token.reveal()}`,
      login: (token) => `${publicUrl}/login/${token.reveal()}`,
      defaultAvatar: `${publicUrl}/nobody.svg`,
    },
    ...options.settings,
  });
  await mailroom.recover();

  const server = createHttpServer({ core, onBug });
  server.listen({ port: options.port, host: '127.0.0.1' });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    core,
    ports,
    database,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await mailroom.stop();
      database.close();
    },
  };
}
