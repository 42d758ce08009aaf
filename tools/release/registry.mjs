/*
 * A registry on loopback, on a free port, with its files in the folder that the first argument names. It holds @stagepass/* itself, and passes
 * requests for other packages on to the registry of the second argument. Prints its address. It ends with its standard input, and
 * takes the folder with it: so nothing is left, however the program that started it ends.
 */
import { rmSync } from 'node:fs'
import { runServer } from 'verdaccio'

const [folder, uplink] = process.argv.slice(2)
const server = await runServer({
  self_path: folder,
  configPath: folder,
  storage: `${folder}/storage`,
  uplinks: { others: { url: uplink, timeout: '60s', maxage: '1h' } },
  packages: {
    '@stagepass/*': { access: '$all', publish: '$all' },
    '**': { access: '$all', proxy: 'others' },
  },
  auth: {},
  web: { enable: false },
  log: { type: 'stdout', format: 'json', level: 'error' },
  max_body_size: '50mb',
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
process.stdin
  .on('end', () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
  .resume()
