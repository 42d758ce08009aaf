/** React Native's `AppState`, moved by a program. It stands for the package `react-native` in a bundle. */
export const AppState = {
  currentState: 'active',
  listeners: new Set<() => void>(),
  addEventListener(_: 'change', listener: () => void): { remove(): void } {
    AppState.listeners.add(listener)
    return { remove: () => AppState.listeners.delete(listener) }
  },
  become(state: 'active' | 'background'): void {
    AppState.currentState = state
    for (const listener of AppState.listeners) listener()
  },
}
