import type { WaveLane } from './createWaveLane.js'
import { barAt } from './createWaveLane.js'

const BAR_WIDTH = 3
const STEP = 5

/**
 * Draws the last seconds: what was sent above the middle, what came back below it. Colours come from the
 * canvas's own style.
 */
export function drawWave(canvas: HTMLCanvasElement, sent: WaveLane, received: WaveLane, nowMs: number): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { clientWidth: width, clientHeight: height } = canvas
  const density = window.devicePixelRatio
  fit(canvas, Math.round(width * density), Math.round(height * density))
  context.setTransform(density, 0, 0, density, 0, 0)
  context.clearRect(0, 0, width, height)

  const { color, caretColor, borderTopColor } = getComputedStyle(canvas)
  const middle = Math.round(height / 2)
  context.fillStyle = borderTopColor
  context.fillRect(0, middle, width, 1)

  const last = barAt(nowMs)
  for (let column = 0; column * STEP < width; column += 1) {
    const x = width - (column + 1) * STEP
    bar(x, middle, -barHeight(sent.bar(last - column), middle), color)
    bar(x, middle + 1, barHeight(received.bar(last - column), middle), caretColor)
  }

  function bar(x: number, y: number, barHeight: number, style: string): void {
    if (barHeight === 0) return
    context!.fillStyle = style
    context!.beginPath()
    context!.roundRect(x, y, BAR_WIDTH, barHeight, 1.5)
    context!.fill()
  }
}

/** To set a size lays the page out again, even if the size stays. */
function fit(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
}

/** Room above and below for the words of the key. */
const MARGIN = 14

/** Quiet speech is most of speech: the root brings it up. */
function barHeight(peak: number, space: number): number {
  return peak === 0 ? 0 : Math.max(1.5, Math.sqrt(peak) * (space - MARGIN))
}
