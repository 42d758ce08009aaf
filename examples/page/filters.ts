/** The list that the server fetches for the page. The component asks for the same. */
export const filters = { fields: ['title', 'started_at', 'duration', 'ownership', 'tags'] } as const
