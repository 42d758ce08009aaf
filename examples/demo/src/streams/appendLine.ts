import type { DemoMessage, Line } from './messages.js'

const KEPT = 40

/** The captions after a message: a new line at the end, or a line that has become longer. */
export function appendLine(message: DemoMessage, lines: readonly Line[] = []): readonly Line[] {
  switch (message.type) {
    case 'sound':
      return lines
    case 'refusal':
      return appendLine(
        { type: 'line', id: message.text, text: message.text, final: true, kind: 'spoken' },
        lines,
      )
    case 'line':
      return lines.some(({ id }) => id === message.id)
        ? lines.map((line) => (line.id === message.id ? message : line))
        : [...lines, message].slice(-KEPT)
    default:
      return message satisfies never
  }
}
