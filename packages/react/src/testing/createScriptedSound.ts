/*
 * A page's sound without devices. Replaces `AudioContext` and its nodes, `navigator.mediaDevices` and
 * `navigator.permissions`.
 * Microphones and playbacks are the real ones, down to the messages of their worklets. Records every sample
 * that is played. Time is that of `setInterval`.
 */

/** What stops the sound of a page, although the device is there. */
export interface ScriptedStops {
  /** Its `AudioContext` still says `running`, but its clock stands and no sound comes. */
  stall(): void
  /** Its worklet throws: the page gets `processorerror`. */
  crash(): void
  /** The system closes its `AudioContext`. */
  shut(): void
  /** The sound system fails: the `AudioContext` gets `error`. */
  fail(): void
  /**
   * The system interrupts its `AudioContext`, as for a phone call. `false`: the interruption is over and
   * leaves it suspended, as iOS does.
   */
  setInterrupted(isInterrupted: boolean): void
  /** Each `AudioContext` stalls, also those that the page creates to replace it, until `false`. */
  setDead(isDead: boolean): void
}

/** What the microphone of a simulated page hears. */
export interface ScriptedMicrophone extends ScriptedStops {
  /** Lets it hear these samples (16-bit PCM), 20 ms of them every 20 ms, after those before. */
  speak(samples: Int16Array): void
  /** The next time that a page asks for a microphone, the browser refuses it, as if the user had. */
  refuse(): void
  /**
   * What the browser says before the page asks, and does. At first `'prompt'`, and `'granted'` once a
   * microphone was opened. `'denied'`: it refuses each time.
   */
  setPermission(permission: PermissionState): void
  /**
   * The system takes it, as for a phone call, or gives it back: the page hears silence. After 2 s it is
   * `suspended`.
   */
  setTaken(isTaken: boolean): void
  /** Pulls out the device of this name. Default: the only one there is at first, `Scripted microphone`. */
  unplug(label?: string): void
  /** Plugs in a device of this name, which is its `deviceId` too. Default: the one there is at first. */
  plug(label?: string): void
  /** The system suspends its `AudioContext`. */
  block(): void
  /** True while a page has it open. */
  readonly isOpen: boolean
}

/** What the loudspeaker of a simulated page plays. */
export interface ScriptedLoudspeaker extends ScriptedStops {
  /** All samples that were heard so far, as they were given: 16-bit PCM. */
  heard(): Int16Array
  /** The browser holds back what plays now, until the page calls `unlock`. */
  block(): void
}

const RATE = 16_000
const TICK_MS = 20
const TICK_SAMPLES = (RATE * TICK_MS) / 1_000
const MICROPHONE = 'Scripted microphone'
const LOUDSPEAKER = 'Scripted loudspeaker'

/** The `processorOptions` of both worklets. */
interface ProcessorOptions {
  readonly sampleRate: number
  readonly frameLength?: number
}

