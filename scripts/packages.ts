/** The published packages, each after its dependencies. */
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

/** Also published: the program of `npm create stagepass`. No application installs it. */
export const STARTER = 'create-stagepass'

/** The packages that servers also need as CommonJS (docs/decisions/modules.md). */
export const COMMON_JS: readonly string[] = ['contract', 'budget', 'emulator', 'bff']
