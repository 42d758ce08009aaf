/** The name of the second permission: a variable of the environment, or a global of the page. */
export const PRODUCTION_VARIABLE = 'STAGEPASS_EMULATOR_IN_PRODUCTION'

interface Permissions {
  /** NODE_ENV. */
  readonly mode: string | undefined
  readonly allowProduction: boolean | undefined
  /** The value of `PRODUCTION_VARIABLE`. */
  readonly variable: unknown
  /** How to set it. */
  readonly written: string
}

/**
 * An emulator gives session tokens to anyone who reads its documentation, so running one in production needs
 * two separate permissions. Throws without them.
 */
export function refuseProduction({ mode, allowProduction, variable, written }: Permissions): void {
  // Some teams write `prod`.
  if (!/^\s*prod/i.test(mode ?? '')) return
  if (allowProduction && variable === '1') return
  throw new Error(
    `Failed to start the emulator: NODE_ENV is "${mode}", and an emulator is not for real users. ` +
      `Use the real service. If you really want the emulator, give both the option allowProduction and ${written}.`,
  )
}
