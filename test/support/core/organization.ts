export const organization = { id: 1, name: 'Organization 1' };
