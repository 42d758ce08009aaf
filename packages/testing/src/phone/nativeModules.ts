import { WebSocket } from 'ws'

/*
 * The native half of what is used of React Native, on Node: its own JavaScript runs above it. It names
 * modules and events as the sources of React Native for iOS do.
 */

/** Emits an event of a native module to the JavaScript of React Native. */
type Emit = (name: string, event: unknown) => void

interface Wanted {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly data: { readonly string?: string }
  readonly responseType: 'text' | 'base64' | 'blob'
  readonly withCredentials: boolean
}

const subscriptions = { addListener() {}, removeListeners() {} }

/**
 * HTTP of the phone. `asked` has each request. It follows redirects, whatever `fetch` was told, as a phone
 * does.
 */
function createNetworking(emit: Emit, blobs: Map<string, Buffer>) {
  const asked: Wanted[] = []
  const running = new Map<number, AbortController>()
  let lastId = 0

  async function answer(id: number, { method, url, headers, data, responseType }: Wanted): Promise<void> {
    const abort = new AbortController()
    running.set(id, abort)
    try {
      const body = method === 'GET' ? undefined : data.string
      const response = await fetch(url, { method, headers, body: body ?? null, signal: abort.signal })
      const bytes = Buffer.from(await response.arrayBuffer())
      emit('didReceiveNetworkResponse', [
        id,
        response.status,
        Object.fromEntries(response.headers),
        response.url,
      ])
      const blob = { blobId: `blob-${id}`, offset: 0, size: bytes.length, type: '', name: '' }
      if (responseType === 'blob') blobs.set(blob.blobId, bytes)
      const encoding = responseType === 'base64' ? 'base64' : 'utf8'
      emit('didReceiveNetworkData', [id, responseType === 'blob' ? blob : bytes.toString(encoding)])
      emit('didCompleteNetworkResponse', [id, '', false])
    } catch (error) {
      if (!abort.signal.aborted) emit('didCompleteNetworkResponse', [id, String(error), false])
    } finally {
      running.delete(id)
    }
  }

  return {
    asked,
    module: {
      ...subscriptions,
      sendRequest(wanted: Wanted, onId: (id: number) => void): void {
        lastId += 1
        asked.push(wanted)
        onId(lastId)
        void answer(lastId, wanted)
      },
      abortRequest: (id: number) => running.get(id)?.abort(),
      clearCookies() {},
    },
  }
}

/** WebSockets of the phone. `opened` has the address and the headers of each handshake. */
function createSockets(emit: Emit) {
  const opened: { url: string; headers: Readonly<Record<string, string>> }[] = []
  const sockets = new Map<number, WebSocket>()
  let ignoresEarlyCloses = false

  function connect(
    url: string,
    protocols: string[] | null,
    { headers = {} }: { headers?: Readonly<Record<string, string>> },
    id: number,
  ): void {
    opened.push({ url, headers })
    const socket = new WebSocket(url, protocols ?? [], { headers })
    sockets.set(id, socket)
    let isOver = false
    const fail = (message: string): void => {
      if (isOver) return
      isOver = true
      socket.terminate()
      emit('websocketFailed', { id, message })
    }
    socket.on('unexpected-response', (_, { statusCode }) =>
      fail(`Received bad response code from server: ${statusCode}.`),
    )
    socket.on('error', ({ message }) => fail(message))
    socket.on('open', () => emit('websocketOpen', { id, protocol: socket.protocol }))
    socket.on('message', (data: Buffer, isBinary) =>
      emit('websocketMessage', {
        id,
        type: isBinary ? 'binary' : 'text',
        data: data.toString(isBinary ? 'base64' : 'utf8'),
      }),
    )
    socket.on('close', (code, reason) => {
      if (isOver) return
      isOver = true
      emit('websocketClosed', { id, code, reason: reason.toString(), clean: code !== 1006 })
    })
  }

  return {
    opened,
    module: {
      ...subscriptions,
      connect,
      send: (text: string, id: number) => sockets.get(id)?.send(text),
      sendBinary: (base64: string, id: number) => sockets.get(id)?.send(Buffer.from(base64, 'base64')),
      ping: (id: number) => sockets.get(id)?.ping(),
      close(code: number, reason: string, id: number): void {
        const socket = sockets.get(id)
        if (socket?.readyState === WebSocket.OPEN || !ignoresEarlyCloses) socket?.close(code, reason)
      },
    },
    setIgnoresEarlyCloses: (ignores: boolean): void => void (ignoresEarlyCloses = ignores),
  }
}

/** The native modules by their names. `setState` moves the application to the background and back. */
export function createNativeModules(emit: Emit) {
  const blobs = new Map<string, Buffer>()
  const networking = createNetworking(emit, blobs)
  const sockets = createSockets(emit)
  let appState = 'active'
  const modules: Readonly<Record<string, object>> = {
    Networking: networking.module,
    WebSocketModule: sockets.module,
    AppState: {
      ...subscriptions,
      getConstants: () => ({ initialAppState: appState }),
      getCurrentAppState: (onState: (state: { app_state: string }) => void) =>
        onState({ app_state: appState }),
    },
    BlobModule: {
      ...subscriptions,
      getConstants: () => ({ BLOB_URI_SCHEME: 'blob', BLOB_URI_HOST: null }),
      addNetworkingHandler() {},
      addWebSocketHandler() {},
      removeWebSocketHandler() {},
      release: (id: string) => blobs.delete(id),
    },
    FileReaderModule: {
      readAsText: ({ blobId }: { blobId: string }) => Promise.resolve(blobs.get(blobId)?.toString() ?? ''),
      readAsDataURL: () => Promise.reject(new Error('There are no data URLs here.')),
    },
    PlatformConstants: {
      getConstants: () => ({
        osVersion: '18.0',
        systemName: 'iOS',
        interfaceIdiom: 'phone',
        isTesting: true,
      }),
    },
  }
  return {
    find: (name: string): object | undefined => modules[name],
    asked: networking.asked,
    opened: sockets.opened,
    /** True: as on Android, a close during the handshake has no effect. */
    setIgnoresEarlyCloses: sockets.setIgnoresEarlyCloses,
    setState(state: 'active' | 'background'): void {
      appState = state
      emit('appStateDidChange', { app_state: state })
    },
  }
}
