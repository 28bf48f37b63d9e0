import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';

export function deliveryNotFound(deliveryId: number): Refusal {
  const which = isId(deliveryId) ? `delivery ${deliveryId}` : 'such delivery';
  return new Refusal('delivery-not-found', `There is no ${which}`);
}
