import {
  eraseFaults,
  invitationFaults,
  keyFaults,
  redeemFaults,
  rotationFaults,
  sessionFaults,
} from './access-faults.js';
import {
  claimFaults,
  countFaults,
  eventFaults,
  feedFaults,
  finishFaults,
  sweepFaults,
} from './delivery-faults.js';
import type { PlantedFault } from './planted-fault.js';

export const plantedFaults: readonly PlantedFault[] = [
  ...claimFaults,
  ...sweepFaults,
  ...finishFaults,
  ...countFaults,
  ...eventFaults,
  ...feedFaults,
  ...redeemFaults,
  ...sessionFaults,
  ...invitationFaults,
  ...eraseFaults,
  ...keyFaults,
  ...rotationFaults,
];
