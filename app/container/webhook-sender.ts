import type { WebhookSender } from '@rollcall/core';
import { gotWebhookSender } from '@rollcall/node';
import { readCertificates } from '../config/certificates.js';
import { type Bindings, type ContainerValues, provide, provideValue } from './bindings.js';

/** Receivers in this process, trusted in addition to the configured networks and certificates. The demo has one. */
export interface LocalReceivers {
  /** CIDR notation. */
  readonly networks: readonly string[];
  /** PEM texts. */
  readonly certificateAuthorities: readonly string[];
}

const noLocalReceivers: LocalReceivers = { networks: [], certificateAuthorities: [] };

export const webhookSenderModule = {
  localReceivers: provideValue(noLocalReceivers),
  webhookSender: provide(['config', 'localReceivers'], webhookSenderOf),
} satisfies Bindings;

type Needs = Pick<ContainerValues, 'config' | 'localReceivers'>;

function webhookSenderOf(needs: Needs): WebhookSender {
  const { config, localReceivers } = needs;
  const files = [config.webhookCaFile, config.nodeExtraCaFile].filter((file) => file !== null);
  return gotWebhookSender({
    allowedNetworks: allowedNetworks(needs),
    certificateAuthorities: [...files.flatMap(readCertificates), ...localReceivers.certificateAuthorities],
  });
}

function allowedNetworks({ config, localReceivers }: Needs): readonly string[] {
  return [...config.webhookAllowedNetworks, ...localReceivers.networks];
}
