import { execFileSync } from 'node:child_process'

/** A cue that ffmpeg finds in a file. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

/** The cues that ffmpeg finds in a file. */
export function cuesOf(file: string, format: 'srt' | 'webvtt'): Cue[] {
  const probed = execFileSync(
    'ffprobe',
    ['-v', 'error', '-f', format, '-show_packets', '-show_data', '-of', 'json', '-i', 'pipe:0'],
    { input: file, encoding: 'utf8' },
  )
  const { packets } = JSON.parse(probed) as {
    packets: { pts_time: string; duration_time: string; data: string }[]
  }
  return packets.map(({ pts_time: start, duration_time: duration, data }) => {
    // Lines such as "00000000: 6869 0a48 656c  hi.Hel".
    const hex = [...data.matchAll(/^\w{8}: ((?:\w{2,4} )+)/gm)].map(([, bytes]) => bytes).join('')
    const startMs = Math.round(Number(start) * 1_000)
    return {
      startMs,
      endMs: startMs + Math.round(Number(duration) * 1_000),
      text: Buffer.from(hex.replaceAll(' ', ''), 'hex').toString(),
    }
  })
}

/**
 * The words that a player on ffmpeg shows: ffmpeg reads tags and escapes of the format, and the player those
 * of ASS.
 */
export function wordsOf(file: string, format: 'srt' | 'webvtt'): string[] {
  const ass = execFileSync('ffmpeg', ['-v', 'error', '-f', format, '-i', 'pipe:0', '-f', 'ass', '-'], {
    input: file,
    encoding: 'utf8',
  })
  return ass
    .split(/\r?\n/)
    .filter((line) => line.startsWith('Dialogue:'))
    .map((line) =>
      line
        .split(',')
        .slice(9)
        .join(',')
        .replaceAll(/(?<!\\)\{[^}]*\}/g, '')
        .replaceAll(/\\([{}])/g, '$1')
        .replaceAll(/\\n/gi, '\n')
        .replaceAll(/\\h/gi, ' ')
        .replaceAll('\u2060', ''),
    )
}
