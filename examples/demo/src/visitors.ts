/** The visitors who share one session, as the page names them to the server of the demo. */
export const VISITORS = ['Visitor 1', 'Visitor 2'] as const

export const VISITOR_HEADER = 'x-visitor'
