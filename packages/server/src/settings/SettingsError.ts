/** Lists all wrong settings, each with a remedy. No message contains a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Failed to read the settings:\n${problems.map((problem) => `- ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
