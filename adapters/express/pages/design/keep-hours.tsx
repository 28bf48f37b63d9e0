import { maxKeepHours } from '@rollcall/core/rules';
import { Select } from './form.js';

interface KeepHoursProps {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  /** The chosen number of hours. */
  readonly value: string;
  readonly problem: string | undefined;
}

/** Asks for how many hours a replaced key or secret stays in use. The field is empty for none. */
export function KeepHours(props: KeepHoursProps) {
  return <Select {...props} choices={choices} />;
}

const choices = [
  { value: '', text: 'No, it stops working at once' },
  { value: '1', text: 'For 1 hour' },
  { value: '8', text: 'For 8 hours' },
  { value: '24', text: 'For 1 day' },
  { value: '72', text: 'For 3 days' },
  { value: String(maxKeepHours), text: 'For 7 days' },
];
