import { mintToken } from './mintToken.js'

async function main(): Promise<void> {
  const place = await mintToken()
  if (place !== 'ok') throw new Error('wrong stream_url: ' + place)
  console.log('minted')
}

void main()
