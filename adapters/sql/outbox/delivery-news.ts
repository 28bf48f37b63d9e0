/** The first delivery of each organization that waits. */
export type FirstDeliveries = ReadonlyMap<number, number>;

/** PostgreSQL takes texts of less than 8,000 bytes. */
const MAX_ORGANIZATIONS = 200;

/** The texts that tell other processes of deliveries that wait, such as `3:17 4:18`. */
export function newsOf(first: FirstDeliveries): readonly string[] {
  const pairs = [...first].map(([organizationId, deliveryId]) => `${organizationId}:${deliveryId}`);
  const texts: string[] = [];
  for (let start = 0; start < pairs.length; start += MAX_ORGANIZATIONS)
    texts.push(pairs.slice(start, start + MAX_ORGANIZATIONS).join(' '));
  return texts;
}

/** Null: this is another text. Anyone who may use the database can send one. */
export function readNews(text: string): FirstDeliveries | null {
  if (!/^\d{1,15}:\d{1,15}( \d{1,15}:\d{1,15})*$/.test(text)) return null;
  return new Map(
    text.split(' ').map((pair) => {
      const [organizationId = 0, deliveryId = 0] = pair.split(':').map(Number);
      return [organizationId, deliveryId];
    }),
  );
}
