/** How many calls of the API are kept for each organization. */
export const maxApiCalls = 200;
