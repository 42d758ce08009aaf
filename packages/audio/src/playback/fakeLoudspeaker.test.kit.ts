import { stubNavigator } from '@stagepass/testing/stubNavigator'
import { vi } from 'vitest'
import { BLOCK, loadWorklet, type LoadedWorklet } from '../sound/loadWorklet.test.kit.js'

const RATE = 48_000

/**
 * A browser's audio output in virtual time, with the real worklet. Contexts run as soon as the browser allows
 * it, and render when `pass` moves the time.
 */
export function fakeLoudspeaker({ allowed = true, userAgent = 'AppleWebKit/537.36 (like Gecko)' } = {}) {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const contexts: FakeContext[] = []
  const heard: number[] = []
  /** `dead`: the clocks of new contexts stand. */
  const speakers = { allowed, loads: true, dead: false, known: new Set(['', 'headset']) }

  class FakeContext extends EventTarget {
    state = 'suspended'
    readonly sampleRate = RATE
    /** It says `running`, but its clock stands. */
    isStalled = speakers.dead
    /** Its worklet has thrown: the clock goes on, and nothing is heard. */
    isCrashed = false
    node: FakeNode | undefined
    readonly baseLatency = 0.01
    readonly outputLatency = 0.02
    readonly destination = {}
    readonly audioWorklet = {
      addModule: () =>
        speakers.loads ? Promise.resolve() : Promise.reject(new DOMException('', 'AbortError')),
    }
    sinkId = ''
    worklet: LoadedWorklet<unknown> | undefined
    posted = new EventTarget()
    toDeliver: unknown[] = []
    frames = 0
    constructor() {
      super()
      contexts.push(this)
      if (speakers.allowed) queueMicrotask(() => this.enter('running'))
    }
    get currentTime(): number {
      return this.frames / RATE
    }
    enter(state: string): void {
      if (this.state === 'closed') return
      this.state = state
      this.dispatchEvent(new Event('statechange'))
    }
    resume(): Promise<void> {
      if (speakers.allowed) this.enter('running')
      return Promise.resolve()
    }
    close(): Promise<void> {
      this.enter('closed')
      return Promise.resolve()
    }
    /** Silent: there is no event. */
    crash(isSilent: boolean): void {
      this.isCrashed = true
      if (!isSilent) this.node?.dispatchEvent(new Event('processorerror'))
    }
    setSinkId(id: string): Promise<void> {
      if (!speakers.known.has(id)) return Promise.reject(new DOMException('', 'NotFoundError'))
      this.sinkId = id
      return Promise.resolve()
    }
    render(): void {
      if (this.state !== 'running' || this.isStalled) return
      this.frames += BLOCK
      if (this.isCrashed) return
      for (const message of this.toDeliver.splice(0)) this.worklet?.post(message)
      if (this.worklet) heard.push(...this.worklet.render())
      for (const data of this.worklet?.posted.splice(0) ?? [])
        this.posted.dispatchEvent(new MessageEvent('message', { data }))
    }
  }

  class FakeNode extends EventTarget {
    readonly port
    constructor(context: FakeContext, _name: string, { processorOptions }: { processorOptions: object }) {
      super()
      context.node = this
      context.worklet = loadWorklet('packages/audio/src/playback/playback.worklet.js', RATE, processorOptions)
      this.port = {
        addEventListener: context.posted.addEventListener.bind(context.posted),
        start: () => {},
        postMessage: (message: unknown) => context.toDeliver.push(message),
      }
    }
    connect(): void {}
  }

  const devices = Object.assign(new EventTarget(), {
    enumerateDevices: () =>
      Promise.resolve(
        [...speakers.known].map((deviceId) => ({ kind: 'audiooutput', deviceId, label: deviceId })),
      ),
  })
  stubNavigator({ mediaDevices: devices, userAgent })
  vi.stubGlobal('AudioContext', FakeContext)
  vi.stubGlobal('AudioWorkletNode', FakeNode)
  return {
    contexts,
    heard,
    speakers,
    /** Moves the clocks of page and audio thread together. */
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 1_000 * (BLOCK / RATE)) {
        await vi.advanceTimersByTimeAsync(1_000 * (BLOCK / RATE))
        for (const context of contexts) context.render()
      }
    },
    [Symbol.dispose]: (): void => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    },
  }
}
