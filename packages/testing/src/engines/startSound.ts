import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startProgram } from './startProgram.js'

const execute = promisify(execFile)

/** A private sound server. A browser finds it by these variables. */
export interface Sound extends AsyncDisposable {
  readonly env: Readonly<Record<'XDG_RUNTIME_DIR' | 'PULSE_SERVER', string>>
  /** Removes a device, as if it were unplugged. `microphone1` is the default device. */
  unplug(device: SoundDevice): Promise<void>
  /** Adds the device again. */
  plug(device: SoundDevice): Promise<void>
}

export type SoundDevice = 'microphone1' | 'microphone2' | 'speaker'

const SETTINGS = [
  '-n',
  '--daemonize=no',
  '--use-pid-file=no',
  '--exit-idle-time=-1',
  '--log-level=info',
  // Do not exit on a busy machine.
  '--no-cpu-limit',
  '--realtime=no',
  '--high-priority=no',
]

const microphone = (number: 1 | 2): string[] => [
  'module-remap-source',
  'master=room.monitor',
  `source_name=microphone${number}`,
  `source_properties="device.description='Fake microphone ${number}'"`,
]

/** The module of each device, with its arguments. */
const DEVICES: Readonly<Record<SoundDevice, readonly string[]>> = {
  microphone1: microphone(1),
  microphone2: microphone(2),
  speaker: ['module-null-sink', 'sink_name=speaker', 'rate=48000', 'norewinds=1'],
}

/*
 * A silent loudspeaker, because Firefox and WebKitGTK do not run an audio context without an output, and two
 * microphones that receive a tone.
 */
const devices = (socketPath: string): string =>
  [
    ['load-module', ...DEVICES.speaker].join(' '),
    'load-module module-null-sink sink_name=room rate=48000 norewinds=1',
    'load-module module-sine-source source_name=tone rate=48000 frequency=440',
    'load-module module-loopback source=tone sink=room latency_msec=20 sink_dont_move=true',
    ['load-module', ...DEVICES.microphone1].join(' '),
    ['load-module', ...DEVICES.microphone2].join(' '),
    'set-default-source microphone1',
    'set-default-sink speaker',
    `load-module module-native-protocol-unix socket=${socketPath} auth-anonymous=1`,
  ].join('\n')

/** Starts a PulseAudio with virtual devices. `PULSEAUDIO_PATH` is the path of the program. */
export async function startSound(): Promise<Sound> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-sound-'))
  const socketPath = join(folder, 'socket')
  const script = join(folder, 'devices.pa')
  writeFileSync(script, devices(socketPath))
  const server = await startProgram(process.env.PULSEAUDIO_PATH ?? 'pulseaudio', {
    args: [...SETTINGS, '-F', script],
    env: { XDG_RUNTIME_DIR: folder, XDG_CONFIG_HOME: folder },
    output: 2,
    ready: /Daemon startup complete/,
    remedy: 'Install pulseaudio or set PULSEAUDIO_PATH.',
  })
  const env = { XDG_RUNTIME_DIR: folder, PULSE_SERVER: `unix:${socketPath}` }
  const control = (...args: string[]): Promise<{ stdout: string }> =>
    execute('pactl', args, { env: { ...process.env, ...env } })

  return {
    env,
    async unplug(device) {
      const { stdout } = await control('list', 'short', 'modules')
      const module = stdout.split('\n').find((line) => line.includes(`_name=${device}`))
      if (!module) throw new Error(`Failed to unplug ${device}: it is not there.`)
      await control('unload-module', module.split('\t')[0] ?? '')
    },
    plug: async (device) => void (await control('load-module', ...DEVICES[device])),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
