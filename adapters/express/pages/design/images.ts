import type { BrandColors } from './brand.js';

type TickColors = Pick<BrandColors, 'accent' | 'onAccent'>;

/** A person, for people without a picture. Its colors work on light and dark. */
export const defaultAvatar = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">
<rect width="96" height="96" fill="#dbe1ea"/>
<circle cx="48" cy="37" r="17" fill="#8693a8"/>
<path d="M14 96c0-21 15-34 34-34s34 13 34 34z" fill="#8693a8"/>
</svg>
`;

/** A roll with two ticks, on the color of the brand. */
export const favicon = ({
  accent,
  onAccent,
}: TickColors): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="${accent}"/>
<path d="M6.5 11.5l2.5 2.5 4.5-5M18 11.5h7.5M6.5 21.5l2.5 2.5 4.5-5M18 21.5h7.5" fill="none" stroke="${onAccent}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The arrow of a select. Its grey is visible on light and dark. */
export const chevron = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">
<path d="M6 9l6 6 6-6" fill="none" stroke="#7f899d" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The tick of a checked box. */
export const check = ({
  onAccent,
}: TickColors): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">
<path d="M5 12.5l5 5L19 7" fill="none" stroke="${onAccent}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The calendar icon of a date field. */
export const calendar = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">
<path d="M4 9h16M8 3v4M16 3v4M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z" fill="none" stroke="#7f899d" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
