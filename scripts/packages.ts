/** The packages that are published, each after those that it needs. */
export const PACKAGES = ['contract', 'budget', 'emulator', 'bff', 'react', 'doctor', 'server'] as const
