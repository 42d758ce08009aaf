let latest: string | undefined

/** In a browser the address of a file is that of a Blob. The one before is released. */
export function saveSound(wav: Uint8Array<ArrayBuffer>): string {
  if (latest !== undefined) URL.revokeObjectURL(latest)
  return (latest = URL.createObjectURL(new Blob([wav], { type: 'audio/wav' })))
}
