import net from 'node:net';
import { test } from 'node:test';
import tls from 'node:tls';
import { webhookSenderLookupSuite, webhookSenderSuite } from '@rollcall/core/testing';
import { systemClock } from '#adapters/system/clock.js';
import { gotWebhookSender } from '#adapters/webhook/sender.js';
import { leavesNothingBehind, SHORT } from './sending.js';

leavesNothingBehind();

const options = { net, tls, clock: systemClock, maxAttemptMs: SHORT.total };

const suites = [
  ...webhookSenderSuite({
    ...options,
    start: async ({ authority, allowedAddresses }) =>
      gotWebhookSender({
        allowedNetworks: allowedAddresses.map((address) => `${address}/32`),
        certificateAuthorities: [authority],
        limits: SHORT,
      }),
  }),
  ...webhookSenderLookupSuite({
    ...options,
    start: async ({ authority, allowedAddresses, lookup }) =>
      gotWebhookSender({
        allowedNetworks: allowedAddresses.map((address) => `${address}/32`),
        certificateAuthorities: [authority],
        limits: SHORT,
        lookup: async (name) =>
          (await lookup(name)).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      }),
  }),
];

for (const { name, run } of suites) test(name, run);
