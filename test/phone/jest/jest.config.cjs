/* As an application in React Native has it. Packages with ES modules have to be transformed. */
module.exports = {
  preset: 'react-native',
  // On a busy machine too.
  testTimeout: 60_000,
  testMatch: ['<rootDir>/*.spec.jsx'],
  transformIgnorePatterns: [
    'node_modules/(?!((jest-)?react-native|@react-native(-community)?|@stagepass|@tanstack)/)',
  ],
  moduleFileExtensions: ['js', 'jsx', 'cjs', 'json'],
  transform: { '\\.(?:js|jsx)$': 'babel-jest' },
}
