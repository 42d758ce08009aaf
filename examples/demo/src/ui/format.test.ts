import { expect, it } from 'vitest'
import { formatClock, formatCount, formatDuration, formatMoment } from './format.js'

it.each([
  [0, '0:00'],
  [900, '0:01'],
  [245_000, '4:05'],
  [3_729_000, '1:02:09'],
  [-5, '0:00'],
])('writes %i ms as %s', (ms, text) => expect(formatClock(ms)).toBe(text))

it.each([
  [0, '0 frames'],
  [1, '1 frame'],
  [2, '2 frames'],
])('counts %i as %s', (count, text) => expect(formatCount(count, 'frame')).toBe(text))

it.each([
  [30, '30 s'],
  [2_700, '45 min'],
  [3_600, '1 h'],
  [3_900, '1 h 5 min'],
])('writes %i seconds as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text))

it('shows what is no date as it came', () => expect(formatMoment('soon')).toBe('soon'))
