import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Core, type CoreOptions, createCore, type Ports, type StoragePorts } from '@rollcall/core';
import { almanacCalendarFeeds } from './almanacs.js';
import { companyOrganizations } from './companies.js';
import { type Database, openDatabase } from './database.js';
import { diaryAuditTrail } from './diary.js';
import { hookWebhooks } from './hooks.js';
import { inviteInvitations } from './invites.js';
import { letterDeliveries, letterOutbox } from './letters.js';
import { countedLimits, systemClock } from './limits.js';
import { startMailroom } from './mailroom.js';
import { peopleUsers, staffMembers } from './people.js';
import { harborSecrets, harborTokens, randomIds, scryptPasswords } from './secrets.js';
import { httpsSender } from './sender.js';
import { createHttpServer } from './server.js';
import { sittingMeetings } from './sittings.js';
import { doorCodeLoginLinks, visitSessions } from './visits.js';

/**
 * Harbor, a booking service that embeds `@rollcall/core` in tables and words of its own: companies have staff,
 * sittings have seats and a queue, hooks get letters. Each file holds the adapters of the ports that its names
 * say; `routes.ts` is the wire; `promises.ts` runs the core's suites.
 */

/** Every port that keeps something, over the tables of one database. */
export function storagePorts(database: Database): StoragePorts {
  return {
    organizations: companyOrganizations(database),
    users: peopleUsers(database),
    members: staffMembers(database),
    invitations: inviteInvitations(database),
    loginLinks: doorCodeLoginLinks(database),
    sessions: visitSessions(database),
    meetings: sittingMeetings(database),
    webhooks: hookWebhooks(database),
    outbox: letterOutbox(database),
    deliveries: letterDeliveries(database),
    auditTrail: diaryAuditTrail(database),
    calendarFeeds: almanacCalendarFeeds(database),
  };
}

export interface ServiceOptions {
  readonly file: string;
  /** 32 characters or more: every other key is derived from it. */
  readonly secretKey: string;
  /** Where people find the pages for invitations and login links. */
  readonly publicUrl: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly settings?: Partial<CoreOptions>;
  /** Ports to put in the place of the usual ones, for trials. */
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
    limits: countedLimits(clock),
    webhookSender: httpsSender(),
    dispatcher: mailroom.dispatcher,
    clock,
    ids: randomIds,
    ...options.ports,
  };
  const core = createCore(ports, {
    serviceName: 'Service',
    // The mailroom knows nobody whom it could tell of a webhook that goes on failing.
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
