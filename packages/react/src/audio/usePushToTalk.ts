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
import { useClient } from '../client/useClient.js'
import { createPress, type PressStart } from './createPress.js'
import type { UseVoiceSessionResult, VoiceSessionStatus } from './useVoiceSession.js'

/** Second argument of `usePushToTalk`. */
export interface UsePushToTalkOptions {
  /**
   * `'hold'`, the default: the user is heard while the button is down. `'toggle'`: from one press to the
   * next, for those who cannot hold a button.
   */
  readonly mode?: 'hold' | 'toggle' | undefined
}

/** Props for a `<button>`. Spread them last, so that none is replaced. */
export interface PushToTalkProps {
  readonly type: 'button'
  /** Nobody is signed in. */
  readonly disabled: boolean
  /** The session is on. */
  readonly 'aria-pressed': boolean
  readonly style?: CSSProperties
  readonly onClick?: (event: MouseEvent) => void
  readonly onContextMenu?: (event: MouseEvent) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPointerDown?: (event: PointerEvent) => void
}

const ON: ReadonlySet<VoiceSessionStatus> = new Set(['starting', 'active', 'paused', 'recovering'])

/** A finger that stays on the button must not scroll, select or open a menu: each takes the press away. */
const HELD_STYLE: CSSProperties = {
  touchAction: 'none',
  userSelect: 'none',
  WebkitUserSelect: 'none',
  WebkitTouchCallout: 'none',
}

/**
 * A button that is pressed to talk: props for a `<button>`, for pointers and for the keys Space and Enter.
 * The microphone that a press has opened is closed when the press ends, however it ends: the release, also
 * off the button, a gesture that takes the pointer away, the loss of the focus, a hidden page, an unmount. If
 * the microphone is still starting, it stays off. In the mode `'toggle'` the next press ends it, a hidden
 * page and an unmount too. A change of the mode ends it as well.
 *
 * The end is `session.stop()`: no word is lost, and texts of the last ones still come. A press during them
 * goes on with the same stream. If the session fails, the press is over, and its `error` stays.
 *
 * @example
 * const session = useVoiceSession('stt', { warm: true })
 * const talk = usePushToTalk(session)
 * <button {...talk}>Hold to talk</button>
 */
export function usePushToTalk(
  { status, start, stop }: Pick<UseVoiceSessionResult<never, unknown>, 'status' | 'start' | 'stop'>,
  { mode = 'hold' }: UsePushToTalkOptions = {},
): PushToTalkProps {
  const { signal } = useClient()
  const [press] = useState(createPress)
  const isOn = ON.has(status)
  // The session has ended by itself. Not later than its render: a press that begins after it counts.
  useInsertionEffect(() => {
    if (!isOn) press.forget()
  }, [press, isOn])
  useEffect(() => () => void press.end(), [press])
  useEffect(() => press.keepIf(mode), [press, mode])

  function begin(button: EventTarget, by: PressStart): void {
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
      // A key that is held clicks again and again.
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
      // Events of pointers reach a disabled button.
      if (button !== 0 || press.isHeld() || currentTarget.matches(':disabled')) return
      begin(currentTarget, { pointerId })
      try {
        currentTarget.setPointerCapture(pointerId)
      } catch {
        // The pointer is gone, and its `pointerup` is still to come.
      }
    },
  }
}

const isPressKey = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (key === ' ' || key === 'Enter') && !altKey && !ctrlKey && !metaKey
