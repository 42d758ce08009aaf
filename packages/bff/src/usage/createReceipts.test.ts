import { expect, it } from 'vitest'
import { createReceipts, type Reservation } from './createReceipts.js'

const SECRET = 'a secret of all instances, of 40 letters'
const RESERVATION: Reservation = {
  user: 'ada',
  account: undefined,
  product: 'stt',
  day: '2030-01-31',
  reservedMs: 600_000,
  id: 'a',
}

it('S44 a receipt contains the reservation, for all instances with the same secret', async () => {
  const receipt = await createReceipts(SECRET).write(RESERVATION)
  expect(await createReceipts(SECRET).read({ user: 'ada', account: undefined }, receipt)).toEqual(RESERVATION)
  expect(await createReceipts(`${SECRET}!`).read(RESERVATION, receipt)).toBe(undefined)
})

it('S44 without a secret a receipt is valid at the instance that wrote it, and at no other', async () => {
  const receipts = createReceipts(undefined)
  const receipt = await receipts.write(RESERVATION)
  expect(await receipts.read(RESERVATION, receipt)).toEqual(RESERVATION)
  expect(await createReceipts(undefined).read(RESERVATION, receipt)).toBe(undefined)
})

it('S44 a receipt of a user is not valid for the user of the same name in another account', async () => {
  const receipts = createReceipts(SECRET)
  const owner = { user: 'ada', account: 'north' }
  const receipt = await receipts.write({ ...RESERVATION, ...owner })
  expect(await receipts.read(owner, receipt)).toEqual({ ...RESERVATION, ...owner })
  for (const other of [
    { user: 'ada', account: 'south' },
    { user: 'ada', account: undefined },
    { user: 'eve', account: 'north' },
    { user: 'north', account: 'ada' },
  ])
    expect(await receipts.read(other, receipt)).toBe(undefined)
})

// Instances of two versions run at the same time while a host updates.
it('S44 a receipt has the same text in all versions', async () => {
  const receipts = createReceipts(SECRET)
  expect(await receipts.write(RESERVATION)).toMatchInlineSnapshot(
    `"stt.2030-01-31.600000.a.07tjlb0T21l6wbAIIQARXEs_qGocU5Gimtb-lsKqeyA"`,
  )
  expect(await receipts.write({ ...RESERVATION, account: 'north' })).toMatchInlineSnapshot(
    `"stt.2030-01-31.600000.a.D3SxUP0TBfrLZokEJe6i21OO6Tn6ac8OFA08zB651dY"`,
  )
})
