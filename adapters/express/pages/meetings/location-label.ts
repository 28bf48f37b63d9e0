/** A location as data has it: lower case, with hyphens for spaces. */
const LITERAL = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Where a meeting takes place, in words. There are two literals: the service's own, which comes from its name,
 * and another product's (section 2.3). Any other text is shown as it is.
 */
export function locationLabel(location: string, serviceName: string): string {
  if (location === serviceName.replaceAll(' ', '-').toLowerCase()) return `Online, on ${serviceName}`;
  if (!LITERAL.test(location)) return location;
  // `big-meetings`: Big Meetings
  return `Online, by ${location.replaceAll('-', ' ').replace(/\b[a-z]/g, (first) => first.toUpperCase())}`;
}
