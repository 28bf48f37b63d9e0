import type { WebhookSender } from '@rollcall/core';
import { gotWebhookSender, receiverCheck } from '#adapters/webhook/sender.js';
import { readCertificates } from '../config/certificates.js';
import { type Bindings, type Bound, provide, provideValue } from './bindings.js';

/** Receivers in this process, trusted in addition to the configured networks and certificates. The demo has one. */
export interface OwnReceivers {
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** PEM texts. */
  readonly certificateAuthorities: readonly string[];
}

const noReceivers: OwnReceivers = { networks: [], certificateAuthorities: [] };

export const webhookSenderModule = {
  ownReceivers: provideValue(noReceivers),
  webhookSender: provide(['config', 'ownReceivers'], webhookSenderOf),
  receiverCheck: provide(['config', 'ownReceivers'], (needs) =>
    receiverCheck({ allowedNetworks: allowedNetworks(needs) }),
  ),
} satisfies Bindings;

type Needs = Pick<Bound, 'config' | 'ownReceivers'>;

function webhookSenderOf(needs: Needs): WebhookSender {
  const { config, ownReceivers } = needs;
  const files = [config.webhookCaFile, config.nodeExtraCaFile].filter((file) => file !== null);
  return gotWebhookSender({
    allowedNetworks: allowedNetworks(needs),
    certificateAuthorities: [...files.flatMap(readCertificates), ...ownReceivers.certificateAuthorities],
  });
}

function allowedNetworks({ config, ownReceivers }: Needs): readonly string[] {
  return [...config.webhookAllowedNetworks, ...ownReceivers.networks];
}
