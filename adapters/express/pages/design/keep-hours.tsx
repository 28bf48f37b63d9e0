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

/** The time for which a replaced key or secret stays in use, in hours. The field is empty for none. */
export function KeepHours(props: KeepHoursProps) {
  return <Select {...props} choices={choices} />;
}

const choices = [
  { value: '', text: 'None: it stops working at once' },
  { value: '1', text: '1 hour' },
  { value: '8', text: '8 hours' },
  { value: '24', text: '1 day' },
  { value: '72', text: '3 days' },
  { value: String(maxKeepHours), text: '7 days' },
];
