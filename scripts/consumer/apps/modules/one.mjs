import { createRequire } from 'node:module'

// `import` and `require` must return the same module, with the same classes and tables.
const require = createRequire(import.meta.url)
const ENTRIES = [
  '@stagepass/contract',
  '@stagepass/contract/schemas',
  '@stagepass/budget',
  '@stagepass/emulator',
  '@stagepass/bff',
  '@stagepass/bff/authorize',
  '@stagepass/bff/fetch',
  '@stagepass/doctor',
  '@stagepass/server',
  '@stagepass/react',
  '@stagepass/audio',
  '@stagepass/react/audio',
  '@stagepass/react/codecs',
  '@stagepass/react/devtools',
  '@stagepass/react/testing',
  '@stagepass/react/transcript',
]
for (const entry of ENTRIES) {
  const imported = await import(entry)
  const required = require(entry)
  if (Object.keys(imported).length === 0) throw new Error(`${entry} is empty`)
  for (const [name, value] of Object.entries(imported))
    if (required[name] !== value) throw new Error(`two instances of ${name} of ${entry}`)
}
const { VoiceError } = await import('@stagepass/react')
if (!(new VoiceError('NETWORK_ERROR') instanceof require('@stagepass/react').VoiceError))
  throw new Error('two classes of VoiceError')
