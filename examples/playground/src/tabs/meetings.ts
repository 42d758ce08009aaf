import type { CoreOptions } from '@stagepass/emulator/browser'

const TITLES = ['Roadmap', 'Design review', 'Interview', 'Stand-up', 'Retrospective', 'Planning', 'Budget']
const DAY_MS = 86_400_000

/** Meetings of two users. */
export const MEETINGS: CoreOptions['meetings'] = ['ada', 'ben'].flatMap((holder, user) =>
  Array.from({ length: user === 0 ? 60 : 4 }, (_, index) => ({
    id: `${holder}-${index + 1}`,
    holder,
    title: `${holder === 'ada' ? "Ada's" : "Ben's"} ${TITLES[index % TITLES.length]?.toLowerCase()} ${index + 1}`,
    started_at: new Date(Date.UTC(2026, 0, 30, 9) - index * DAY_MS).toISOString(),
    duration: 900 + 300 * (index % 5),
    visibility: index % 4 === 3 ? ('shared' as const) : ('owned' as const),
  })),
)
