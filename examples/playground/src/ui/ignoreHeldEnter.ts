/** A key that is held down clicks again and again. A switch would go back and forth. */
export function ignoreHeldEnter(event: KeyboardEvent): void {
  const isOnButton = event.target instanceof Element && event.target.closest('button, summary') !== null
  if (event.repeat && event.key === 'Enter' && isOnButton) event.preventDefault()
}
