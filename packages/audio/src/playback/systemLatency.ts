/** Other engines have "like Gecko", without a version, in their name. */
const isGecko = (): boolean => navigator.userAgent.includes('Gecko/')

/**
 * The delay between the worklet and the loudspeaker in seconds, as far as the system reports it.
 *
 * Not read in Firefox: in Firefox 153 with PulseAudio, reading `outputLatency` while a worklet plays can
 * block the page forever. The page locks its audio graph and waits for the audio server's thread. That thread
 * waits for a callback, and the callback waits for the lock. `getOutputTimestamp` does the same.
 */
export function systemLatency(context: AudioContext): number {
  // Older browsers have no `outputLatency`.
  return context.baseLatency + (isGecko() ? 0 : (context.outputLatency ?? 0))
}
