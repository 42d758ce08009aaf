/** One row of `PAGE_FIGURES`. */
interface PageFigure {
  /** What is measured: from when to when. */
  readonly text: string
  /** Upper bounds of the histogram's buckets, in milliseconds. No value is above the last one. */
  readonly boundsMs: readonly number[]
}

/** Bounds for what a person waits for in a conversation. */
const REPLY_MS = [
  50, 100, 150, 200, 300, 400, 500, 600, 800, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 30_000,
]
/** Bounds for what may take minutes. */
const WAIT_MS = [100, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000]

/**
 * What a page measures of its streams, by the names of the figures in reports (`POST /vitals`), options and
 * events. Every figure is a time. The page, the schema of a report, the metrics, the rules, the dashboard and
 * the list in `docs/vitals.md` are made of this table.
 */
export const PAGE_FIGURES = {
  open: { text: 'From the press to the open stream.', boundsMs: REPLY_MS },
  openToText: { text: 'From the open stream to its first text.', boundsMs: REPLY_MS },
  firstText: { text: 'From the start of speech to the first text of it.', boundsMs: REPLY_MS },
  finalText: { text: 'From the end of speech to its final text.', boundsMs: REPLY_MS },
  heard: { text: 'From a text to the first sound of it that is heard.', boundsMs: REPLY_MS },
  queue: { text: 'Wait in the queue for a session.', boundsMs: WAIT_MS },
  resent: { text: 'Sound that was sent again after a lost connection.', boundsMs: WAIT_MS },
  standstill: { text: 'Time without sound from the microphone while it should capture.', boundsMs: WAIT_MS },
} as const satisfies Record<string, PageFigure>

/** A name of `PAGE_FIGURES`. */
export type PageFigureName = keyof typeof PAGE_FIGURES

/** The name of a figure's metric, in seconds, such as `stagepass.page.first_text`. */
export const metricOfFigure = (name: PageFigureName): string =>
  `stagepass.page.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

/** The value within the bounds of the figure, in whole milliseconds. */
export function boundFigure(name: PageFigureName, ms: number): number {
  const mostMs = PAGE_FIGURES[name].boundsMs.at(-1) ?? 0
  return Math.round(Math.min(Math.max(ms, 0), mostMs))
}

/** Why a stream lost an open connection: `lostBy` of an error of the page. */
export const LOST_REASONS = [
  'close',
  'refusal',
  'expiry',
  'stall',
  'silence',
  'sleep',
  'away',
  'unanswered',
  'rollover',
] as const
/** A reason of `LOST_REASONS`. */
export type LostReason = (typeof LOST_REASONS)[number]

/** The engine of a browser, or React Native. */
export const PAGE_ENGINES = ['blink', 'gecko', 'webkit', 'native', 'other'] as const
/** A name of `PAGE_ENGINES`. */
export type PageEngine = (typeof PAGE_ENGINES)[number]

/** The kind of network, as `effectiveType` of the Network Information API names it. */
export const PAGE_NETWORKS = ['slow-2g', '2g', '3g', '4g', 'unknown'] as const
/** A name of `PAGE_NETWORKS`. */
export type PageNetwork = (typeof PAGE_NETWORKS)[number]

/** Limits of a report. A page that has more values sends some of them, chosen at random. */
export const VITALS_LIMITS = {
  /** Size of a report in bytes. */
  bytes: 1_024,
  /** Values of one figure of a product. */
  values: 8,
  /** Lost connections of a product, by reason. */
  drops: 60,
  /** Shortest time between two reports of a page, except when it is hidden or goes. */
  everyMs: 60_000,
} as const
