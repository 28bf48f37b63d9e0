/** Values that are shown but never searched. They are stored as one JSON text. */
export interface SittingFacts {
  readonly name: string;
  readonly kind: string;
  readonly minutes: number;
  readonly topic: string;
  readonly focus: string;
  readonly host: string;
  readonly location: string;
  readonly price: number | null;
  readonly description: string | null;
  readonly isPrivate: boolean;
  readonly takesDonations: boolean;
  readonly byInvitation: boolean;
}

export interface SittingRow {
  readonly id: number;
  readonly begins: number;
  readonly ends: number;
  readonly state: string;
  readonly wellness: number;
  readonly queueing: number;
  readonly leader: number | null;
  readonly places: number;
  readonly facts: string;
  readonly changed: number;
}
