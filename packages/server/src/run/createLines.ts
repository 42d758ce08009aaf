/** Writes one line of JSON. It must not contain a secret: `facts` are events of the BFF, or named fields. */
export type WriteLine = (level: 'info' | 'warn' | 'error', type: string, facts?: object) => void

/** Collects the lines of one turn of the event loop into one write. */
export function createLines(write: (text: string) => void): WriteLine {
  let waiting = ''
  const flush = (): void => {
    write(waiting)
    waiting = ''
  }
  return (level, type, facts = {}) => {
    if (waiting === '') setImmediate(flush)
    // An event already has its type. Copying each event would cost more than the rest of the line.
    const text = JSON.stringify('type' in facts ? facts : { type, ...facts })
    waiting += `{"time":"${new Date().toISOString()}","level":"${level}",${text.slice(1)}\n`
  }
}
