/**
 * Gives both permissions of an emulator: this page is published, and only it uses the service. Returns
 * the option.
 */
export function allowInProduction(): { readonly allowProduction: true } {
  Object.assign(globalThis, { STAGEPASS_EMULATOR_IN_PRODUCTION: '1' })
  return { allowProduction: true }
}
