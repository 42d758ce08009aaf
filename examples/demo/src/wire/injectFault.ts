/**
 * Asks the demo's server to make the emulator do something wrong; see server/faults.ts. Resolves with whether
 * it will.
 */
export async function injectFault(fault: Readonly<Record<string, unknown>>): Promise<boolean> {
  try {
    const response = await fetch('/api/demo/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    })
    return response.ok
  } catch {
    return false
  }
}
