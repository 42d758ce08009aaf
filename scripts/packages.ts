/** The packages that are published, each after those that it needs. */
export const PACKAGES = [
  'contract',
  'budget',
  'emulator',
  'bff',
  'audio',
  'react',
  'doctor',
  'server',
] as const

/** Published with them: the program of `npm create stagepass`. No application installs it. */
export const STARTER = 'create-stagepass'

/** Those of them that servers need also as CommonJS (docs/decisions/modules.md). */
export const COMMON_JS: readonly string[] = ['contract', 'budget', 'emulator', 'bff']