export function createScriptedSound() {
  let spoken: number[] = []
  const heard: number[] = []
  const tracks = new Set<ScriptedTrack>()
  const capturing = new Set<ScriptedContext>()
  const playing = new Set<ScriptedContext>()
  /** The sets whose contexts stall. */
  const dead = new Set<object>()
  let microphones = [MICROPHONE]
  let isRefused = false
  let isTaken = false
  /** Before it is granted, browsers do not name the devices. */
  class ScriptedPermission extends EventTarget {
    state: PermissionState = 'prompt'
  }
  const permission = new ScriptedPermission()
  const setPermission = (state: PermissionState): void => {
    if (state === permission.state) return
    permission.state = state
    permission.dispatchEvent(new Event('change'))
  }

  class ScriptedTrack extends EventTarget {
    readonly kind = 'audio'
    readonly label: string
    muted = isTaken
    enabled = true
    readyState = 'live'
    constructor(label: string) {
      super()
      this.label = label
    }
    getSettings = (): { deviceId: string } => ({ deviceId: this.label })
    stop(): void {
      this.readyState = 'ended'
      tracks.delete(this)
    }
  }

  class ScriptedStream extends EventTarget {
    readonly track: ScriptedTrack
    constructor(track: ScriptedTrack) {
      super()
      this.track = track
    }
    getTracks = (): ScriptedTrack[] => [this.track]
    getAudioTracks = this.getTracks
  }

  class ScriptedContext extends EventTarget {
    readonly sampleRate = RATE
    readonly baseLatency = 0
    readonly outputLatency = 0
    readonly destination = {}
    readonly audioWorklet = { addModule: () => Promise.resolve() }
    state = 'running'
    currentTime = 0
    readonly ticks = new Set<() => void>()
    readonly nodes = new Set<ScriptedNode>()
    isStalled = false
    readonly #timer = setInterval(() => {
      if (this.state !== 'running' || this.#isStill()) return
      this.currentTime += TICK_MS / 1_000
      for (const tick of this.ticks) tick()
    }, TICK_MS)
    #isStill(): boolean {
      if (this.isStalled) return true
      return [capturing, playing].some((contexts) => contexts.has(this) && dead.has(contexts))
    }
    become(state: string): Promise<void> {
      if (this.state !== state && this.state !== 'closed') {
        this.state = state
        this.dispatchEvent(new Event('statechange'))
      }
      return Promise.resolve()
    }
    resume(): Promise<void> {
      return this.become('running')
    }
    setSinkId(): Promise<void> {
      return Promise.resolve()
    }
    close(): Promise<void> {
      clearInterval(this.#timer)
      capturing.delete(this)
      playing.delete(this)
      return this.become('closed')
    }
    createMediaStreamSource({ track }: ScriptedStream): { connect(node: ScriptedNode): void } {
      return { connect: (node) => node.capture(track) }
    }
  }

  class ScriptedNode extends EventTarget {
    readonly #context: ScriptedContext
    readonly #options: ProcessorOptions
    readonly port = Object.assign(new EventTarget(), {
      start: (): void => {},
      postMessage: (_message: unknown): void => {},
    })

    constructor(
      context: ScriptedContext,
      name: string,
      { processorOptions }: { processorOptions: ProcessorOptions },
    ) {
      super()
      this.#context = context
      context.nodes.add(this)
      this.#options = processorOptions
      if (name === 'stagepass-playback') this.#play()
    }

    connect<TNode>(node: TNode): TNode {
      return node
    }

    #post(data: object): void {
      this.port.dispatchEvent(
        new MessageEvent('message', { data: { ...data, time: this.#context.currentTime } }),
      )
    }

    /** What the capture worklet does: whole frames, at the rate that was asked for. */
    capture(track: ScriptedTrack): void {
      capturing.add(this.#context)
      const { frameLength = TICK_SAMPLES } = this.#options
      this.#context.ticks.add(() => {
        if (track.readyState !== 'live') return
        const samples = track.enabled && !track.muted ? spoken.splice(0, frameLength) : []
        const frame = new Int16Array(frameLength)
        frame.set(samples)
        this.#post({ frame: frame.buffer, peak: peakOf(samples) })
      })
    }

    /** What the playback worklet does, without its filter: what was given is heard in its order. */
    #play(): void {
      playing.add(this.#context)
      const { sampleRate } = this.#options
      const tickSamples = (sampleRate * TICK_MS) / 1_000
      let waiting: number[] = []
      let position = 0
      let isPaused = false
      this.port.postMessage = (message) => {
        if (message === 'interrupt') {
          position += waiting.length
          waiting = []
        } else if (isSamples(message)) waiting = [...waiting, ...new Int16Array(message.samples)]
        else if (isControls(message)) isPaused = message.paused
      }
      this.#context.ticks.add(() => {
        const samples = isPaused ? [] : waiting.splice(0, tickSamples)
        heard.push(...samples)
        position += samples.length
        this.#post({ position, playing: samples.length > 0, peak: peakOf(samples), underruns: 0, pauses: 0 })
      })
    }
  }

  class ScriptedGain {
    connect(): void {}
  }

  /** What `stream()` of a playback returns has a track, but no sound. */
  class ScriptedDestination {
    readonly stream = new ScriptedStream(new ScriptedTrack('Playback'))
  }

  /** A device, as a browser lists it. */
  const listed = (kind: string, label: string) => ({
    kind,
    deviceId: label,
    label: permission.state === 'granted' ? label : '',
  })

  const mediaDevices = Object.assign(new EventTarget(), {
    enumerateDevices: () =>
      Promise.resolve([
        ...microphones.map((label) => listed('audioinput', label)),
        listed('audiooutput', LOUDSPEAKER),
      ]),
    getUserMedia({ audio }: { audio: { deviceId?: { exact: string } } }) {
      if (isRefused || permission.state === 'denied') {
        isRefused = false
        return Promise.reject(new DOMException('The user refused.', 'NotAllowedError'))
      }
      const wanted = audio.deviceId?.exact
      const label = microphones.find((one) => wanted === undefined || one === wanted)
      if (label === undefined) return Promise.reject(new DOMException('There is none.', 'NotFoundError'))
      setPermission('granted')
      const track = new ScriptedTrack(label)
      tracks.add(track)
      return Promise.resolve(new ScriptedStream(track))
    },
  })

  const permissions = { query: () => Promise.resolve(permission) }

  const { navigator } = globalThis as { navigator?: object }
  const undos = [
    replace(globalThis, 'AudioContext', ScriptedContext),
    replace(globalThis, 'AudioWorkletNode', ScriptedNode),
    replace(globalThis, 'GainNode', ScriptedGain),
    replace(globalThis, 'MediaStreamAudioDestinationNode', ScriptedDestination),
    // A test of React Native has no navigator in Node 20.
    ...(navigator
      ? [replace(navigator, 'mediaDevices', mediaDevices), replace(navigator, 'permissions', permissions)]
      : [replace(globalThis, 'navigator', { mediaDevices, permissions })]),
  ]

  const stopsOf = (contexts: ReadonlySet<ScriptedContext>): ScriptedStops & { block(): void } => ({
    stall() {
      for (const context of contexts) context.isStalled = true
    },
    crash() {
      for (const context of contexts) {
        context.ticks.clear()
        for (const node of context.nodes) node.dispatchEvent(new Event('processorerror'))
      }
    },
    shut() {
      for (const context of contexts) void context.close()
    },
    fail() {
      for (const context of contexts) context.dispatchEvent(new Event('error'))
    },
    setInterrupted(isInterrupted) {
      for (const context of contexts) void context.become(isInterrupted ? 'interrupted' : 'suspended')
    },
    setDead(isDead) {
      if (isDead) dead.add(contexts)
      else dead.delete(contexts)
    },
    block() {
      for (const context of contexts) void context.become('suspended')
    },
  })

  const microphone = {
    ...stopsOf(capturing),
    speak(samples: Int16Array) {
      spoken = [...spoken, ...samples]
    },
    refuse() {
      isRefused = true
    },
    setPermission,
    setTaken(taken: boolean) {
      isTaken = taken
      for (const track of tracks) {
        track.muted = taken
        track.dispatchEvent(new Event(taken ? 'mute' : 'unmute'))
      }
    },
    unplug(label = MICROPHONE) {
      microphones = microphones.filter((one) => one !== label)
      for (const track of [...tracks].filter((one) => one.label === label)) {
        track.stop()
        track.dispatchEvent(new Event('ended'))
      }
      mediaDevices.dispatchEvent(new Event('devicechange'))
    },
    plug(label = MICROPHONE) {
      microphones = [...microphones, label]
      mediaDevices.dispatchEvent(new Event('devicechange'))
    },
  } as ScriptedMicrophone
  // Not a getter beside the spread: the preset of React Native would read it once, at the creation.
  Object.defineProperty(microphone, 'isOpen', { get: () => tracks.size > 0 })
  const loudspeaker: ScriptedLoudspeaker = {
    ...stopsOf(playing),
    heard: () => Int16Array.from(heard),
  }
  return {
    microphone,
    loudspeaker,
    /** Gives the page its own sound back. */
    close(): void {
      for (const undo of undos) undo()
    },
  }
}

const peakOf = (samples: readonly number[]): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 0x8000

const isSamples = (message: unknown): message is { samples: ArrayBuffer } =>
  typeof message === 'object' && message !== null && 'samples' in message

const isControls = (message: unknown): message is { paused: boolean } =>
  typeof message === 'object' && message !== null && 'paused' in message

/** Sets a property of the page. Returns its undo. */
function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  }
}
