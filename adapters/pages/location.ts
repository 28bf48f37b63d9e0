/** How a location is written in data: lower case, a hyphen for each space. */
const LITERAL = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Where a meeting takes place, in words. There are two locations: the service's own, whose literal comes from
 * the service's name, and another product's (section 2.3). What is no literal is words already.
 */
export function locationWords(location: string, serviceName: string): string {
  if (location === serviceName.replaceAll(' ', '-').toLowerCase()) return `Online, on ${serviceName}`;
  return LITERAL.test(location) ? `Online, by ${nameOf(location)}` : location;
}

/** `big-meetings`: Big Meetings */
function nameOf(literal: string): string {
  return literal
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}
