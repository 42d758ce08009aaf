import { inject } from 'vitest'

/* Checks that axe does not make: sizes, boundaries, and the visible words of a control in its name. */

const CONTROLS = 'button, select, input'

/** Ratio of the contrast of two colours, as WCAG counts it. */
function contrast(...colours: readonly [string, string]): number {
  const [darker = 0, lighter = 0] = colours.map(luminance).toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const isSeeThrough = (colour: string): boolean => /^rgba\(.*, 0\)$|transparent/.test(colour)

/** The colour on which an element stands. */
function groundOf(element: Element): string {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    const { backgroundColor } = getComputedStyle(parent)
    if (!isSeeThrough(backgroundColor)) return backgroundColor
  }
  return 'rgb(255, 255, 255)'
}

/** 1.4.3, 1.4.6: the contrast of a text with its background. */
export const textContrast = (element: Element): number =>
  contrast(getComputedStyle(element).color, groundOf(element))

/** 1.4.11: the contrast with which one sees where a control is. */
function boundary(element: Element): number {
  const { borderColor, backgroundColor } = getComputedStyle(element)
  const ground = groundOf(element)
  const fill = isSeeThrough(backgroundColor) ? ground : backgroundColor
  return Math.max(contrast(borderColor, ground), contrast(fill, ground))
}

/** 1.4.11, 2.4.7: the contrast of the ring around the element that has the focus. */
export function focusRing(): number {
  // Without a window manager the window of WebKitGTK is not the active one, and nothing in it has a ring.
  if (inject('engine') === 'webkit' && !document.hasFocus()) return Infinity
  const focused = document.activeElement
  if (!focused) return 0
  const { outlineColor, outlineStyle } = getComputedStyle(focused)
  return outlineStyle === 'none' ? 0 : contrast(outlineColor, groundOf(focused))
}

/** The faults of the controls in light and dark mode. */
export function misfits(element: HTMLElement): string[] {
  const found: string[] = []
  const controls = [...element.querySelectorAll<HTMLElement>(`[class^=stagepass] :is(${CONTROLS})`)]
  const nameOf = (control: HTMLElement): string => control.getAttribute('aria-label') ?? control.textContent
  for (const control of controls) {
    const name = nameOf(control)
    if (!name.startsWith(control.textContent) && control.localName === 'button')
      found.push(`2.5.3: ${control.textContent} is named ${name}`)
    // One may press the label of a switch as well.
    const { width, height } = (control.closest('label') ?? control).getBoundingClientRect()
    if (Math.min(width, height) < 44) found.push(`2.5.8: ${name} has ${width} × ${height}`)
  }
  for (const scheme of ['light', 'dark']) {
    document.documentElement.style.colorScheme = scheme
    for (const control of controls)
      if (!control.matches(':disabled') && boundary(control) < 3)
        found.push(`1.4.11: ${scheme}: ${nameOf(control)} has ${boundary(control)}`)
  }
  return found
}

/** Text settings of readers. The second has the spacing of 1.4.12. */
const READERS = [
  '',
  '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }',
  ':root { font-size: 200% }',
]

/** A page of 320 px, less its own margins. */
const WIDTH = '288px'

/** 1.4.4, 1.4.10, 1.4.12: what is not whole in that width, in both directions, for each of these readers. */
export function overflows(element: HTMLElement): string[] {
  const page = document.documentElement
  const sheet = document.head.appendChild(document.createElement('style'))
  const found: string[] = []
  element.style.inlineSize = WIDTH
  for (const styles of READERS) {
    sheet.textContent = styles
    for (const dir of ['ltr', 'rtl']) {
      page.dir = dir
      const { left, right } = element.getBoundingClientRect()
      for (const part of element.querySelectorAll('*')) {
        const box = part.getBoundingClientRect()
        const isCut =
          part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0 && part.localName !== 'select'
        if (box.width > 1 && (box.left < left - 1 || box.right > right + 1 || isCut))
          found.push(`${styles} ${dir}: ${part.scrollWidth} in ${box.width}: ${part.outerHTML.slice(0, 80)}`)
      }
    }
  }
  page.removeAttribute('dir')
  sheet.remove()
  return found
}
