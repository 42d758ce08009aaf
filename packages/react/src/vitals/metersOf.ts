import type { Product } from '@stagepass/contract'
import { createListeners } from '../events/createListeners.js'
import type { VoiceEvent } from '../events/events.js'
import type { Platform } from '../platform/platform.js'
import { createMeter, type Note } from './createMeter.js'
import type { StreamMoment } from './StreamMoment.js'

/** The part of a client that is measured. All identities of a voice client share it. */
export interface MeasuredClient {
  readonly platform: Pick<Platform, 'now'>
  readonly subscribe: (listener: (event: VoiceEvent) => void) => () => void
  readonly moments: ReturnType<typeof createListeners<[moment: StreamMoment]>>
}

type NoteListener = (note: Note, product: Product, key: string) => void

const metersByClient = new WeakMap<object, ReturnType<typeof createMeters>>()

/** What is measured of all streams of a voice client: once, however many parts want to know. */
export function metersOf(client: MeasuredClient): ReturnType<typeof createMeters> {
  const found = metersByClient.get(client.moments) ?? createMeters(client)
  metersByClient.set(client.moments, found)
  return found
}

function createMeters({ platform, subscribe, moments }: MeasuredClient) {
  const notes = createListeners<Parameters<NoteListener>>()
  let meters = new Map<Product, Map<string, ReturnType<typeof createMeter>>>()
  let stop: (() => void) | undefined

  const now = (): number => platform.now()

  // Two levels, because it is called for each message: no name is put together.
  function meterOf({ product, key }: { readonly product: Product; readonly key: string }) {
    const found = meters.get(product)?.get(key)
    if (found) return found
    const meter = createMeter((note) => notes.notify(note, product, key))
    meters.set(product, new Map(meters.get(product)).set(key, meter))
    return meter
  }

  function start(): () => void {
    meters = new Map()
    const stops = [
      subscribe((event) => {
        if (event.type === 'client.reset') meters.clear()
        else if ('key' in event) meterOf(event).event(event, now())
      }),
      moments.subscribe((moment) => meterOf(moment).moment(moment, now)),
    ]
    return () => stops.forEach((each) => each())
  }

  return {
    /** Calls the listener with each note. Nothing is measured without a listener. Returns its end. */
    subscribe(listener: NoteListener): () => void {
      const unsubscribe = notes.subscribe(listener)
      stop ??= start()
      return () => {
        unsubscribe()
        if (!notes.isEmpty()) return
        stop?.()
        stop = undefined
      }
    },
  }
}
