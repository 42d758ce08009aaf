/** The position of an element in the top window. Tests run in a frame, which may be scaled. */
export function pointOf(element: Element): { x: number; y: number } {
  const frame = window.frameElement as HTMLElement
  const outer = frame.getBoundingClientRect()
  const scale = outer.width / frame.offsetWidth
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: outer.left + (left + width / 2) * scale, y: outer.top + (top + height / 2) * scale }
}
