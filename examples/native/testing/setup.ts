import mock from 'react-native-safe-area-context/jest/mock'

// The module itself draws nothing until a phone has told it the size of the screen.
jest.mock('react-native-safe-area-context', () => mock)
