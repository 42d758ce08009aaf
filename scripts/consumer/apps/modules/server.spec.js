const { minted } = require('./require.cjs')

test('mints a token', async () => {
  expect(await minted).toBe(200)
})
