import type { BffRouteName } from '@stagepass/contract'
import type { BffError } from '../base/BffError.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import { toBffError } from '../request/toBffError.js'
import { ADDRESS_OPTIONS } from '../telemetry/addressOptions.js'
import type { RequestSpan } from '../telemetry/Telemetry.js'
import type { Caller } from './Caller.js'
import type { Desk } from './createDesk.js'

/** A request of server code, which has a grant and no HTTP. */
interface ServerRequest {
  readonly grant: CheckedGrant
  readonly operation: BffRouteName | 'request' | 'unknown'
  /** The method of the route that does the same, for events. */
  readonly method: string
  readonly signal: AbortSignal | undefined
  /** The caller's name of a refused part, if it differs from the wire's. */
  readonly nameOf?: ((field: string) => string) | undefined
}

export type Run = ReturnType<typeof createRun>

/**
 * Runs the requests of server code, with the same deadline, limits, events and spans as those of a page.
 * `keepAwake` is called with the work that must finish before the runtime may stop.
 */
export function createRun(desk: Desk, keepAwake?: (work: Promise<void>) => void) {
  const { telemetry } = desk.services.settings
  const onAbort = createAborts()

  async function serve<TResult>(
    { grant, operation, method, signal, nameOf = (field) => field }: ServerRequest,
    work: (caller: Caller) => Promise<TResult>,
    span?: RequestSpan,
  ): Promise<TResult> {
    let unsubscribe: (() => void) | undefined
    const onClose = (listener: () => void): void => {
      // A tracer may run this later than `run` has looked.
      if (signal?.aborted) listener()
      else unsubscribe = signal && onAbort(signal, listener)
    }
    const context = desk.begin({ isAnswered: () => false, onClose }, span)
    context.via = 'server'
    context.route = operation
    // There is no `authorize` that could be late.
    context.stage = 'upstream'
    let result: TResult | undefined
    let error: BffError | undefined
    try {
      result = await work(await desk.enter(context)(grant, operation))
    } catch (thrown) {
      error = toBffError(thrown, context.stage)
    } finally {
      // A signal may live much longer than this request.
      unsubscribe?.()
    }
    const isAborted = context.isAbandoned()
    desk.end(context, { method, status: isAborted ? undefined : (error?.status ?? 200), error })
    if (isAborted) throw signal?.reason
    if (error)
      throw error.forCaller(context.id, error.field && nameOf(error.field), ADDRESS_OPTIONS[operation])
    return result as TResult // without an error there is a result
  }

  /** Rejects with a `BffError`, or with the reason of the signal if that was aborted. */
  return async function run<TResult>(
    request: ServerRequest,
    work: (caller: Caller) => Promise<TResult>,
  ): Promise<TResult> {
    if (request.signal?.aborted) throw request.signal.reason
    const { method } = request
    const running = telemetry
      ? telemetry.observe({ method, header: () => undefined, via: 'server' }, (span) =>
          serve(request, work, span),
        )
      : serve(request, work)
    keepAwake?.(running.then(desk.idle, desk.idle))
    return running
  }
}

/**
 * Calls a listener when a signal is aborted, until its result is called. Each signal has one listener of its
 * own, however many calls have it: Node warns about more than ten.
 */
function createAborts() {
  const waiting = new WeakMap<AbortSignal, Set<() => void>>()
  return (signal: AbortSignal, listener: () => void): (() => void) => {
    const all = waiting.get(signal) ?? new Set<() => void>()
    if (!waiting.has(signal)) {
      waiting.set(signal, all)
      signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true })
    }
    all.add(listener)
    return () => void all.delete(listener)
  }
}
