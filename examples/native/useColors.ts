import { useColorScheme } from 'react-native'

const LIGHT = {
  page: '#f5f6f8',
  card: '#ffffff',
  line: '#d0d5dd',
  text: '#101828',
  quiet: '#475467',
  accent: '#1849a9',
  onAccent: '#ffffff',
  error: '#b42318',
}
const DARK = {
  page: '#0c111d',
  card: '#161b26',
  line: '#333b49',
  text: '#f5f5f6',
  quiet: '#a4abb8',
  accent: '#84adff',
  onAccent: '#0c111d',
  error: '#fda29b',
}

/** The colours of the phone's appearance, light or dark. */
export const useColors = (): typeof LIGHT => (useColorScheme() === 'dark' ? DARK : LIGHT)
