import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { digestOf, importsOf, ITEM_NAMES, registryFiles, servedFiles, VERSION } from '../../registry/build.js'

const OUT = 'registry/dist/r'

interface RegistryItem {
  readonly files: readonly { readonly target: string; readonly content: string }[]
}

const built = (): Map<string, string> => {
  execFileSync('npm', ['run', '--silent', 'build', '-w', 'registry'])
  const entries = readdirSync(OUT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name).slice(`${OUT}/`.length))
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(OUT, path), 'utf8')]))
}

let folder: string | undefined
afterEach(() => {
  if (folder) rmSync(folder, { recursive: true })
  folder = undefined
})

/** A folder with these files, as a site serves them. */
function served(files: Readonly<Record<string, string>>): string {
  folder = mkdtempSync(join(tmpdir(), 'stagepass-served-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

it('two builds are equal, byte by byte, and all is below the version', () => {
  const first = built()
  expect(built()).toEqual(first)
  // A map's order is of no account here.
  expect(registryFiles()).toEqual(first)
  expect([...first.keys()].filter((path) => !path.startsWith(`${VERSION}/`))).toEqual([])
})

it('the list of digests has the SHA-256 of every other file', () => {
  const files = registryFiles()
  const digests = JSON.parse(files.get(`${VERSION}/digests.json`) ?? '') as Record<string, string>
  expect(Object.keys(digests)).toHaveLength(files.size - 1)
  for (const [name, digest] of Object.entries(digests))
    expect(digest).toBe(digestOf(files.get(`${VERSION}/${name}`) ?? ''))
  // As `openssl dgst -sha256 -binary | base64` says of no bytes at all.
  expect(digestOf('')).toBe('sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
})

it.each(ITEM_NAMES)('%s has in it all that it imports', (name) => {
  const { files } = JSON.parse(registryFiles().get(`${VERSION}/${name}.json`) ?? '') as RegistryItem
  const targets = files.map(({ target }) => target)
  expect(new Set(targets).size).toBe(targets.length)
  const imported = files
    .filter(({ target }) => !target.endsWith('.css'))
    .flatMap(({ target, content }) =>
      importsOf(content)
        .filter((path) => path.startsWith('.'))
        .map((path) =>
          join(
            dirname(target),
            path.endsWith('.css') ? path : `${path}.${/^\.\/use[A-Z]/.test(path) ? 'ts' : 'tsx'}`,
          ),
        ),
    )
  expect(imported).toContain(`components/stagepass/${name}.css`)
  expect(imported.filter((path) => !targets.includes(path))).toEqual([])
})

it('what was served before stays, beside the files of this version', () => {
  const files = servedFiles(served({ '0.0.9/captions.json': 'old', '0.0.9/digests.json': '{}' }))
  expect(files.get('0.0.9/captions.json')).toBe('old')
  expect(files.get(`${VERSION}/registry.json`)).toBe(registryFiles().get(`${VERSION}/registry.json`))
})

it('a file that was served with other bytes stops the build', () => {
  const same = served(Object.fromEntries(registryFiles()))
  expect(servedFiles(same)).toEqual(registryFiles())
  writeFileSync(join(same, VERSION, 'registry.json'), '{}')
  expect(() => servedFiles(same)).toThrow(`/r/${VERSION}/registry.json was served with other bytes`)
})
