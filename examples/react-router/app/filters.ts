/** The list that the server prefetches and the page shows. Both must ask for the same. */
export const filters = { ownership: 'mine', fields: ['title'] } as const
