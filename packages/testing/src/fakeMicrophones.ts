import { vi } from 'vitest'
import { stubNavigator } from './stubNavigator.js'

type Settings = { deviceId: string }

class FakeTrack extends EventTarget {
  readyState = 'live'
  enabled = true
  muted = false
  /** It is open, but nothing comes from it. */
  isDead = false
  readonly label: string
  readonly deviceId: string
  constructor(deviceId: string) {
    super()
    this.deviceId = deviceId
    this.label = `Microphone ${deviceId}`
  }
  getSettings(): Settings {
    return { deviceId: this.deviceId }
  }
  stop(): void {
    this.readyState = 'ended'
  }
}

/** Fake audio devices of a browser, in virtual time. A test can unplug them. */
export function fakeMicrophones(...ids: string[]) {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const plugged = new Set(ids)
  const busy = new Set<string>()
  const tracks: FakeTrack[] = []
  const asked: (string | undefined)[] = []
  let refusal: string | undefined
  const contexts: FakeContext[] = []
  const nodes = new Map<FakeNode, FakeTrack>()
  let isDead = false
  let listing = Promise.resolve()
  let loading = Promise.resolve()

  const devices = Object.assign(new EventTarget(), {
    async enumerateDevices() {
      const list = [...plugged].map((deviceId) => ({ kind: 'audioinput', deviceId, label: deviceId }))
      await listing
      return list
    },
    getUserMedia: ({ audio }: { audio: MediaTrackConstraints }) => {
      const { exact } = (audio.deviceId ?? {}) as { exact?: string }
      asked.push(exact)
      const [first] = plugged
      const device = exact === undefined ? first : exact
      if (refusal) return Promise.reject(new DOMException('', refusal))
      if (device === undefined || !plugged.has(device))
        return Promise.reject(new DOMException('', 'NotFoundError'))
      if (busy.has(device)) return Promise.reject(new DOMException('', 'NotReadableError'))
      const track = new FakeTrack(device)
      tracks.push(track)
      return Promise.resolve({ track, getAudioTracks: () => [track] })
    },
  })

  class FakeContext extends EventTarget {
    state = 'running'
    readonly currentTime = 0
    readonly audioWorklet = { addModule: () => loading }
    /** It says `running`, but its clock has stopped. */
    isStalled = isDead
    constructor() {
      super()
      contexts.push(this)
    }
    readonly resume = () => Promise.resolve()
    enter(state: string): void {
      this.state = state
      this.dispatchEvent(new Event('statechange'))
    }
    close(): Promise<void> {
      this.enter('closed')
      return Promise.resolve()
    }
    createMediaStreamSource({ track }: { track: FakeTrack }) {
      return { connect: (node: FakeNode) => void nodes.set(node, track) }
    }
  }
  class FakeNode extends EventTarget {
    readonly context: FakeContext
    readonly port = Object.assign(new EventTarget(), { start: () => {}, postMessage: () => {} })
    constructor(context: FakeContext) {
      super()
      this.context = context
    }
    connect(): void {}
  }

  vi.stubGlobal('AudioContext', FakeContext)
  vi.stubGlobal('AudioWorkletNode', FakeNode)
  stubNavigator({ mediaDevices: devices, userAgent: '' })

  /** Sends 20 ms of audio from each connected track. */
  function speak(): void {
    for (const [{ context, port }, track] of nodes) {
      if (context.state !== 'running' || context.isStalled) continue
      if (track.readyState !== 'live' || track.isDead) continue
      const data = { frame: new ArrayBuffer(640), peak: track.enabled ? 0.5 : 0, time: 0 }
      port.dispatchEvent(new MessageEvent('message', { data }))
    }
  }

  return {
    tracks,
    contexts,
    /** The worklet of the newest context throws. */
    crash: (): void => void [...nodes.keys()].at(-1)?.dispatchEvent(new Event('processorerror')),
    /** From now on the clock of each new context is stopped. */
    setDead: (dead: boolean): void => void (isDead = dead),
    /** The devices that were requested; undefined is the default device. */
    asked,
    refuse: (name: string | undefined): void => void (refusal = name),
    unplug: (id: string): void => {
      plugged.delete(id)
      for (const track of tracks.filter(
        ({ deviceId, readyState }) => deviceId === id && readyState === 'live',
      )) {
        track.readyState = 'ended'
        track.dispatchEvent(new Event('ended'))
      }
    },
    plug: (id: string): void => void plugged.add(id),
    /** The lists that are asked for from now on are answered after a call of the returned function. */
    holdLists(): () => void {
      let answer = (): void => {}
      listing = new Promise((resolve) => (answer = resolve))
      return () => answer()
    },
    /** The worklets from now on are loaded after a call of the returned function. */
    holdWorklets(): () => void {
      let load = (): void => {}
      loading = new Promise((resolve) => (load = resolve))
      return () => load()
    },
    /** Simulates that another application uses the device. */
    occupy: (id: string): void => void busy.add(id),
    release: (id: string): void => void busy.delete(id),
    /** Reports a change of devices like a browser: several times for one headset. */
    tell: (): void => {
      for (let i = 0; i < 3; i += 1) devices.dispatchEvent(new Event('devicechange'))
    },
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 20) {
        await vi.advanceTimersByTimeAsync(20)
        speak()
      }
    },
    [Symbol.dispose]: (): void => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    },
  }
}
