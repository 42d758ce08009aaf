/*
 * What the tests use of React Native, from its own sources. `react-native` itself would load all of its views,
 * which need a phone.
 */
import { AbortController, AbortSignal } from 'abort-controller'
import AppState from 'react-native/Libraries/AppState/AppState'
import Blob from 'react-native/Libraries/Blob/Blob'
import FileReader from 'react-native/Libraries/Blob/FileReader'
import { URL, URLSearchParams } from 'react-native/Libraries/Blob/URL'
import deviceEvents from 'react-native/Libraries/EventEmitter/RCTDeviceEventEmitter'
import XMLHttpRequest from 'react-native/Libraries/Network/XMLHttpRequest'
import WebSocket from 'react-native/Libraries/WebSocket/WebSocket'

// `fetch` is made of these, and is made only where there is none. Not by assignment, which would call the
// setters of Node's own globals.
for (const [name, value] of Object.entries({ XMLHttpRequest, Blob, FileReader, fetch: undefined }))
  Object.defineProperty(global, name, { value, writable: true })
const { fetch, Headers, Request, Response } = require('react-native/Libraries/Network/fetch')

export { AbortController, AbortSignal, AppState, Blob, deviceEvents, FileReader, URL, URLSearchParams }
export { fetch, Headers, Request, Response, WebSocket, XMLHttpRequest }
