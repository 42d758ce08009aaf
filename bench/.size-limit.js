/*
 * Sizes of @stagepass/react in the browser, minified and gzipped: the whole package, and the imports of
 * typical applications; with React Native's condition, on a phone. An application already has React.
 * `npm run sizes -w @stagepass/bench`
 */

const MAIN = '../packages/react/src/index.ts'
const REACT = ['react', 'react-dom', 'react/*', 'react-dom/*']
const LIBRARIES = [...REACT, '@tanstack/*', 'react-use-websocket', 'react-use-websocket/*']

/** Leaves out the modules that an entry shares with the main entry. */
const shared = {
  name: 'shared',
  setup: ({ onResolve }) =>
    onResolve(
      {
        filter:
          /^(\.\.\/)+(client|errors|events|identity|platform|query|request|stream)\/|^@stagepass\/contract/,
      },
      () => ({
        external: true,
      }),
    ),
}

/** Leaves out the chunks that only some options load. */
const onDemand = {
  name: 'on demand',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined)),
}

const row = (name, path, names, limit, { ignore = LIBRARIES, plugins = [], host = 'browser' } = {}) => ({
  name,
  path,
  import: names,
  ignore,
  limit,
  gzip: true,
  modifyEsbuildConfig: (config) => ({
    ...config,
    conditions: ['@stagepass/source', 'module', host, 'production'],
    target: 'es2022',
    format: 'esm',
    plugins: [onDemand, ...plugins],
  }),
})

const hook = (name, limit) =>
  row(`${name} alone`, MAIN, `{ createVoiceClient, VoiceProvider, ${name} }`, limit)
const entry = (name, limit) =>
  row(`/${name}`, `../packages/react/src/${name}/index.ts`, '*', limit, { plugins: [shared] })

export default [
  hook('useSessionToken', '9.5 kB'),
  hook('useMeetings', '8.5 kB'),
  hook('useStream', '20.8 kB'),
  row(
    'useStream alone, with react-use-websocket',
    MAIN,
    '{ createVoiceClient, VoiceProvider, useStream }',
    '24.2 kB',
    {
      ignore: [...REACT, '@tanstack/*'],
    },
  ),
  row('everything', MAIN, '*', '26.7 kB'),
  row('everything, and its dependencies', MAIN, '*', '34.2 kB', { ignore: REACT }),
  row('everything, on a phone', MAIN, '*', '26.8 kB', {
    ignore: [...LIBRARIES, 'react-native'],
    host: 'react-native',
  }),
  entry('audio', '10.7 kB'),
  entry('codecs', '1.7 kB'),
  entry('transcript', '3.5 kB'),
  row(
    '/transcript, captions alone',
    '../packages/react/src/transcript/index.ts',
    '{ useTranscript, selectTranscript }',
    '2.1 kB',
    {
      plugins: [shared],
    },
  ),
  entry('devtools', '6.4 kB'),
]
