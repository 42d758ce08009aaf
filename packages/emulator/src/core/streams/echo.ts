import type { StreamFactory } from './Stream.js'

/** Every frame comes back as it was. For tests that count or compare. */
export const echoStream: StreamFactory = (outlet) => ({
  onText: (text) => outlet.send(text),
  onBinary: (bytes) => outlet.send(bytes),
})
