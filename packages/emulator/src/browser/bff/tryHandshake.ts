import {
  type HandshakeCheckAnswer,
  PRODUCTS,
  readClose,
  readErrorFrame,
  readRefusedUpgrade,
  type Refusal,
} from '@stagepass/contract'
import { HandshakeCheckRequest } from '@stagepass/contract/schemas'
import type { EmulatorCore } from '../../core/EmulatorCore.js'
import type { Platform } from '../../core/platform/Platform.js'
import { createClosing } from '../wire/closing.js'
import type { PageRequest } from '../wire/PageRequest.js'
import { Problem } from './Problem.js'
import { parseWith, readJson } from './readPageRequest.js'

/** Without a refusal for this long after the open, the handshake counts as accepted. */
const SETTLE_MS = 300

/** `POST /handshake-check`: tries the handshake with a header, and says how it was refused. */
export function tryHandshake(
  core: EmulatorCore,
  platform: Platform,
  request: PageRequest,
): Promise<HandshakeCheckAnswer> {
  const { usage_type, session_key } = parseWith(HandshakeCheckRequest, readJson(request), 'body')
  const closing = createClosing()
  return new Promise<HandshakeCheckAnswer>((resolve, reject) => {
    const leave = (): void => reject(request.signal?.reason as Error)
    request.signal?.addEventListener('abort', leave)
    const refuse = (refusal: Refusal | undefined): void => {
      if (!refusal) return reject(new Problem('UPSTREAM_ERROR', { retryable: true }))
      const { code: error_code, retryable, status } = refusal
      resolve({ ok: false, error_code, retryable, ...(status !== undefined && { status }) })
    }
    core.handleUpgrade({
      method: 'GET',
      target: PRODUCTS[usage_type].path,
      headers: { authorization: `api-key ${session_key}`, upgrade: 'websocket', connection: 'Upgrade' },
      connection: {
        onClose: closing.onClose,
        respond({ status, body }) {
          refuse(readRefusedUpgrade({ status, body: body.type === 'text' ? body.text : '' }))
        },
        destroy: () => reject(new Problem('UPSTREAM_UNREACHABLE')),
      },
      accept(listen) {
        let isOpen = true
        const end = (): void => {
          isOpen = false
        }
        const listener = listen({
          isOpen: () => isOpen,
          send(data) {
            const refusal = typeof data === 'string' ? readErrorFrame(data) : undefined
            if (refusal) refuse(refusal)
          },
          close(code = 1005, reason = '') {
            end()
            refuse(readClose(code, reason))
          },
          reset: end,
          terminate: end,
          freeze: () => undefined,
        })
        closing.onClose(() => {
          end()
          listener?.closed()
        })
        const cancel = platform.after(SETTLE_MS, () => resolve({ ok: true }))
        closing.onClose(cancel)
      },
      breakOff: (done) => done(),
    })
  }).finally(() => closing.close(true))
}
