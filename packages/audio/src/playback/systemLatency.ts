/** Other engines say "like Gecko", without a version. */
const isGecko = (): boolean => navigator.userAgent.includes('Gecko/')

/**
 * What the system adds between the worklet and the loudspeaker, in seconds, as far as it says so.
 *
 * Firefox is not asked for `outputLatency`: in Firefox 153 with PulseAudio, reading it while a worklet plays
 * can stop the page for ever. The page holds the lock of its audio graph and waits for the audio server's
 * thread, which waits for a callback that waits for this lock. `getOutputTimestamp` does the same.
 */
export function systemLatency(context: AudioContext): number {
  // Older browsers have no `outputLatency`.
  return context.baseLatency + (isGecko() ? 0 : (context.outputLatency ?? 0))
}
