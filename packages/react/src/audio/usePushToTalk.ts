'use client'

import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useInsertionEffect,
  useState,
} from 'react'
import { sayUnknown } from '../errors/sayUnknown.js'
import { useClient } from '../identity/useClient.js'
import { createPress, type PressStart } from './createPress.js'
import type { VoiceSessionStatus } from './session/state.js'
import type { UseVoiceSessionResult } from './useVoiceSession.js'

/** Options of `usePushToTalk`. */
export interface UsePushToTalkOptions {
  /**
   * `'hold'` (default): the microphone is on while the button is down. `'toggle'`: from one press to the
   * next, for users who cannot hold a button.
   */
  readonly mode?: 'hold' | 'toggle' | undefined
}

/** Props for a `<button>`. Spread them last, so that no other prop replaces them. */
export interface PushToTalkProps {
  readonly type: 'button'
  /** True if nobody is signed in. */
  readonly disabled: boolean
  /** True while the session is on. */
  readonly 'aria-pressed': boolean
  readonly style?: CSSProperties
  readonly onClick?: (event: MouseEvent) => void
  readonly onContextMenu?: (event: MouseEvent) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPointerDown?: (event: PointerEvent) => void
}

const OFF: ReadonlySet<VoiceSessionStatus> = new Set(['idle', 'stopping', 'failed'])

/** A finger on the button must not scroll, select or open a menu: each would end the press. */
const HELD_STYLE: CSSProperties = {
  touchAction: 'none',
  userSelect: 'none',
  WebkitUserSelect: 'none',
  WebkitTouchCallout: 'none',
}

/**
 * Push to talk: props for a `<button>`, for pointers and for the keys Space and Enter. A press opens the
 * microphone, and every end of the press closes it: the release (also outside of the button), a gesture that
 * takes over the pointer, the loss of the focus, a hidden page, an unmount. The button may be in another
 * window of the page, such as a picture-in-picture window; its closing ends the press too. If the microphone
 * is still starting, it stays off. In the mode `'toggle'` the next press, a hidden page or an unmount closes
 * it. A change of the mode closes it too.
 *
 * The end calls `session.stop()`, so no word is lost, and the texts of the last words still arrive. A press
 * during that time continues with the same stream. If the session fails, the press ends, and the session
 * keeps its `error`.
 *
 * @example
 * const session = useVoiceSession('stt', { warm: true })
 * const talk = usePushToTalk(session)
 * <button {...talk}>Hold to talk</button>
 */
export function usePushToTalk(
  { status, start, stop }: Pick<UseVoiceSessionResult<never, unknown>, 'status' | 'start' | 'stop'>,
  options: UsePushToTalkOptions = {},
): PushToTalkProps {
  const { mode = 'hold' } = options
  const { signal, said } = useClient()
  if (process.env.NODE_ENV !== 'production')
    sayUnknown(said, 'usePushToTalk does not know the option', options, { mode: true })
  const [press] = useState(createPress)
  const isOn = !OFF.has(status)
  // The session has ended without a release. An insertion effect, so that a press right after this render
  // counts.
  useInsertionEffect(() => {
    if (!isOn) press.forget()
  }, [press, isOn])
  useEffect(() => () => void press.end(), [press])
  useEffect(() => press.keepIf(mode), [press, mode])

  function begin(button: Element, by: PressStart): void {
    press.begin(button, by, stop)
    start()
  }

  const common = { type: 'button', disabled: signal.aborted, 'aria-pressed': isOn } as const
  if (mode === 'toggle') {
    return {
      ...common,
      onClick: ({ currentTarget }) => {
        if (press.end()) return
        if (isOn) stop()
        else begin(currentTarget, undefined)
      },
      // A key that is held down clicks repeatedly.
      onKeyDown: (event) => {
        if (event.repeat && isPressKey(event)) event.preventDefault()
      },
    }
  }
  return {
    ...common,
    style: HELD_STYLE,
    onContextMenu: (event) => event.preventDefault(),
    onKeyDown: (event) => {
      const { code, repeat, currentTarget } = event
      if (!isPressKey(event)) return
      event.preventDefault()
      if (!repeat && !press.isHeld()) begin(currentTarget, { code })
    },
    onPointerDown: ({ currentTarget, pointerId, button }) => {
      // A disabled button still gets pointer events.
      if (button !== 0 || press.isHeld() || currentTarget.matches(':disabled')) return
      begin(currentTarget, { pointerId })
      try {
        currentTarget.setPointerCapture(pointerId)
      } catch {
        // The pointer is already gone. Its `pointerup` follows.
      }
    },
  }
}

const isPressKey = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (key === ' ' || key === 'Enter') && !altKey && !ctrlKey && !metaKey
