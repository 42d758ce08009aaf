import { File, Paths } from 'expo-file-system'

/** Writes a WAV file where the player of the phone finds it, over the one before. Returns its address. */
export function saveSound(wav: Uint8Array<ArrayBuffer>): string {
  const file = new File(Paths.cache, 'spoken.wav')
  file.write(wav)
  return file.uri
}
