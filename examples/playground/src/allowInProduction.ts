/**
 * Gives both permissions of an emulator: this page is published, and its service is for nobody else. Returns
 * the option.
 */
export function allowInProduction(): { readonly allowProduction: true } {
  Object.assign(globalThis, { STAGEPASS_EMULATOR_IN_PRODUCTION: '1' })
  return { allowProduction: true }
}
