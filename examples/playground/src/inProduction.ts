// The second permission of the emulator: this page is published, and its service is for nobody else.
Object.assign(globalThis, { STAGEPASS_EMULATOR_IN_PRODUCTION: '1' })
