/** Levels of lines, the lowest first. */
const LEVELS = ['info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** Writes one line of JSON. */
export type WriteLine = (level: Level, type: string, facts?: object) => void

/**
 * Lines of `least` and above. What is written must hold no secret: facts are events of the BFF, or named
 * fields. The lines of one turn of the event loop are one write.
 */
export function createLines(write: (text: string) => void, least: Level): WriteLine {
  let waiting = ''
  const flush = (): void => {
    write(waiting)
    waiting = ''
  }
  return (level, type, facts = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
    if (waiting === '') setImmediate(flush)
    // Events have their type themselves. A copy of each would cost more than the rest of the line.
    const text = JSON.stringify('type' in facts ? facts : { type, ...facts })
    waiting += `{"time":"${new Date().toISOString()}","level":"${level}",${text.slice(1)}\n`
  }
}
