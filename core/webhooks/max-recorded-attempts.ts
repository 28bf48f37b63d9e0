/** How many attempts of a delivery keep their requests and responses: the newest. */
export const maxRecordedAttempts = 20;
