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

/**
 * npm has the packages. The first release sets this, and `npm run write -w @stagepass/docs` then changes the
 * pages that say how to get them.
 */
export const IS_PUBLISHED: boolean = false

/** The packages that servers also need as CommonJS (docs/decisions/modules.md). */
export const COMMON_JS: readonly string[] = ['contract', 'budget', 'emulator', 'bff']
