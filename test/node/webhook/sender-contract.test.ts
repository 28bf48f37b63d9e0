import net from 'node:net';
import { test } from 'node:test';
import tls from 'node:tls';
import { webhookSenderLookupSuite, webhookSenderSuite } from '@rollcall/core/testing';
import { systemClock } from '#adapters/node/system/clock.js';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { checkNothingIsLeftOpen, SHORT_LIMITS } from './sending.js';

checkNothingIsLeftOpen();

const options = { net, tls, clock: systemClock, maxAttemptMs: SHORT_LIMITS.total };

const suites = [
  ...webhookSenderSuite({
    ...options,
    start: async ({ authority, allowedAddresses }) =>
      gotWebhookSender({
        allowedNetworks: allowedAddresses.map((address) => `${address}/32`),
        certificateAuthorities: [authority],
        limits: SHORT_LIMITS,
      }),
  }),
  ...webhookSenderLookupSuite({
    ...options,
    start: async ({ authority, allowedAddresses, lookup }) =>
      gotWebhookSender({
        allowedNetworks: allowedAddresses.map((address) => `${address}/32`),
        certificateAuthorities: [authority],
        limits: SHORT_LIMITS,
        lookup: async (name) =>
          (await lookup(name)).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      }),
  }),
];

for (const { name, run } of suites) test(name, run);
