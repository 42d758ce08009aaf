const { minted } = require('./require.cjs')

test('mints a token', () => minted)
