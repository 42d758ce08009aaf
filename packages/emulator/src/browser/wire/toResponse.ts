import type { PageResponse } from './PageRequest.js'

/** A response with one of these has no body. */
const BODILESS = [101, 204, 205, 304]

const CHUNK_BYTES = 64 * 1_024
const SPACE = 0x20

/** What `fetch` resolves with. Throws if the head cannot be sent. */
export function toResponse(
  { status, headers, body, onRead, onDrop }: PageResponse,
  signal: AbortSignal | undefined,
): Response {
  const head = { status, headers }
  if (body.type === 'text') {
    const response = new Response(BODILESS.includes(status) ? null : body.text, head)
    onRead?.(true)
    return response
  }
  const stream = (source: UnderlyingSource<Uint8Array>): Response =>
    new Response(new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), head)
  const leaveWith = (controller: ReadableStreamDefaultController, end: () => void): void => {
    const leave = (error: unknown): void => {
      end()
      controller.error(error)
    }
    signal?.addEventListener('abort', () => leave(signal.reason))
    onDrop?.(() => leave(signal?.aborted ? signal.reason : new TypeError('network error')))
  }

  switch (body.type) {
    case 'part': {
      let isSent = false
      return stream({
        pull(controller) {
          if (isSent) {
            onRead?.(false)
            return controller.error(new TypeError('network error'))
          }
          isSent = true
          controller.enqueue(new TextEncoder().encode(body.text))
        },
        cancel: () => onRead?.(false),
      })
    }
    case 'spaces': {
      let left = body.count
      return stream({
        start: (controller) => leaveWith(controller, () => onRead?.(false)),
        pull(controller) {
          const size = Math.min(left, CHUNK_BYTES)
          left -= size
          if (size > 0) return controller.enqueue(new Uint8Array(size).fill(SPACE))
          controller.enqueue(new TextEncoder().encode('{}'))
          controller.close()
          onRead?.(true)
        },
        cancel: () => onRead?.(false),
      })
    }
    case 'endless': {
      let timer: ReturnType<typeof setInterval> | undefined
      const end = (): void => {
        clearInterval(timer)
        onRead?.(false)
      }
      return stream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(Uint8Array.of(SPACE)), body.everyMs)
          leaveWith(controller, end)
        },
        cancel: end,
      })
    }
    default:
      return body satisfies never
  }
}
