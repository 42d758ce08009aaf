/** Asks the demo's server to make the emulator do something wrong; see server/faults.ts. */
export async function injectFault(fault: Readonly<Record<string, unknown>>): Promise<void> {
  await fetch('/api/demo/faults', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  })
}
